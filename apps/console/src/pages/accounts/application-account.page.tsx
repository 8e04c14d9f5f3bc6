import { msg } from '../../lib/i18n.ts'
import { resourcePlaces } from '../../navigation/page-place.ts'
import { APPLICATION_TREE_KEYS, ApplicationTree } from '../ApplicationTree.tsx'
import { applicationAccountPages } from './application-account-pages.tsx'

export const routes = resourcePlaces('ApplicationAccount', {
  menu: 'accounts',
  order: 20,
  path: '/accounts/application-accounts',
  titles: { List: msg('Application accounts') },
})

export const pages = {
  ApplicationAccount: applicationAccountPages({
    leftTree: ApplicationTree,
    treeKeys: APPLICATION_TREE_KEYS,
  }),
}
