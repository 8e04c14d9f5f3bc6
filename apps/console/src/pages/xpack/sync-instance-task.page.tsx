import { cloudAccount } from '@sallyport/contract/resources/cloud/cloud-account.ts'
import { type SyncInstanceTask, syncInstanceTask } from '@sallyport/contract/resources/cloud/sync-instance-task.ts'
import { Named } from '../../design/Named.tsx'
import { countLink, tabOf } from '../../generic/cells/count-link.tsx'
import { definePages } from '../../generic/view/define-pages.ts'
import type { FormValues } from '../../generic/view/form-view.ts'
import { protocolsFault } from '../../generic/widgets/protocol-list.ts'
import { api } from '../../lib/api.ts'
import { msg } from '../../lib/i18n.ts'
import { resourcePlaces } from '../../navigation/page-place.ts'
import { addressOf } from '../../navigation/routes.ts'
import { scheduleGroup } from '../accounts/schedule-fields.ts'
import { scheduleColumn, scheduleItem, scheduleWords } from '../accounts/schedule-words.ts'
import { openTaskLog } from '../windows.ts'
import { RegionSelect } from './RegionSelect.tsx'
import { SyncHistory } from './SyncHistory.tsx'
import { SyncInstances } from './SyncInstances.tsx'
import { SYNC_COUNTS } from './sync-counts.ts'

export const routes = resourcePlaces('SyncInstanceTask', {
  menu: 'xpack',
  license: true,
  path: '/xpack/cloud/sync-instance-tasks',
  active: '/xpack/cloud',
  titles: {
    Create: msg('Create cloud sync task'),
    Update: msg('Update cloud sync task'),
    Detail: msg('Cloud sync task detail'),
  },
})

const REGIONS = '/api/v1/xpack/cloud/regions/'
const tasks = () => `${addressOf('CloudCenter') ?? '/'}?activeTab=SyncInstanceTaskList`
const adminUsers = { path: '/api/v1/assets/admin-users/', display: '{name}({username})' }

const named = (text: string) => text && <Named text={text} />

/** Starts a run and opens its log. */
async function run({ id }: Pick<SyncInstanceTask, 'id'>): Promise<void> {
  try {
    const { task } = await api.get<{ task: string }>(`${syncInstanceTask.path}${id}/run/`)
    openTaskLog(task)
  } catch {
    // The call has told the person already.
  }
}

/** Which machines of clouds become assets (A2.58 A3.26). */
export const syncTaskPages = definePages<SyncInstanceTask>(syncInstanceTask, {
  list: {
    columns: [
      'name',
      { field: 'account_display', title: msg('Cloud account') },
      {
        field: 'history_count',
        width: 96,
        sorter: false,
        cell: countLink(tabOf('SyncInstanceTaskDetail', 'HistoryList')),
      },
      {
        field: 'instance_count',
        width: 112,
        sorter: false,
        cell: countLink(tabOf('SyncInstanceTaskDetail', 'AssetList')),
      },
      ...SYNC_COUNTS,
      scheduleColumn,
      'date_last_sync',
      'comment',
    ],
    canClone: false,
    canBulkDelete: false,
    hasSelection: false,
    rowActions: [{ name: 'execute', title: msg('Run@@action'), run }],
    none: msg('No sync tasks yet'),
  },
  form: {
    groups: [
      { title: msg('Basic'), fields: ['name'] },
      {
        title: msg('Machines at the cloud'),
        fields: [
          {
            name: 'account',
            from: { path: cloudAccount.path, display: '{name}' },
            // Regions of another account are others.
            onChange: () => ({ regions: [] }),
          },
          {
            name: 'regions',
            widget: RegionSelect,
            depends: ({ account }: FormValues) => ({
              from: { path: REGIONS, display: '{name}', query: { account_id: account as string | undefined } },
            }),
          },
          {
            name: 'ip_network_segment_group',
            widget: 'ip-group',
            placeholder: '*, 10.0.0.0/8, 192.168.1.1-192.168.1.20',
          },
        ],
      },
      {
        title: msg('Their assets'),
        fields: [
          { name: 'hostname_strategy', widget: 'radio' },
          { name: 'node', widget: 'reference' },
          { name: 'unix_admin_user', from: adminUsers },
          { name: 'windows_admin_user', from: adminUsers },
          { name: 'protocols', widget: 'protocols', check: protocolsFault },
          'is_always_update',
        ],
      },
      scheduleGroup,
      { title: msg('Other'), fields: ['comment'] },
    ],
    next: tasks,
    saveAndContinue: false,
  },
  detail: {
    lead: (row) => [row.account_display, row.node_display, scheduleWords(row)],
    primary: { name: 'execute', title: msg('Run@@action'), run },
    fields: [
      'name',
      {
        field: 'account',
        render: (row) => row.account_display,
        address: (row) => addressOf('CloudAccountDetail', { id: row.account }),
      },
      { field: 'regions', render: (row) => row.regions.join(', ') },
      'hostname_strategy',
      { field: 'node', render: (row) => row.node_display },
      { field: 'unix_admin_user', render: (row) => named(row.unix_admin_user_display) },
      { field: 'windows_admin_user', render: (row) => named(row.windows_admin_user_display) },
      { field: 'protocols', render: (row) => row.protocols.join(', ') },
      { field: 'ip_network_segment_group', render: (row) => row.ip_network_segment_group.join(', ') },
      'is_always_update',
      scheduleItem,
      'date_last_sync',
      'comment',
    ],
    tabs: [
      { name: 'HistoryList', title: msg('Runs@@list'), component: SyncHistory },
      { name: 'AssetList', title: msg('Instances@@cloud'), component: SyncInstances },
    ],
  },
  home: tasks,
})

export const pages = { SyncInstanceTask: syncTaskPages }
