import { eq } from 'drizzle-orm'
import { registerSingularPaths } from '../../kernel/http/singular-paths.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { resourcesOf } from '../../kernel/resource/registry.ts'
import { organizationsHold } from '../orgs/index.ts'
import { mountAssetAccounts } from './accounts/asset-account.ts'
import { linkAccountsToAssets } from './asset-links.ts'
import { mountSystemUser, type SystemUserLinks } from './system-user.ts'
import { mountSystemUserRelations } from './system-user-relations.ts'
import { registerSystemUserRoutes } from './system-user-routes.ts'
import { assetsSystemUser } from './tables.ts'
import { registerAccountTests } from './tasks/account-tests.ts'
import { registerDuePushes } from './tasks/push/push-due.ts'
import { registerTaskRoutes } from './tasks/task-routes.ts'
import { registerTaskKinds } from './tasks/tasks.ts'
import { forgetTemporaryAuth } from './temporary-auth.ts'

export { registerAccountHistory } from './accounts/account-history.ts'
export { countVersion, inheritUsername, staysWith } from './accounts/account-rules.ts'
export { secretsOfAccounts } from './accounts/account-secrets.ts'
export { accountUsers, hasUsername, loginName } from './accounts/account-users.ts'
export { withoutZone } from './accounts/asset-account.ts'
export {
  assetAccountRow,
  freeAccountOf,
  inheritedLogin,
  keepChangedSecret,
  machinesToChange,
  systemUserLogin,
} from './accounts/changing-account.ts'
export { candidateLogin, chosenAccount } from './accounts/chosen-account.ts'
export { accountsNamed, type NamedAccount } from './accounts/named-accounts.ts'
export { countApplicationsOfSystemUsersBy } from './application-counts.ts'
export { type Host, HostError, type HostLogin, openHost } from './hosts/open-host.ts'
export { bindSystemUsers } from './linking.ts'
export { seesSystemUser, systemUsersAreGrantedBy } from './seen-by.ts'
export type { SystemUserLinks } from './system-user.ts'
export { registerTargetSecrets } from './system-user-secrets.ts'
export { type Login, loadAssetTarget, loadLogin, type TargetSystemUser } from './target.ts'
export { assetsListedSystemUser } from './views.ts'

/** Once named in the singular (docs/rules/api.md#old_addresses). */
const OLD_NAMES = ['admin-user', 'system-user', 'asset-user'] as const

/**
 * Mounts resources, routes and jobs of system users and of their accounts on assets, which are
 * registered before. `links`: what later domains link system users to.
 */
export function registerSystemUsers(kernel: Kernel, links: SystemUserLinks): void {
  const assets = resourcesOf(kernel).find('asset')
  if (!assets) throw new Error('there are no assets')
  linkAccountsToAssets()
  const systemUsers = mountSystemUser(kernel, links)
  mountSystemUserRelations(kernel)
  const accounts = mountAssetAccounts(kernel)
  organizationsHold(
    {
      field: 'admin_users_amount',
      label: 'Admin user',
      from: assetsSystemUser,
      where: eq(assetsSystemUser.type, 'admin'),
    },
    {
      field: 'system_users_amount',
      label: 'System user',
      from: assetsSystemUser,
      where: eq(assetsSystemUser.type, 'common'),
    },
  )
  registerSystemUserRoutes(kernel, systemUsers, assets)
  registerTaskRoutes(kernel)
  registerAccountTests(kernel, accounts)
  registerTaskKinds()
  registerDuePushes(kernel)
  registerSingularPaths(kernel.app, 'assets', OLD_NAMES)
  kernel.jobs.schedule(
    {
      name: 'assets.forget_typed_logins',
      cron: '*/5 * * * *',
      title: 'Forget typed logins that have expired',
      isEssential: true,
    },
    () => forgetTemporaryAuth(kernel),
  )
}
