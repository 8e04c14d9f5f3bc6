import { type Asset, asset } from '@sallyport/contract/resources/assets/asset.ts'
import { node } from '@sallyport/contract/resources/assets/node.ts'
import { platform } from '@sallyport/contract/resources/assets/platform.ts'
import { systemUser } from '@sallyport/contract/resources/assets/system-user.ts'
import { systemUserAssetRelation } from '@sallyport/contract/resources/assets/system-user-asset-relation.ts'
import { assetPermission } from '@sallyport/contract/resources/perms/asset-permission.ts'
import { showSuccess } from '../../design/dialogs/feedback.tsx'
import { tagsCell } from '../../generic/cells/cells.tsx'
import { askChange } from '../../generic/change-preview/ask-change.tsx'
import { bulkUpdate } from '../../generic/form/bulk-update.tsx'
import { NODE_TREE_KEYS } from '../../generic/tree/NodeTree.tsx'
import { definePages } from '../../generic/view/define-pages.ts'
import type { FormFieldView } from '../../generic/view/form-view.ts'
import { protocolsFault } from '../../generic/widgets/protocol-list.ts'
import { api } from '../../lib/api.ts'
import { msg, t } from '../../lib/i18n.ts'
import { resourcePlaces } from '../../navigation/page-place.ts'
import { addressOf, listOf } from '../../navigation/routes.ts'
import { inRootOrg, licenseValid } from '../../session/session.ts'
import { AssetAccounts } from '../accounts/AccountTabs.tsx'
import { activeAction } from '../active-action.ts'
import { bulkActive } from '../bulk-active.ts'
import { checkAccess } from '../check-access.ts'
import { connectivityCell, connectivityState } from '../connectivity-cell.tsx'
import { reachTab } from '../reach/Reach.tsx'
import { permissionsWith, sessionsWith } from '../related.ts'
import { activeState } from '../row-states.ts'
import { runTask } from '../run-task.ts'
import { SelectByName } from '../select-by-name.tsx'
import { openTerminal } from '../windows.ts'
import { AssetSide } from './AssetSide.tsx'
import { AssetSystemUsers } from './AssetSystemUsers.tsx'
import { AuthorizedUsers } from './AuthorizedUsers.tsx'
import { AssetTree, currentNodeQuery } from './asset-tree.tsx'
import { systemUserWords } from './system-user-words.ts'

export const routes = resourcePlaces('Asset', {
  menu: 'assets',
  order: 10,
  path: '/assets/assets',
  titles: {
    List: msg('Assets@@list'),
    Create: msg('Create asset'),
    Update: msg('Update asset'),
    Detail: msg('Asset detail'),
  },
})

const PATH = asset.path

const platformField: FormFieldView = { name: 'platform', widget: SelectByName, from: platform, initial: 'Linux' }
const protocolsField: FormFieldView = {
  name: 'protocols',
  widget: 'protocols',
  check: protocolsFault,
  help: msg('How the machine is reached, and on which port.'),
}
const adminUserField: FormFieldView = {
  name: 'admin_user',
  help: msg('The account that tests the connection and reads hardware facts.'),
  from: { path: systemUser.path, display: systemUserWords, query: { type: 'admin' } },
}

const facts = ['vendor', 'model', 'sn', 'cpu_model', 'cpu_count', 'cpu_cores', 'cpu_vcpus', 'memory', 'disk_total']

