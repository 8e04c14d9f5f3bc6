import { countLink, tabOf } from '../../generic/cells/count-link.tsx'
import type { ColumnView } from '../../generic/view/list-view.ts'
import { msg } from '../../lib/i18n.ts'

/** How many people, groups, assets, nodes and system users a permission names. */
export const amountColumns: readonly ColumnView[] = [
  { field: 'users_amount', title: msg('Users@@field'), tab: 'AssetPermissionUser' },
  { field: 'user_groups_amount', title: msg('User groups@@card'), tab: 'AssetPermissionUser' },
  { field: 'assets_amount', title: msg('Assets@@field'), tab: 'AssetPermissionAsset' },
  { field: 'nodes_amount', title: msg('Nodes'), tab: 'AssetPermissionAsset' },
  { field: 'system_users_amount', title: msg('System users@@field'), tab: 'AssetPermissionAsset' },
].map(({ tab, ...column }) => ({
  ...column,
  cell: countLink(tabOf('AssetPermissionDetail', tab)),
  align: 'center' as const,
}))
