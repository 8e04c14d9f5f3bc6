import { assetPermission } from '@sallyport/contract/resources/perms/asset-permission.ts'
import { assetPermissionAssetRelation } from '@sallyport/contract/resources/perms/asset-permission-asset-relation.ts'
import { assetPermissionNodeRelation } from '@sallyport/contract/resources/perms/asset-permission-node-relation.ts'
import { assetPermissionSystemUserRelation } from '@sallyport/contract/resources/perms/asset-permission-system-user-relation.ts'
import { assetPermissionUserGroupRelation } from '@sallyport/contract/resources/perms/asset-permission-user-group-relation.ts'
import { assetPermissionUserRelation } from '@sallyport/contract/resources/perms/asset-permission-user-relation.ts'
import { type SQL, sql } from 'drizzle-orm'
import { invalid } from '../../kernel/errors/app-error.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Mount, ReadContext } from '../../kernel/resource/mount.ts'
import { bindPermission } from './binding.ts'
import { readDestination } from './forwarding/destination.ts'
import { mountPermissions } from './permission.ts'
import { among, byId, inherits, named, permissionFilters } from './permission-filters.ts'
import type { PermissionKind, WritingPermission } from './permission-kind.ts'
import { assetsOf, nodesOf, systemUsersOf, userGroupsOf, usersOf } from './relations.ts'

const OWNER = 'assetpermission'

/** Permissions about the nodes whose ids `which` selects. */
function ofNodes(which: SQL, context: ReadContext): SQL {
  const nodes = inherits(context)
    ? sql`SELECT up.id FROM assets_listed_node n JOIN assets_listed_node up ON up.path @> n.path WHERE n.id IN (${which})`
    : which
  return among(sql`SELECT pn.permission FROM perms_permission_node pn WHERE pn.node IN (${nodes})`)
}

/** Permissions about the assets whose ids `which` selects. */
function ofAssets(which: SQL, context: ReadContext): SQL {
  const direct = sql`SELECT pt.permission FROM perms_permission_target pt WHERE pt.asset IN (${which})`
  if (!inherits(context)) return among(direct)
  return among(sql`${direct} UNION ALL SELECT pn.permission FROM perms_permission_node pn WHERE pn.node IN (
    SELECT under.node_id FROM assets_asset_under_node under WHERE under.asset_id IN (${which}))`)
}

/** Permissions about assets (docs/rules/perms.md#asset_permission). */
export const assetPermissions: PermissionKind = {
  family: 'asset',
  definition: assetPermission,
  owner: OWNER,
  relations: [
    usersOf(OWNER, assetPermissionUserRelation),
    userGroupsOf(OWNER, assetPermissionUserGroupRelation),
    assetsOf(OWNER, assetPermissionAssetRelation),
    nodesOf(OWNER, assetPermissionNodeRelation),
    systemUsersOf(OWNER, assetPermissionSystemUserRelation),
  ],
  filters: {
    ...permissionFilters,
    node_id: byId(ofNodes),
    node: (value, context) => ofNodes(named('assets_listed_node', 'value', value), context),
    asset_id: byId(ofAssets),
    hostname: (value, context) => ofAssets(named('assets_listed_asset', 'hostname', value), context),
    ip: (value, context) => ofAssets(named('assets_listed_asset', 'ip', value), context),
  } satisfies Mount<typeof assetPermission>['filters'],
  rules: [keepDestinations],
  covered: {
    path: 'assets/all/',
    summary: 'all assets that it covers',
    wire: ['asset', 'asset_display'],
    rowsOf: (id) => sql`
      SELECT a.id, a.hostname, a.ip, a.hostname || '(' || a.ip || ')' AS text FROM assets_listed_asset a WHERE a.id IN (
        SELECT pt.asset FROM perms_permission_target pt WHERE pt.permission = ${id}::uuid
        UNION ALL
        SELECT an.asset_id FROM perms_permission_node pn JOIN assets_listed_node n ON n.id = pn.node
          JOIN assets_listed_node below ON below.path <@ n.path JOIN assets_asset_in_node an ON an.node_id = below.id
        WHERE pn.permission = ${id}::uuid)`,
    searched: ['hostname', 'ip'],
    order: 'hostname',
  },
  targetParameter: 'asset_id',
  afterAdding: bindPermission,
}

export default function mountAssetPermissions(kernel: Kernel): void {
  mountPermissions(kernel, assetPermissions)
}

/** Destinations as they are compared; a list that leads nowhere is none. */
function keepDestinations({ draft, row }: WritingPermission): void {
  const { forwarding: given, forwarding_destinations: listed }: Record<string, unknown> = draft
  const forwarding = given === null ? 'none' : given
  if (given === null) Object.assign(draft, { forwarding })
  if (forwarding === undefined && listed === undefined) return
  const before: Record<string, unknown> = row ?? {}
  const destinations = Array.isArray(listed) ? listed.map((one) => String(one).trim()).filter(Boolean) : undefined
  for (const one of destinations ?? []) {
    const problem = readDestination(one).problem
    if (problem) throw invalid({ forwarding_destinations: problem })
  }
  if (destinations) Object.assign(draft, { forwarding_destinations: [...new Set(destinations)] })
  const all = destinations ?? before.forwarding_destinations
  if ((forwarding ?? before.forwarding) === 'listed' && !(Array.isArray(all) && all.length))
    throw invalid({ forwarding_destinations: 'Name at least one destination' })
}
