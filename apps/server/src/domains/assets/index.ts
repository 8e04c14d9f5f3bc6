import { asset } from '@sallyport/contract/resources/assets/asset.ts'
import { ne } from 'drizzle-orm'
import type { Database } from '../../kernel/database/database.ts'
import { registerSingularPaths } from '../../kernel/http/singular-paths.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { mountedResource } from '../../kernel/resource/registry.ts'
import { onOrganizationSaved, organizationsHold, orgsListedOrganization } from '../orgs/index.ts'
import { registerAssetRoutes } from './asset-routes.ts'
import { registerAuthorities } from './authorities/index.ts'
import { registerNetworks } from './networks/index.ts'
import { registerAmountCheck } from './nodes/counts.ts'
import { registerNodeRoutes } from './nodes/node-routes.ts'
import { registerNodeTree } from './nodes/node-tree.ts'
import { ensureRootNode } from './nodes/tree.ts'
import { assetsAsset, assetsLabel, assetsNode } from './tables.ts'

export { domainApplications } from './application-counts.ts'
export { assetAccounts, type WritingAsset, type WrittenAsset } from './asset-accounts.ts'
export { belowNode, nodeFilters } from './asset-filters.ts'
export { protocolErrors } from './asset-rules.ts'
export { type Destinations, destinationsIn, isConfirmed } from './destination.ts'
export { deviceOf, devicesAmong } from './device.ts'
export { getAsset } from './get-asset.ts'
export {
  adminUsersOf,
  clearAdminUsers,
  type Facts,
  lastTestOf,
  loadMachine,
  storeConnectivity,
  storeFacts,
  type TargetAsset,
  type TargetPlatform,
} from './machine.ts'
export { lastShownKey } from './networks/host-key.ts'
export { assetAmounts, assetCount, ensureRootNode, findNode, lockPlacements, subtreeIds } from './nodes/tree.ts'
export { assetGrants } from './seen-by.ts'
export { type MachineDraft, type SyncedAsset, SyncedAssets } from './synced-assets.ts'
export type { Destination } from './tables.ts'
export { assetsAssetInNode, assetsListedAsset, assetsListedNode, assetsListedPlatform } from './views.ts'

/** Once named in the singular (docs/rules/api.md#old_addresses). */
const OLD_NAMES = ['domain', 'gateway'] as const

/** Registers routes and jobs; from here on every organization has a root node. */
export async function registerAssets(kernel: Kernel): Promise<void> {
  registerNetworks(kernel)
  registerAuthorities(kernel)
  organizationsHold(
    { field: 'assets_amount', label: 'Asset', from: assetsAsset },
    { field: 'nodes_amount', label: 'Node', from: assetsNode, where: ne(assetsNode.parent_key, '') },
    { field: 'labels', label: 'Label', from: assetsLabel, uncounted: true },
  )
  registerAssetRoutes(kernel)
  registerNodeTree(kernel)
  registerNodeRoutes(kernel, mountedResource(kernel, asset, assetsAsset))
  registerSingularPaths(kernel.app, 'assets', OLD_NAMES)
  registerAmountCheck(kernel)
  onOrganizationSaved(keepRootNode)
  const organizations = await kernel.db.select().from(orgsListedOrganization)
  for (const { id, name } of organizations) await ensureRootNode(kernel.db, id, name)
}

/** For an organization that was saved; one function for all servers of a process. */
async function keepRootNode(db: Database, { id, name }: { id: string; name: string }): Promise<void> {
  await ensureRootNode(db, id, name)
}
