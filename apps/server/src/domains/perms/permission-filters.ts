import type { assetPermission } from '@sallyport/contract/resources/perms/asset-permission.ts'
import { type SQL, sql } from 'drizzle-orm'
import { NOTHING, readableBoolean, readableId, readBoolean } from '../../kernel/resource/conditions.ts'
import type { Mount, ReadContext } from '../../kernel/resource/mount.ts'
import { permsPermission } from './tables.ts'
import { isValidSql } from './validity.ts'

const P = sql`"perms_permission"`
const valid = isValidSql(P)

/** Whether the permission is among those of a query. */
export const among = (permissions: SQL): SQL => sql`${permsPermission.id} IN (${permissions})`

/** Whether permissions by groups and nodes count; with `all=0` only direct ones do. */
export const inherits = ({ query }: ReadContext): boolean => readBoolean(query.all) !== false

/** A filter by id. */
export const byId =
  (condition: (which: SQL, context: ReadContext) => SQL) =>
  (value: string, context: ReadContext, name: string): SQL =>
    condition(sql`SELECT ${readableId(name, value)}::uuid AS id`, context)

/**
 * Query of the ids of rows in a view whose column has the value. It needs no scope: permissions,
 * and everything that they name, belong to one organization.
 */
export const named = (view: string, column: string, value: string): SQL =>
  sql`SELECT x.id FROM ${sql.raw(view)} x WHERE x.${sql.raw(column)} = ${value}`

/** Permissions of the users whose ids `which` selects. */
function ofUsers(which: SQL, context: ReadContext): SQL {
  const direct = sql`SELECT pu.permission FROM perms_permission_user pu WHERE pu."user" IN (${which})`
  if (!inherits(context)) return among(direct)
  return among(sql`${direct} UNION ALL SELECT pg.permission FROM users_group_member m JOIN perms_permission_user_group pg ON pg.usergroup = m.group_id
    WHERE m.user_id IN (${which})`)
}

const ofGroups = (which: SQL) =>
  among(sql`SELECT pg.permission FROM perms_permission_user_group pg WHERE pg.usergroup IN (${which})`)
const ofSystemUsers = (which: SQL) =>
  among(sql`SELECT ps.permission FROM perms_permission_system_user ps WHERE ps.systemuser IN (${which})`)

/** Whether it has people, targets, a system user and an action. */
const complete = sql`(${P}.actions <> 0
  AND (EXISTS (SELECT 1 FROM perms_permission_user x WHERE x.permission = ${P}.id) OR EXISTS (SELECT 1 FROM perms_permission_user_group x WHERE x.permission = ${P}.id))
  AND (EXISTS (SELECT 1 FROM perms_permission_target x WHERE x.permission = ${P}.id) OR EXISTS (SELECT 1 FROM perms_permission_node x WHERE x.permission = ${P}.id))
  AND EXISTS (SELECT 1 FROM perms_permission_system_user x WHERE x.permission = ${P}.id))`

const whether =
  (condition: SQL) =>
  (value: string, _context: ReadContext, name: string): SQL =>
    readableBoolean(name, value) ? condition : sql`NOT ${condition}`

/** Valid now, and over in so many days. */
const expiresWithin = (days: string): SQL =>
  /^\d{1,5}$/.test(days)
    ? sql`(${valid} AND ${P}.date_expired < now() + make_interval(days => ${Number(days)}))`
    : NOTHING

/**
 * Filters of permissions of every family; an object that does not exist gives an empty list
 * (docs/rules/perms.md#asset_permission).
 */
export const permissionFilters = {
  is_valid: whether(valid),
  is_effective: whether(sql`(${valid} AND ${complete})`),
  expires_within: expiresWithin,
  all: () => undefined,
  user_id: byId(ofUsers),
  username: (value, context) => ofUsers(named('users_account', 'username', value), context),
  user_group_id: byId(ofGroups),
  user_group: (value) => ofGroups(named('users_listed_group', 'name', value)),
  system_user_id: byId(ofSystemUsers),
  system_user: (value) => ofSystemUsers(named('assets_listed_system_user', 'name', value)),
} satisfies Mount<typeof assetPermission>['filters']
