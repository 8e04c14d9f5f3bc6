import { and, eq, inArray } from 'drizzle-orm'
import type { Kernel } from '../../kernel/kernel.ts'
import { onMembershipEnded } from '../orgs/index.ts'
import { registerAssetPermUsers } from './asset-perm-users.ts'
import { mountAssetPermission } from './asset-permission.ts'
import { mountAssetPermissionRelations } from './asset-permission-relations.ts'
import { registerAssetPermissionRoutes } from './asset-permission-routes.ts'
import { registerGrantedAssets } from './granted-assets.ts'
import { registerGrantedSystemUsers } from './granted-system-users.ts'
import { registerGrantedTrees } from './granted-tree.ts'
import { permsAssetPermissionUser } from './tables.ts'

export { type GrantedFolders, grantedFolders } from './granted-folders.ts'
export { findGrantedAssets, findGrantedNodes, type GrantedAssetsQuestion, type ListedAsset } from './granted-listing.ts'
export { type ConnectAnswer, type ConnectQuestion, mayConnect, type UsableSystemUser, usableSystemUsers } from './may-connect.ts'
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
  onMembershipEnded(async (db, { user_ids, org_id }) => {
    await db
      .delete(permsAssetPermissionUser)
      .where(and(inArray(permsAssetPermissionUser.user, [...user_ids]), eq(permsAssetPermissionUser.org_id, org_id)))
  })
}
