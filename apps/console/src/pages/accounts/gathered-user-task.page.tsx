import { type GatheredUserTask, gatheredUserTask } from '@sallyport/contract/resources/accounts/gathered-user-task.ts'
import {
  type GatheredUserTaskExecution,
  gatheredUserTaskExecution,
} from '@sallyport/contract/resources/accounts/gathered-user-task-execution.ts'
import { countCell } from '../../generic/cells/cells.tsx'
import { countLink, tabOf } from '../../generic/cells/count-link.tsx'
import { ResourceTable } from '../../generic/list/ResourceTable.tsx'
import { definePages } from '../../generic/view/define-pages.ts'
import type { DetailProps } from '../../generic/view/detail-view.ts'
import { formatDuration } from '../../lib/format.ts'
import { msg } from '../../lib/i18n.ts'
import { resourcePlaces } from '../../navigation/page-place.ts'
import { addressOf } from '../../navigation/routes.ts'
import { runTask } from '../run-task.ts'
import { openTaskLog } from '../windows.ts'
import { RunState } from './RunState.tsx'
import { scheduleGroup } from './schedule-fields.ts'
import { scheduleColumn, scheduleItem } from './schedule-words.ts'

export const routes = resourcePlaces('GatherUserTask', {
  menu: 'accounts',
  path: '/accounts/gathered-user/tasks',
  active: '/accounts/gathered-user',
  titles: {
    Create: msg('Create gather task'),
    Update: msg('Update gather task'),
    Detail: msg('Gather task detail'),
  },
})

const taskTab = () => `${addressOf('GatherUserList') ?? '/'}?activeTab=GatherUserTaskList`
const gather = (task: string) => runTask(gatheredUserTaskExecution.path, { task }).catch(() => {})

export const gatherTaskPages = definePages<GatheredUserTask>(gatheredUserTask, {
  list: {
    columns: [
      'name',
      { field: 'nodes', width: 96, align: 'right', cell: countCell },
      'is_periodic',
      scheduleColumn,
      {
        field: 'executed_times',
        width: 96,
        cell: countLink(tabOf('GatherUserTaskDetail', 'TaskExecutionList')),
        sorter: false,
      },
      'date_last_sync',
      'comment',
    ],
    defaultColumns: ['name', 'nodes', 'periodic_display', 'executed_times', 'date_last_sync'],
    hasSelection: false,
    canBulkDelete: false,
    rowActions: [{ name: 'execute', title: msg('Run@@action'), order: 5, run: ({ id }) => gather(id) }],
  },
  form: {
    groups: [
      { title: msg('Basic'), fields: ['name', 'nodes'] },
      scheduleGroup,
      { title: msg('Other'), fields: ['comment'] },
    ],
    next: taskTab,
    saveAndContinue: false,
  },
  detail: {
    fields: ['name', scheduleItem, 'date_last_sync', 'date_created', 'comment'],
    primary: { name: 'execute', title: msg('Run@@action'), run: ({ id }) => gather(id) },
    tabs: [{ name: 'TaskExecutionList', title: msg('Runs@@list'), component: Executions }],
  },
  home: taskTab,
})

const executionPages = definePages<GatheredUserTaskExecution>(gatheredUserTaskExecution, {
  list: {
    columns: [
      'date_start',
      {
        field: 'success',
        width: 128,
        cell: ({ row }) => <RunState isOver={row.timedelta !== null} isGood={row.success} />,
      },
      {
        field: 'timedelta',
        width: 96,
        cell: ({ row }) => (row.timedelta === null ? '' : formatDuration(row.timedelta)),
      },
      { field: 'assets_amount', width: 88 },
      { field: 'failed_amount', width: 120 },
      { field: 'new_amount', width: 120 },
      { field: 'changed_amount', width: 120 },
      { field: 'vanished_amount', width: 120 },
      { field: 'reason', sorter: false },
    ],
    linkColumn: 'date_start',
    foldFirst: ['changed_amount', 'new_amount', 'timedelta'],
    refetchInterval: 5000,
    hideSearch: ['task'],
    rowActions: [{ name: 'log', title: msg('Log'), run: ({ id }) => openTaskLog(id) }],
  },
})

function Executions({ row }: DetailProps<GatheredUserTask>) {
  return <ResourceTable pages={executionPages} base="GatherUserExecution" inAddress={false} query={{ task: row.id }} />
}

export const pages = { GatherUserTask: gatherTaskPages }
