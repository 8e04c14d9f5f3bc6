import { countLink, tabOf } from '../../generic/cells/count-link.tsx'
import { tickCell } from '../../generic/cells/tick-cell.tsx'
import type { ColumnView } from '../../generic/view/list-view.ts'
import { msg } from '../../lib/i18n.ts'

interface Amount {
  field: string
  /** Marked with `msg`. */
  title: string
  /** Address of the permission's page, where they are listed. */
  tab: string
}

const columnsOf = (page: string, amounts: readonly Amount[]): readonly ColumnView[] =>
  amounts.map(({ tab, ...column }) => ({ ...column, cell: countLink(tabOf(page, tab)), align: 'right' }))

/** How many people, groups, assets, nodes and system users a permission names. */
export const amountColumns = columnsOf('AssetPermissionDetail', [
  { field: 'users_amount', title: msg('Users@@field'), tab: 'AssetPermissionUser' },
  { field: 'user_groups_amount', title: msg('User groups@@card'), tab: 'AssetPermissionUser' },
  { field: 'assets_amount', title: msg('Assets@@field'), tab: 'AssetPermissionAsset' },
  { field: 'nodes_amount', title: msg('Nodes'), tab: 'AssetPermissionAsset' },
  { field: 'system_users_amount', title: msg('System users@@field'), tab: 'AssetPermissionAsset' },
])

/** The same of a permission on applications. */
export const applicationAmountColumns = columnsOf('ApplicationPermissionDetail', [
  { field: 'users_amount', title: msg('Users@@field'), tab: 'ApplicationPermissionUser' },
  { field: 'user_groups_amount', title: msg('User groups@@card'), tab: 'ApplicationPermissionUser' },
  { field: 'applications_amount', title: msg('Apps@@field'), tab: 'ApplicationsPermission' },
  { field: 'system_users_amount', title: msg('System users@@field'), tab: 'ApplicationsPermission' },
])

/** What follows in the list of permissions of any family. */
export const COMMON_COLUMNS: readonly (string | ColumnView)[] = [
  'date_expired',
  { field: 'is_expired', cell: tickCell },
  'is_active',
  { field: 'from_ticket', cell: tickCell },
  'created_by',
  'date_created',
  'comment',
  'org_name',
]
