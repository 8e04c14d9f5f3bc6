import type { assetPermission } from '@sallyport/contract/resources/perms/asset-permission.ts'
import { type SQL, sql } from 'drizzle-orm'
import { isUuid, NOTHING, readBoolean } from '../../kernel/resource/conditions.ts'
import type { Mount, ReadContext } from '../../kernel/resource/mount.ts'
import { permsPermission } from './tables.ts'
import { isValidSql } from './validity.ts'

const P = sql`"perms_permission"`
const valid = isValidSql(P)

/** The permission is among those that a query answers. */
export const among = (permissions: SQL): SQL => sql`${permsPermission.id} IN (${permissions})`

/** `all=0` leaves groups and nodes out: direct names only. */
export const inherits = ({ query }: ReadContext): boolean => readBoolean(query.all) !== false

/** A filter by id: nothing for what is no id. */
export const byId =
  (condition: (which: SQL, context: ReadContext) => SQL) =>
  (value: string, context: ReadContext): SQL =>
    isUuid(value) ? condition(sql`SELECT ${value}::uuid AS id`, context) : NOTHING

/**
 * Ids of rows of a view whose column has the value. Permissions are of one organisation, and so is
 * what they name: no further scope is needed.
 */
export const named = (view: string, column: string, value: string): SQL =>
  sql`SELECT x.id FROM ${sql.raw(view)} x WHERE x.${sql.raw(column)} = ${value}`

/** `which` answers ids of users. */
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

/** Has somebody, something, an identity and at least one action. */
const complete = sql`(${P}.actions <> 0
  AND (EXISTS (SELECT 1 FROM perms_permission_user x WHERE x.permission = ${P}.id) OR EXISTS (SELECT 1 FROM perms_permission_user_group x WHERE x.permission = ${P}.id))
  AND (EXISTS (SELECT 1 FROM perms_permission_target x WHERE x.permission = ${P}.id) OR EXISTS (SELECT 1 FROM perms_permission_node x WHERE x.permission = ${P}.id))
  AND EXISTS (SELECT 1 FROM perms_permission_system_user x WHERE x.permission = ${P}.id))`

function whether(condition: SQL) {
  return (value: string): SQL | undefined => {
    const wanted = readBoolean(value)
    return wanted === undefined ? undefined : wanted ? condition : sql`NOT ${condition}`
  }
}

/**
 * Filters that permissions of every family have; a named object that does not exist gives an empty
 * list (contract/perms.yaml asset_permission).
 */
export const permissionFilters = {
  is_valid: whether(valid),
  is_effective: whether(sql`(${valid} AND ${complete})`),
  all: () => undefined,
  user_id: byId(ofUsers),
  username: (value, context) => ofUsers(named('users_account', 'username', value), context),
  user_group_id: byId(ofGroups),
  user_group: (value) => ofGroups(named('users_listed_group', 'name', value)),
  system_user_id: byId(ofSystemUsers),
  system_user: (value) => ofSystemUsers(named('assets_listed_system_user', 'name', value)),
} satisfies Mount<typeof assetPermission>['filters']
