import { eq, ne } from 'drizzle-orm'
import type { Database } from '../../kernel/database/database.ts'
import { registerSingularPaths } from '../../kernel/http/singular-paths.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { runTask } from '../ops/index.ts'
import { onMembershipEnded, onOrganizationSaved, organizationsHold, orgsListedOrganization } from '../orgs/index.ts'
import { mountAssetAccounts } from './accounts/asset-account.ts'
import { mountAsset } from './asset.ts'
import { registerAssetRoutes } from './asset-routes.ts'
import { mountCommandFilters } from './commands/command-filter.ts'
import { registerDestinationRoutes } from './destination-routes.ts'
import { mountDomain } from './domain.ts'
import { mountGateway } from './gateway.ts'
import { registerHostKeyRoutes } from './host-key-routes.ts'
import { checkAssetAmounts, scheduleCounts } from './nodes/counts.ts'
import { mountNode } from './nodes/node.ts'
import { registerNodeRoutes } from './nodes/node-routes.ts'
import { registerNodeTree } from './nodes/node-tree.ts'
import { ensureRootNode } from './nodes/tree.ts'
import { registerServerKeyRoutes } from './server-keys/routes.ts'
import { mountSystemUser } from './system-users/system-user.ts'
import { mountSystemUserRelations } from './system-users/system-user-relations.ts'
import { registerSystemUserRoutes } from './system-users/system-user-routes.ts'
import {
  assetsAsset,
  assetsCommandFilter,
  assetsCommandFilterRule,
  assetsCommandFilterRuleReviewer,
  assetsDomain,
  assetsGateway,
  assetsLabel,
  assetsNode,
  assetsSystemUser,
} from './tables.ts'
import { registerAccountTests } from './tasks/account-tests.ts'
import { registerFirstContact } from './tasks/first-contact.ts'
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
  type ChangingMachine,
  freeAccountOf,
  inheritedLogin,
  keepChangedSecret,
  machinesToChange,
  systemUserLogin,
} from './accounts/changing-account.ts'
export {
  type Credentials,
  candidateLogin,
  chosenAccount,
  openLogin,
  type SealedLogin,
} from './accounts/chosen-account.ts'
export { accountsNamed, type NamedAccount } from './accounts/named-accounts.ts'
export { countApplicationsBy } from './application-counts.ts'
export { nodeFilters } from './asset-filters.ts'
export { protocolErrors } from './asset-rules.ts'
export { commandPattern } from './commands/command-pattern.ts'
export { type ConfirmingRule, confirmingRules, filtersOfRules } from './commands/command-reviewers.ts'
export {
  addBoundTargets,
  COMMAND_RULES_CHANGED,
  type CommandRule,
  type CommandSituation,
  commandRulesFor,
  commandRulesOf,
} from './commands/command-rules.ts'
export { type Destinations, destinationsIn, isConfirmed, unconfirmedDestination } from './destination.ts'
export { mountDestinations } from './destination-routes.ts'
export { deviceOf, devicesAmong } from './device.ts'
export {
  acceptHostKey,
  checkHostKey,
  type HostKeyScope,
  hostKeyFingerprint,
  pinnedHostKeys,
  type SeenHostKey,
} from './host-key.ts'
export {
  type Host,
  HostError,
  type HostLogin,
  type HostQuestion,
  openHost,
  type RunOptions,
} from './hosts/open-host.ts'
export { bindSystemUsers, linkSystemUsers } from './linking.ts'
export { assetItem, nodeItem } from './nodes/node-tree.ts'
export {
  assetAmounts,
  assetCount,
  ensureRootNode,
  findNode,
  getRootNode,
  type Node,
  nodesOf,
  subtreeIds,
} from './nodes/tree.ts'
export { checkSecrets, keepReplaced } from './secret-fields.ts'
export { readGrantsBy, seesSystemUser } from './seen-by.ts'
export { checkServerKey, hasServerKey, type ServerKeyScope } from './server-keys/server-key.ts'
export { hostKeyCheck, sshFailureText, throughGateways, throughGatewaysPlain } from './ssh.ts'
export { type MachineDraft, type SyncedAsset, SyncedAssets } from './synced-assets.ts'
export { registerTargetSecrets } from './system-users/system-user-secrets.ts'
export type { Destination } from './tables.ts'
export {
  type AccountTarget,
  type AssetTarget,
  type Login,
  loadAccountTarget,
  loadAssetTarget,
  loadLogin,
  noteGatewayHealth,
  type TargetGateway,
  type TargetSystemUser,
} from './target.ts'
export { keepTemporaryAuth, type TemporaryAuth, takeTemporaryAuth } from './temporary-auth.ts'
export {
  assetsAccountLogin,
  assetsAssetInNode,
  assetsAssetUnderNode,
  assetsFavorite,
  assetsListedAsset,
  assetsListedNode,
  assetsListedPlatform,
  assetsListedSystemUser,
} from './views.ts'