export const assetPages = definePages<Asset>(asset, {
  list: {
    columns: [
      'hostname',
      'ip',
      'public_ip',
      'admin_user_display',
      'protocols',
      'platform',
      'hardware_info',
      'model',
      'cpu_model',
      'cpu_cores',
      'cpu_count',
      'cpu_vcpus',
      'disk_info',
      'disk_total',
      'memory',
      'os',
      'os_arch',
      'os_version',
      'number',
      'vendor',
      'sn',
      'is_active',
      { field: 'connectivity', title: msg('Reachable'), width: 136, cell: connectivityCell },
      { field: 'labels_display', cell: tagsCell },
      'created_by',
      'date_created',
      'comment',
      'org_name',
    ],
    defaultColumns: ['hostname', 'ip', 'platform', 'protocols', 'connectivity'],
    minColumns: ['hostname', 'ip'],
    linkColumn: 'hostname',
    hideSearch: ['node', 'node_id'],
    leftTree: AssetTree,
    treeKeys: NODE_TREE_KEYS,
    query: currentNodeQuery,
    createQuery: (address) => ({ node: address.get('node_id') }),
    rowActions: [
      {
        name: 'more',
        title: msg('More details'),
        can: () => (inRootOrg() ? t('The root organization is read-only') : true),
        run: (row, { go }) => go(addressOf('AssetMoreInformationEdit', { id: row.id }) ?? ''),
      },
    ],
    bulkActions: [
      ...bulkActive(asset),
      bulkUpdate({
        bearsRights: true,
        path: PATH,
        fields: [platformField, protocolsField, 'domain', adminUserField, 'labels', 'comment'],
        initial: { platform: 'Linux', protocols: ['ssh/22'] },
        can: () => (inRootOrg() ? t('The root organization is read-only') : true),
      }),
      {
        name: 'remove-from-node',
        title: msg('Remove from node'),
        asks: true,
        can: () =>
          inRootOrg()
            ? t('The root organization is read-only')
            : new URLSearchParams(location.search).get('node_id')
              ? true
              : t('Choose a node in the tree first'),
        run: async (ids, _rows, { refresh }) => {
          const chosen = new URLSearchParams(location.search).get('node_id')
          const [address, body] = [`${node.path}${chosen}/assets/remove/`, { assets: ids }]
          const question = {
            title: t('Remove {{count|asset|assets}} from the node?', { count: ids.length }),
            okText: t('Remove'),
          }
          if (!(await askChange(question, { method: 'PUT', address, body }))) return
          await api.put(address, body)
          showSuccess(t('Removed from the node'))
          await refresh()
        },
      },
    ],
  },
  form: {
    groups: [
      {
        title: msg('Basic'),
        fields: ['hostname', { name: 'ip', label: msg('Address') }, platformField],
      },
      { title: msg('Protocols'), fields: [protocolsField] },
      { title: msg('Authentication'), fields: [adminUserField] },
      {
        title: msg('Node'),
        fields: [
          {
            name: 'nodes',
            widget: 'node-select',
            required: true,
            initial: ({ query }: { query: URLSearchParams }) => (query.get('node') ? [query.get('node')] : undefined),
          },
        ],
      },
      { title: msg('Network@@asset'), folded: true, fields: ['public_ip', 'domain'] },
      { title: msg('Label'), folded: true, fields: ['labels'] },
      { title: msg('Other'), folded: true, fields: [{ name: 'is_active', initial: true }, 'comment'] },
    ],
  },
  detail: {
    title: (row) => row.hostname,
    states: (row) => [activeState(row), connectivityState(row)],
    lead: (row) => [row.ip, row.platform, (row.protocols ?? []).join(', '), (row.nodes_display ?? []).join(', ')],
    primary: {
      name: 'connect',
      title: msg('Connect'),
      can: (row) => row.is_active || t('The asset is disabled'),
      run: (row) => openTerminal(row.id),
    },
    nextSteps: [
      {
        title: msg('Give it an account'),
        lead: msg('As whom people sign in to it, with a password or key that they never see.'),
        button: msg('Choose an account'),
        tab: 'SystemUserList',
        done: ({ id }) => ({ path: systemUserAssetRelation.path, query: { asset: id } }),
      },
      {
        title: msg('Test the connection'),
        lead: msg('Whether the machine is reached and lets its administrator in.'),
        button: msg('Start the test'),
        run: (row) => runTask(`${PATH}${row.id}/tasks/`, { action: 'test' }),
        done: ({ connectivity }) => connectivity === 'ok',
      },
      {
        title: msg('Let somebody in'),
        lead: msg('A permission says who may connect, as whom, and for how long.'),
        button: msg('Write a permission'),
        address: ({ id }) => listOf('AssetPermissionCreate', { asset: id }),
        done: ({ id }) => ({ path: assetPermission.path, query: { asset_id: id } }),
      },
    ],
    fields: [
      { field: 'hostname', copy: true },
      { field: 'ip', copy: true },
      { field: 'public_ip', copy: true },
      { field: 'protocols', render: (row) => (row.protocols ?? []).join(', ') },
      'platform',
      {
        field: 'domain',
        render: (row) => row.domain_display,
        address: (row) => (row.domain ? addressOf('DomainDetail', { id: row.domain }) : undefined),
      },
      {
        field: 'admin_user',
        render: (row) => row.admin_user_display,
        address: (row) => (row.admin_user ? addressOf('SystemUserDetail', { id: row.admin_user }) : undefined),
      },
      'date_verified',
      'comment',
    ],
    groups: [
      {
        title: msg('Hardware'),
        fields: [
          'vendor',
          'model',
          'sn',
          'number',
          'cpu_model',
          'memory',
          { field: 'disk_info', render: (row) => disks(row.disk_info) },
        ],
      },
      { title: msg('Operating system'), fields: ['os', 'os_version', 'os_arch'] },
    ],
    quickActions: [
      activeAction({ path: PATH, asksFor: (row) => row.hostname }),
      {
        name: 'refresh',
        title: msg('Refresh hardware'),
        button: msg('Refresh'),
        run: (row) => runTask(`${PATH}${row.id}/tasks/`, { action: 'refresh' }),
      },
      {
        name: 'test',
        title: msg('Test connectivity'),
        button: msg('Test'),
        run: (row) => runTask(`${PATH}${row.id}/tasks/`, { action: 'test' }),
      },
      checkAccess('asset'),
    ],
    side: AssetSide,
    related: ({ id }) => [
      permissionsWith({ asset_id: id }),
      sessionsWith({ asset_id: id }, ({ user, system_user }) => `${user} → ${system_user}`),
    ],
    tabs: [
      { name: 'Account', title: msg('Accounts'), component: AssetAccounts, has: licenseValid },
      { name: 'SystemUserList', title: msg('System users@@field'), component: AssetSystemUsers },
      { name: 'PermUserList', title: msg('Authorized users'), component: AuthorizedUsers },
      { name: 'AssetReach', title: msg('Who can reach it'), component: reachTab('asset') },
    ],
  },
})

/** Facts of an asset that only inventories need. */
export const assetMorePages = definePages<Asset>(asset, {
  form: {
    groups: [
      { title: msg('Basic'), fields: ['hostname', { name: 'ip', label: msg('Address') }, platformField, 'number'] },
      { title: msg('Hardware'), fields: facts },
      { title: msg('Operating system'), fields: ['os', 'os_version', 'os_arch'] },
    ],
    method: 'PATCH',
  },
})

/** `{"sda": "40.00 GB"}` as words. */
function disks(value: string | null | undefined): string {
  if (!value) return ''
  try {
    return Object.entries(JSON.parse(value) as Record<string, string>)
      .map(([name, size]) => `${name}: ${size}`)
      .join(', ')
  } catch {
    return value
  }
}

export const pages = { Asset: assetPages }
