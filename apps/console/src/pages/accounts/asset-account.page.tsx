import { msg } from '../../lib/i18n.ts'
import { resourcePlaces } from '../../navigation/page-place.ts'
import { AccountNodeTree } from './AccountNodeTree.tsx'
import { assetAccountPages } from './asset-account-pages.tsx'

export const routes = resourcePlaces('AssetAccount', {
  menu: 'accounts',
  order: 10,
  path: '/accounts/asset-accounts',
  titles: { List: msg('Asset accounts') },
})

export const pages = {
  AssetAccount: assetAccountPages({ leftTree: AccountNodeTree, treeKeys: ['node', 'asset'] }),
}
