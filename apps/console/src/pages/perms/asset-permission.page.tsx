import { systemUser } from '@sallyport/contract/resources/assets/system-user.ts'
import { type AssetPermission, assetPermission } from '@sallyport/contract/resources/perms/asset-permission.ts'
import { isEmpty } from '../../generic/form/check-field.ts'
import { NODE_TREE_KEYS, nodeTree } from '../../generic/tree/NodeTree.tsx'
import { definePages } from '../../generic/view/define-pages.ts'
import { msg, t } from '../../lib/i18n.ts'
import { resourcePlaces } from '../../navigation/page-place.ts'
import { activeAction } from '../active-action.ts'
import { systemUserWords } from '../assets/system-user-words.ts'
import { bulkActive } from '../bulk-active.ts'
import { checkAccess } from '../check-access.ts'
import { reachTab } from '../reach/Reach.tsx'
import { lifeStates } from '../row-states.ts'
import { SESSION_PROTOCOLS } from './fitting-system-users.ts'
import { AssetPermissionSummary } from './PermissionSummary.tsx'
import { amountColumns, COMMON_COLUMNS } from './permission-columns.tsx'
import { ASSET_PERMISSIONS } from './permission-family.ts'
import { fromQuery, HOW_LONG, OTHER, WHO } from './permission-form.ts'
import { AssetsTab, usersTab } from './permission-tabs.ts'

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
  // Singular, as existing links have it; the plural form leads here too (A2.32).
  paths: { Update: '/perms/asset-permission/:id/update' },
})

export const assetPermissionPages = definePages<AssetPermission>(assetPermission, {
  list: {
    columns: ['name', 'is_valid', ...amountColumns, ...COMMON_COLUMNS],
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
    bulkActions: bulkActive(assetPermission),
  },
  form: {
    groups: [
      { title: msg('Basic'), fields: ['name'] },
      WHO,
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
            initial: fromQuery('system_user'),
            from: { path: systemUser.path, display: systemUserWords, query: SESSION_PROTOCOLS },
            required: true,
          },
        ],
      },
      {
        title: msg('Action'),
        lead: msg('Actions@@permission'),
        fields: [{ name: 'actions', widget: 'permission-actions', initial: ['all'] }],
      },
      {
        title: msg('Port forwarding'),
        folded: true,
        fields: [
          { name: 'forwarding', initial: 'none' },
          {
            name: 'forwarding_destinations',
            visibleWhen: ({ forwarding }) => forwarding === 'listed',
            checkedWith: ['forwarding'],
            check: (destinations, { forwarding }) =>
              forwarding === 'listed' && isEmpty(destinations) ? t('Name at least one destination') : undefined,
          },
        ],
      },
      HOW_LONG,
      OTHER,
    ],
  },
  detail: {
    states: (row) => lifeStates(row),
    top: AssetPermissionSummary,
    fields: ['date_start', 'date_expired', 'from_ticket', 'comment'],
    quickActions: [activeAction({ path: assetPermission.path, asksFor: (row) => row.name }), checkAccess('permission')],
    tabs: [
      {
        name: 'AssetPermissionUser',
        title: msg('Users and user groups'),
        component: usersTab(ASSET_PERMISSIONS),
      },
      { name: 'AssetPermissionAsset', title: msg('Assets and nodes'), component: AssetsTab },
      { name: 'AssetPermissionReach', title: msg('Within reach'), component: reachTab('permission') },
    ],
  },
})

export const pages = { AssetPermission: assetPermissionPages }
