import { assetAccount } from '@sallyport/contract/resources/assets/asset-account.ts'
import { systemUser } from '@sallyport/contract/resources/assets/system-user.ts'
import { eq } from 'drizzle-orm'
import { registerSingularPaths } from '../../kernel/http/singular-paths.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { mountedResource, resourcesOf } from '../../kernel/resource/registry.ts'
import { organizationsHold } from '../orgs/index.ts'
import { linkAccountsToAssets } from './asset-links.ts'
import { registerSystemUserRoutes } from './system-user-routes.ts'
import { assetsAccount, assetsSystemUser } from './tables.ts'
import { registerAccountTests } from './tasks/account-tests.ts'
import { registerDuePushes } from './tasks/push/push-due.ts'
import { registerTaskRoutes } from './tasks/task-routes.ts'
import { registerTaskKinds } from './tasks/tasks.ts'
import { forgetTemporaryAuth } from './temporary-auth.ts'

export { registerAccountHistory } from './accounts/account-history.ts'
export { countVersion, inheritUsername, staysWith } from './accounts/account-rules.ts'
export { secretsOfAccounts } from './accounts/account-secrets.ts'
export { accountUsers, hasUsername, loginName } from './accounts/account-users.ts'
export { withoutZone } from './accounts/asset-account.resource.ts'
export {
  assetAccountRow,
  freeAccountOf,
  inheritedLogin,
  isLoginOutside,
  keepChangedSecret,
  machinesToChange,
  systemUserLogin,
} from './accounts/changing-account.ts'
export { candidateLogin, chosenAccount } from './accounts/chosen-account.ts'
export { keptWhere } from './accounts/kept-where.ts'
export { accountsNamed, type NamedAccount } from './accounts/named-accounts.ts'
export { systemUserApplications } from './application-counts.ts'
export { type Host, HostError, type HostLogin, openHost } from './hosts/open-host.ts'
export { bindSystemUsers } from './linking.ts'
export { seesSystemUser, systemUserGrants } from './seen-by.ts'
export { type SystemUserLinks, systemUserLinks } from './system-user.resource.ts'
export { registerTargetSecrets } from './system-user-secrets.ts'
export { type Login, loadAssetTarget, loadLogin, type TargetSystemUser } from './target.ts'
export { assetsListedSystemUser } from './views.ts'

/** Once named in the singular (docs/rules/api.md#old_addresses). */
const OLD_NAMES = ['admin-user', 'system-user', 'asset-user'] as const

/**
 * Registers routes and jobs of system users and of their accounts on assets, which are registered
 * before.
 */
export function registerSystemUsers(kernel: Kernel): void {
  const assets = resourcesOf(kernel).find('asset')
  if (!assets) throw new Error('there are no assets')
  linkAccountsToAssets()
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
  registerSystemUserRoutes(kernel, mountedResource(kernel, systemUser, assetsSystemUser), assets)
  registerTaskRoutes(kernel)
  registerAccountTests(kernel, mountedResource(kernel, assetAccount, assetsAccount))
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
