import {
  type AccountBackupExecution,
  accountBackupExecution,
} from '@sallyport/contract/resources/accounts/account-backup-execution.ts'
import {
  type AccountBackupPlan,
  accountBackupPlan,
} from '@sallyport/contract/resources/accounts/account-backup-plan.ts'
import { ResourceTable } from '../../generic/list/ResourceTable.tsx'
import { definePages } from '../../generic/view/define-pages.ts'
import type { DetailProps } from '../../generic/view/detail-view.ts'
import { formatDuration } from '../../lib/format.ts'
import { msg } from '../../lib/i18n.ts'
import { resourcePlaces } from '../../navigation/page-place.ts'
import { addressOf } from '../../navigation/routes.ts'
import { runTask } from '../run-task.ts'
import { openTaskLog } from '../windows.ts'
import { planName } from './plans/execution-result.ts'
import { recipientsItem } from './Recipients.tsx'
import { RunState } from './RunState.tsx'
import { scheduleGroup } from './schedule-fields.ts'
import { scheduleColumn, scheduleItem } from './schedule-words.ts'

export const routes = [
  ...resourcePlaces('AccountBackupPlan', {
    menu: 'accounts',
    order: 50,
    path: '/accounts/backup',
    titles: {
      List: msg('Account backup'),
      Create: msg('Create backup plan'),
      Update: msg('Update backup plan'),
      Detail: msg('Backup plan detail'),
    },
  }),
  ...resourcePlaces('AccountBackupExecution', {
    menu: 'accounts',
    path: '/accounts/backup/plan-execution',
    active: '/accounts/backup',
    titles: { Detail: msg('Backup run') },
  }),
]

const backUp = (plan: string) => runTask(accountBackupExecution.path, { plan }).catch(() => {})

const planPages = definePages<AccountBackupPlan>(accountBackupPlan, {
  list: {
    lead: msg('Accounts with their secrets, by mail to those whom you name, each in a file that only they can open.'),
    none: msg('No backup plans yet'),
    columns: ['name', 'is_periodic', scheduleColumn, 'org_name', 'comment'],
    defaultColumns: ['name', 'periodic_display', 'comment'],
    minColumns: ['name'],
    hasImport: false,
    hasExport: false,
    hasSelection: false,
    canBulkDelete: false,
    rowActions: [{ name: 'execute', title: msg('Run@@action'), order: 5, run: ({ id }) => backUp(id) }],
  },
  form: {
    groups: [
      { title: msg('Basic'), fields: ['name', { name: 'types', widget: 'choice-tree' }] },
      {
        title: msg('Recipients'),
        lead: msg(
          'Each gets the accounts with their secrets by mail, in a file under their own file encryption password. Anyone who has not set one is asked to.',
        ),
        fields: ['recipients'],
      },
      scheduleGroup,
      { title: msg('Other'), fields: ['comment'] },
    ],
  },
  detail: {
    fields: ['name', 'types', 'recipients', scheduleItem, 'date_created', 'date_updated', 'comment'],
    primary: { name: 'execute', title: msg('Run@@action'), run: ({ id }) => backUp(id) },
    tabs: [{ name: 'AccountBackupPlanExecutionList', title: msg('Runs@@list'), component: Executions }],
  },
})

const seconds = ({ timedelta }: Pick<AccountBackupExecution, 'timedelta'>) =>
  timedelta === null ? '' : formatDuration(timedelta)

const executionPages = definePages<AccountBackupExecution>(accountBackupExecution, {
  list: {
    columns: [
      'date_start',
      {
        field: 'is_success',
        width: 128,
        cell: ({ row }) => <RunState isOver={row.timedelta !== null} isGood={row.is_success} />,
      },
      { field: 'timedelta', width: 112, cell: ({ row }) => seconds(row) },
      { field: 'trigger', cell: ({ row }) => row.trigger_display },
      { field: 'reason', sorter: false },
    ],
    linkColumn: 'date_start',
    refetchInterval: 5000,
    rowActions: [{ name: 'log', title: msg('Log'), run: ({ id }) => openTaskLog(id) }],
  },
  detail: {
    fields: [
      'date_start',
      { field: 'timedelta', render: seconds },
      { field: 'is_success', render: (row) => <RunState isOver={row.timedelta !== null} isGood={row.is_success} /> },
      'reason',
      'trigger',
      recipientsItem,
    ],
  },
  rowTitle: planName,
  home: () => addressOf('AccountBackupPlanList') ?? '/',
})

function Executions({ row }: DetailProps<AccountBackupPlan>) {
  return (
    <ResourceTable pages={executionPages} base="AccountBackupExecution" inAddress={false} query={{ plan_id: row.id }} />
  )
}

export const pages = { AccountBackupPlan: planPages, AccountBackupExecution: executionPages }
