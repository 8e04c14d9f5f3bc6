import { and, countDistinct, eq, inArray } from 'drizzle-orm'
import type { Kernel } from '../../kernel/kernel.ts'
import { type EndedMemberships, onMembershipEnded } from '../orgs/index.ts'
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
  const grantsOf = ({ user_ids, org_id }: EndedMemberships) =>
    and(inArray(permsAssetPermissionUser.user, [...user_ids]), eq(permsAssetPermissionUser.org_id, org_id))
  onMembershipEnded({
    label: 'Asset permission',
    async count(db, people) {
      const [row] = await db
        .select({ amount: countDistinct(permsAssetPermissionUser.assetpermission) })
        .from(permsAssetPermissionUser)
        .where(grantsOf(people))
      return row?.amount ?? 0
    },
    async end(db, people) {
      await db.delete(permsAssetPermissionUser).where(grantsOf(people))
    },
  })
}
