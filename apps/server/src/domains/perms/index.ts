import type { Kernel } from '../../kernel/kernel.ts'
import { onMembershipEnded } from '../orgs/index.ts'
import { registerAssetPermUsers } from './asset-perm-users.ts'
import { mountAssetPermission } from './asset-permission.ts'
import { mountAssetPermissionRelations } from './asset-permission-relations.ts'
import { registerAssetPermissionRoutes } from './asset-permission-routes.ts'
import { schedulePermissionReminders } from './expiry-reminder.ts'
import { registerGrantedAssets } from './granted-assets.ts'
import { registerGrantedSystemUsers } from './granted-system-users.ts'
import { registerGrantedTrees } from './granted-tree.ts'
import { permsAssetPermissionUser } from './tables.ts'

export { type GrantedFolders, grantedFolders } from './granted-folders.ts'
export { findGrantedAssets, findGrantedNodes, type GrantedAssetsQuestion, type ListedAsset } from './granted-listing.ts'
export { type ConnectAnswer, type ConnectQuestion, mayConnect, type UsableSystemUser, usableSystemUsers } from './may-connect.ts'
export { type AppliedAssets, grantByTicket, isPermissionName } from './ticket-permission.ts'
export type { WireNode } from './tree-items.ts'
export type { TreeAsset } from './visible-nodes.ts'

/** Permissions, and everything that is granted by them. */
export function registerPerms(kernel: Kernel): void {
  const permissions = mountAssetPermission(kernel)
  mountAssetPermissionRelations(kernel)
  registerAssetPermissionRoutes(kernel, permissions)
  registerGrantedAssets(kernel)
  registerGrantedTrees(kernel)
  registerGrantedSystemUsers(kernel)
  registerAssetPermUsers(kernel)
  schedulePermissionReminders(kernel)
  onMembershipEnded({
    label: 'Asset permission',
    links: permsAssetPermissionUser,
    person: permsAssetPermissionUser.user,
    thing: permsAssetPermissionUser.assetpermission,
    orgId: permsAssetPermissionUser.org_id,
  })
}
