import { systemUser } from '@sallyport/contract/resources/assets/system-user.ts'
import { type AssetPermission, assetPermission } from '@sallyport/contract/resources/perms/asset-permission.ts'
import { isEmpty } from '../../generic/form/check-field.ts'
import { NODE_TREE_KEYS, nodeTree } from '../../generic/tree/NodeTree.tsx'
import { definePages } from '../../generic/view/define-pages.ts'
import type { FormContext } from '../../generic/view/form-view.ts'
import { msg, t } from '../../lib/i18n.ts'
import { resourcePlaces } from '../../navigation/page-place.ts'
import { activeAction } from '../active-action.ts'
import { systemUserWords } from '../assets/system-user-words.ts'
import { bulkActive } from '../bulk-active.ts'
import { addDays } from '../date-range.ts'
import { activeState, validityState } from '../row-states.ts'
import { tickCell } from '../tick-cell.tsx'
import { amountColumns } from './amount-columns.tsx'
import { PermissionAssets } from './PermissionAssets.tsx'
import { PermissionSummary } from './PermissionSummary.tsx'
import { PermissionUsers } from './PermissionUsers.tsx'

export const routes = resourcePlaces('AssetPermission', {
  menu: 'perms',
  order: 10,
  path: '/perms/asset-permissions',
  titles: {
    List: msg('Asset permissions'),
    Create: msg('Create asset permission'),
    Update: msg('Update asset permission'),
    Detail: msg('Asset permission detail'),
  },
  // Singular, as existing links have it; the plural form leads here too (spec A2.32).
  paths: { Update: '/perms/asset-permission/:id/update' },
})

const VALID_DAYS = 36_500

const fromQuery =
  (key: string) =>
  ({ query }: FormContext) => {
    const id = query.get(key)
    return id ? [id] : undefined
  }

const SCREEN_PROTOCOLS = { protocol__in: 'rdp,ssh,vnc,telnet' }

export const assetPermissionPages = definePages<AssetPermission>(assetPermission, {
  list: {
    columns: [
      'name',
      'is_valid',
      ...amountColumns,
      'date_expired',
      { field: 'is_expired', cell: tickCell },
      'is_active',
      { field: 'from_ticket', cell: tickCell },
      'created_by',
      'date_created',
      'comment',
      'org_name',
    ],
    defaultColumns: [
      'name',
      'users_amount',
      'user_groups_amount',
      'assets_amount',
      'nodes_amount',
      'system_users_amount',
      'is_valid',
    ],
    foldFirst: ['nodes_amount', 'user_groups_amount'],
    leftTree: nodeTree({ assets: true, readOnly: true }),
    treeKeys: NODE_TREE_KEYS,
    createQuery: (address) => ({ node: address.get('node_id'), asset: address.get('asset_id') }),
    bulkActions: bulkActive(assetPermission.path),
  },
  form: {
    groups: [
      { title: msg('Basic'), fields: ['name'] },
      {
        title: msg('User'),
        lead: msg('Who may connect'),
        fields: [
          {
            name: 'users',
            from: {
              path: '/api/v1/users/users/',
              display: '{name}({username})',
              query: { fields_size: 'mini', order: 'name' },
            },
          },
          'user_groups',
        ],
      },
      {
        title: msg('Asset'),
        lead: msg('To which machines, and with which account'),
        fields: [
          {
            name: 'assets',
            initial: fromQuery('asset'),
            checkedWith: ['nodes'],
            check: (assets, { nodes }) =>
              isEmpty(assets) && isEmpty(nodes) ? t('Select at least one asset or node') : undefined,
          },
          { name: 'nodes', widget: 'node-select', initial: fromQuery('node') },
          {
            name: 'system_users',
            from: { path: systemUser.path, display: systemUserWords, query: SCREEN_PROTOCOLS },
            required: true,
          },
        ],
      },
      {
        title: msg('Action'),
        lead: msg('What they may do there'),
        fields: [{ name: 'actions', widget: 'permission-actions', initial: ['all'] }],
      },
      {
        title: msg('How long'),
        fields: [
          { name: 'date_start', initial: () => new Date().toISOString() },
          { name: 'date_expired', initial: () => addDays(new Date(), VALID_DAYS).toISOString() },
        ],
      },
      { title: msg('Other'), folded: true, fields: [{ name: 'is_active', initial: true }, 'comment'] },
    ],
  },
  detail: {
    states: (row) => [activeState(row), validityState(row)],
    top: PermissionSummary,
    fields: ['date_start', 'date_expired', 'from_ticket', 'comment'],
    quickActions: [activeAction(assetPermission.path)],
    tabs: [
      { name: 'AssetPermissionUser', title: msg('Users and user groups'), component: PermissionUsers },
      { name: 'AssetPermissionAsset', title: msg('Assets and nodes'), component: PermissionAssets },
    ],
  },
})

export const pages = { AssetPermission: assetPermissionPages }
