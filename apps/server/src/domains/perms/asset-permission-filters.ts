import { type SQL, sql } from 'drizzle-orm'
import { isUuid, NOTHING, readBoolean } from '../../kernel/resource/conditions.ts'
import type { Mount, ReadContext } from '../../kernel/resource/mount.ts'
import { permsAssetPermission } from './tables.ts'
import { isValidSql } from './validity.ts'

const P = sql`"perms_asset_permission"`
const valid = isValidSql(P)

/** The permission is among those that a query answers. */
const among = (permissions: SQL) => sql`${permsAssetPermission.id} IN (${permissions})`

/** `all=0` leaves groups and nodes out: direct names only. */
const inherits = ({ query }: ReadContext) => readBoolean(query.all) !== false

const byId =
  (condition: (which: SQL, context: ReadContext) => SQL) =>
  (value: string, context: ReadContext): SQL =>
    isUuid(value) ? condition(sql`SELECT ${value}::uuid AS id`, context) : NOTHING

/** `which` answers ids of users. */
function ofUsers(which: SQL, context: ReadContext): SQL {
  const direct = sql`SELECT pu.assetpermission FROM perms_asset_permission_user pu WHERE pu."user" IN (${which})`
  if (!inherits(context)) return among(direct)
  return among(sql`${direct} UNION ALL SELECT pg.assetpermission FROM users_user_group_user m JOIN perms_asset_permission_user_group pg ON pg.usergroup = m.usergroup
    WHERE m."user" IN (${which})`)
}

const ofGroups = (which: SQL) =>
  among(sql`SELECT pg.assetpermission FROM perms_asset_permission_user_group pg WHERE pg.usergroup IN (${which})`)
const ofSystemUsers = (which: SQL) =>
  among(sql`SELECT ps.assetpermission FROM perms_asset_permission_system_user ps WHERE ps.systemuser IN (${which})`)

/** `which` answers ids of nodes. */
function ofNodes(which: SQL, context: ReadContext): SQL {
  const nodes = inherits(context)
    ? sql`SELECT up.id FROM assets_node n JOIN assets_node up ON up.path @> n.path WHERE n.id IN (${which})`
    : which
  return among(sql`SELECT pn.assetpermission FROM perms_asset_permission_node pn WHERE pn.node IN (${nodes})`)
}

/** `which` answers ids of assets. */
function ofAssets(which: SQL, context: ReadContext): SQL {
  const direct = sql`SELECT pa.assetpermission FROM perms_asset_permission_asset pa WHERE pa.asset IN (${which})`
  if (!inherits(context)) return among(direct)
  return among(sql`${direct} UNION ALL SELECT pn.assetpermission FROM perms_asset_permission_node pn WHERE pn.node IN (
    SELECT up.id FROM assets_asset_node an JOIN assets_node n ON n.id = an.node_id JOIN assets_node up ON up.path @> n.path WHERE an.asset_id IN (${which}))`)
}

/** Has somebody, something, an identity and at least one action. */
const complete = sql`(${P}.actions <> 0
  AND (EXISTS (SELECT 1 FROM perms_asset_permission_user x WHERE x.assetpermission = ${P}.id) OR EXISTS (SELECT 1 FROM perms_asset_permission_user_group x WHERE x.assetpermission = ${P}.id))
  AND (EXISTS (SELECT 1 FROM perms_asset_permission_asset x WHERE x.assetpermission = ${P}.id) OR EXISTS (SELECT 1 FROM perms_asset_permission_node x WHERE x.assetpermission = ${P}.id))
  AND EXISTS (SELECT 1 FROM perms_asset_permission_system_user x WHERE x.assetpermission = ${P}.id))`

function whether(condition: SQL) {
  return (value: string): SQL | undefined => {
    const wanted = readBoolean(value)
    return wanted === undefined ? undefined : wanted ? condition : sql`NOT ${condition}`
  }
}

/** Ids of rows of a table whose column has the value. Permissions are of one organisation, and so is what they name: no further scope is needed. */
const where = (table: string, column: string, value: string) =>
  sql`SELECT x.id FROM ${sql.raw(table)} x WHERE x.${sql.raw(column)} = ${value}`

/** Filters of the permission list; a named object that does not exist gives an empty list (contract/perms.yaml asset_permission). */
export const permissionFilters: NonNullable<Mount['filters']> = {
  is_valid: whether(valid),
  is_effective: whether(sql`(${valid} AND ${complete})`),
  all: () => undefined,
  user_id: byId(ofUsers),
  username: (value, context) => ofUsers(where('users_user', 'username', value), context),
  user_group_id: byId(ofGroups),
  user_group: (value) => ofGroups(where('users_user_group', 'name', value)),
  system_user_id: byId(ofSystemUsers),
  system_user: (value) => ofSystemUsers(where('assets_system_user', 'name', value)),
  node_id: byId(ofNodes),
  node: (value, context) => ofNodes(where('assets_node', 'value', value), context),
  asset_id: byId(ofAssets),
  hostname: (value, context) => ofAssets(where('assets_asset', 'hostname', value), context),
  ip: (value, context) => ofAssets(where('assets_asset', 'ip', value), context),
}
