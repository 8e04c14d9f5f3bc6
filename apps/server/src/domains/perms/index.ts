import { eq } from 'drizzle-orm'
import { registerSingularPaths } from '../../kernel/http/singular-paths.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { mountedResource } from '../../kernel/resource/registry.ts'
import { assetGrants } from '../assets/index.ts'
import { onMembershipEnded, organizationsHold } from '../orgs/index.ts'
import { systemUserGrants } from '../system-users/index.ts'
import { applicationPermissions } from './application-permission.resource.ts'
import { registerAssetPermUsers } from './asset-perm-users.ts'
import { assetPermissions } from './asset-permission.resource.ts'
import { registerAssetPermissionRoutes } from './asset-permission-routes.ts'
import { schedulePermissionReminders } from './expiry-reminder.ts'
import { grantFamilies } from './families.ts'
import { registerGrantedApplications } from './granted/granted-applications.ts'
import { registerGrantedAssets } from './granted/granted-assets.ts'
import { registerGrantedSystemUsers } from './granted/granted-system-users.ts'
import { registerGrantedTrees } from './granted/granted-tree.ts'
import type { PermissionKind } from './permission-kind.ts'
import { registerPermissionRoutes } from './permission-routes.ts'
import { addRightsToPreviews } from './preview/index.ts'
import { isGrantedSystemUser, seesTarget } from './seen-by.ts'
import { permsPermission, permsPermissionUser } from './tables.ts'

export { likelyAccount } from './explanation/likely-account.ts'
export {
  type GrantFacts,
  grantFacts,
  type Lack,
  type NearPermission,
  nearPermissions,
} from './explanation/near-permissions.ts'
export { dayOf, ownPermissions, WHY_NOT, type WhyNot, whyNot } from './explanation/why-not.ts'
export { type ClusterEntry, type ClusterPlace, clusterReader } from './granted/cluster-tree.ts'
export { findGrantedApplications } from './granted/granted-applications.ts'
export { grantedFolders } from './granted/granted-folders.ts'
export { findGrantedAssets, findGrantedNodes } from './granted/granted-listing.ts'
export { type SshAccount, sshAccounts } from './granted/ssh-accounts.ts'
export type { WireNode } from './granted/tree-items.ts'
export type { TreeAsset } from './granted/visible-nodes.ts'
export {
  type ConnectAnswer,
  connectable,
  connectableAssets,
  type MachineNow,
  mayConnect,
  mayConnectEach,
  type UsableSystemUser,
  usableSystemUsers,
} from './may-connect.ts'
export { peopleOfAccounts } from './people-of-accounts.ts'
export type { Meeting, MetRight } from './preview/met-rights.ts'
export { addRulesToPreviews, type Ruling } from './preview/rules.ts'
export { grantByTicket, isPermissionName } from './ticket-permission.ts'

export { permsTarget } from './views.ts'

/** Permissions, and everything that is granted by them. */
export function registerPerms(kernel: Kernel): void {
  assetGrants.provide((db, userId, id) => seesTarget(db, userId, { family: 'asset', id }))
  systemUserGrants.provide(isGrantedSystemUser)
  registerPermissionKind(kernel, assetPermissions)
  registerPermissionKind(kernel, applicationPermissions)
  registerAssetPermissionRoutes(kernel)
  registerGrantedAssets(kernel)
  registerGrantedApplications(kernel)
  registerGrantedTrees(kernel)
  registerGrantedSystemUsers(kernel)
  registerAssetPermUsers(kernel)
  registerSingularPaths(kernel.app, 'perms', ['user', 'user-group', 'asset-permission', 'application-permission'])
  schedulePermissionReminders(kernel)
  addRightsToPreviews(kernel)
  organizationsHold(
    {
      field: 'asset_perms_amount',
      label: 'Asset permission',
      from: permsPermission,
      where: eq(permsPermission.family, 'asset'),
    },
    {
      field: 'app_perms_amount',
      label: 'Application permission',
      from: permsPermission,
      where: eq(permsPermission.family, 'application'),
    },
  )
  for (const { family, permission } of grantFamilies())
    onMembershipEnded({
      label: permission.label,
      links: permsPermissionUser,
      person: permsPermissionUser.user,
      thing: permsPermissionUser.permission,
      orgId: permsPermissionUser.org_id,
      among: eq(permsPermissionUser.family, family),
    })
}

/** Questions about the permissions of one family. */
function registerPermissionKind(kernel: Kernel, kind: PermissionKind): void {
  registerPermissionRoutes(kernel, kind, mountedResource(kernel, kind.definition, permsPermission))
}
