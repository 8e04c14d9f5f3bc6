import { Link } from 'react-router'
import type { CellProps, ColumnView } from '../../generic/view/list-view.ts'
import { msg } from '../../lib/i18n.ts'
import { addressOf } from '../../navigation/routes.ts'

/** An amount that leads to the tab where it is made up. */
function amountCell(tab: string) {
  return ({ value, row }: CellProps) => {
    const detail = addressOf('AssetPermissionDetail', { id: row.id })
    return detail ? <Link to={`${detail}?activeTab=${tab}`}>{String(value)}</Link> : String(value)
  }
}

/** How many people, groups, assets, nodes and system users a permission names. */
export const amountColumns: readonly ColumnView[] = [
  { field: 'users_amount', title: msg('Users@@field'), tab: 'AssetPermissionUser' },
  { field: 'user_groups_amount', title: msg('User groups@@card'), tab: 'AssetPermissionUser' },
  { field: 'assets_amount', title: msg('Assets@@field'), tab: 'AssetPermissionAsset' },
  { field: 'nodes_amount', title: msg('Nodes'), tab: 'AssetPermissionAsset' },
  { field: 'system_users_amount', title: msg('System users@@field'), tab: 'AssetPermissionAsset' },
].map(({ tab, ...column }) => ({ ...column, cell: amountCell(tab), align: 'center' as const }))
