/** What other domains and the gateway may use of assets. */
export { acceptHostKey, checkHostKey, hostKeyFingerprint, type HostKeyScope, pinnedHostKeys, type SeenHostKey } from './host-key.ts'
export {
  assetsAccount, assetsAsset, assetsAssetNode, assetsCommandFilter, assetsCommandFilterAsset, assetsCommandFilterRule, assetsCommandFilterSystemUser,
  assetsCommandFilterUser, assetsCommandFilterUserGroup, assetsDomain, assetsFavoriteAsset, assetsGateway, assetsHostKey, assetsLabel, assetsLabelAsset, assetsNode, assetsPlatform,
  assetsSystemUser, assetsSystemUserGroup, assetsSystemUserNode, assetsSystemUserUser,
} from './tables.ts'
export { type Credentials, gatewaysOf, loadTarget, noteGatewayHealth, type Target, type TargetGateway } from './target.ts'
export { keepTemporaryAuth, takeTemporaryAuth, type TemporaryAuth } from './temporary-auth.ts'
export { assetAmounts, assetCount, ensureRootNode, findNode, getRootNode, type Node, nodesOf, subtreeIds } from './tree.ts'