/** Once named in the singular (docs/rules/api.md#old_addresses). */
const OLD_NAMES = ['admin-user', 'system-user', 'domain', 'gateway', 'cmd-filter', 'asset-user'] as const

/** Mounts resources, routes and jobs; from here on every organisation has a root node. */
export async function registerAssets(kernel: Kernel): Promise<void> {
  mountDomain(kernel)
  mountGateway(kernel)
  const assets = mountAsset(kernel)
  const systemUsers = mountSystemUser(kernel)
  mountSystemUserRelations(kernel)
  const accounts = mountAssetAccounts(kernel)
  mountNode(kernel)
  mountCommandFilters(kernel)
  organizationsHold(
    { field: 'assets_amount', label: 'Asset', from: assetsAsset },
    { field: 'nodes_amount', label: 'Node', from: assetsNode, where: ne(assetsNode.parent_key, '') },
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
    { field: 'domains_amount', label: 'Domain', from: assetsDomain },
    { field: 'gateways_amount', label: 'Gateway', from: assetsGateway },
    { field: 'labels', label: 'Label', from: assetsLabel, uncounted: true },
    { field: 'filters', label: 'Command filter', from: assetsCommandFilter, uncounted: true },
  )
  // Whoever leaves an organisation no longer reviews its commands
  // (docs/rules/orgs.md#organization_member).
  onMembershipEnded({
    label: 'Command filter rule',
    links: assetsCommandFilterRuleReviewer,
    person: assetsCommandFilterRuleReviewer.user_id,
    thing: assetsCommandFilterRuleReviewer.rule_id,
    orgId: assetsCommandFilterRule.org_id,
  })
  registerAssetRoutes(kernel)
  registerHostKeyRoutes(kernel)
  registerServerKeyRoutes(kernel)
  registerDestinationRoutes(kernel)
  registerNodeTree(kernel)
  registerNodeRoutes(kernel, assets)
  registerSystemUserRoutes(kernel, systemUsers, assets)
  registerTaskRoutes(kernel)
  registerAccountTests(kernel, accounts)
  registerFirstContact(kernel)
  registerTaskKinds()
  registerDuePushes(kernel)
  registerSingularPaths(kernel.app, 'assets', OLD_NAMES)
  scheduleCounts(kernel)
  kernel.jobs.work<{ task: string; org: string }>('assets.check_amounts', ({ task, org }) =>
    runTask(kernel, task, (log) => checkAssetAmounts(kernel, org, log)),
  )
  kernel.jobs.schedule(
    {
      name: 'assets.forget_typed_logins',
      cron: '*/5 * * * *',
      title: 'Forget typed logins that have expired',
      isEssential: true,
    },
    () => forgetTemporaryAuth(kernel),
  )
  onOrganizationSaved(keepRootNode)
  const organizations = await kernel.db.select().from(orgsListedOrganization)
  for (const { id, name } of organizations) await ensureRootNode(kernel.db, id, name)
}

/** Of an organisation that was saved; one function, however many servers a process has. */
async function keepRootNode(db: Database, { id, name }: { id: string; name: string }): Promise<void> {
  await ensureRootNode(db, id, name)
}
