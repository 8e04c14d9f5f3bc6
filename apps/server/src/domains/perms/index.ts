import type { Kernel } from '../../kernel/kernel.ts'
import { registerAssetPermUsers } from './asset-perm-users.ts'
import { mountAssetPermission } from './asset-permission.ts'
import { mountAssetPermissionRelations } from './asset-permission-relations.ts'
import { registerAssetPermissionRoutes } from './asset-permission-routes.ts'
import { registerGrantedAssets } from './granted-assets.ts'
import { registerGrantedSystemUsers } from './granted-system-users.ts'
import { registerGrantedTrees } from './granted-tree.ts'

export { type ConnectAnswer, type ConnectQuestion, mayConnect, type UsableSystemUser, usableSystemUsers } from './may-connect.ts'

/** Permissions, and everything that is granted by them. */
export function registerPerms(kernel: Kernel): void {
  const permissions = mountAssetPermission(kernel)
  mountAssetPermissionRelations(kernel)
  registerAssetPermissionRoutes(kernel, permissions)
  registerGrantedAssets(kernel)
  registerGrantedTrees(kernel)
  registerGrantedSystemUsers(kernel)
  registerAssetPermUsers(kernel)
}
