import { type Adhoc, adhoc } from '@sallyport/contract/resources/ops/adhoc.ts'
import type { RunCounts } from '@sallyport/contract/resources/ops/adhoc-execution.ts'
import { type Task, task } from '@sallyport/contract/resources/ops/task.ts'
import { showError } from '../../design/dialogs/feedback.tsx'
import { countCell } from '../../generic/cells/cells.tsx'
import { ResourceTable } from '../../generic/list/ResourceTable.tsx'
import { definePages } from '../../generic/view/define-pages.ts'
import type { DetailProps } from '../../generic/view/detail-view.ts'
import { api } from '../../lib/api.ts'
import { formatDate, formatNumber } from '../../lib/format.ts'
import { msg, t } from '../../lib/i18n.ts'
import { resourcePlaces } from '../../navigation/page-place.ts'
import { addressOf } from '../../navigation/routes.ts'
import { openTaskLog } from '../windows.ts'
import { executionTable } from './execution-table.tsx'
import { runActions } from './run-actions.ts'
import {
  Counted,
  latestOf,
  latestRunItems,
  OutputLink,
  RunCards,
  RunStatus,
  runState,
  secondsOf,
} from './run-facts.tsx'
import { StepList } from './StepList.tsx'

export const routes = resourcePlaces('Task', {
  menu: 'ops',
  order: 10,
  path: '/ops/tasks',
  titles: { List: msg('Tasks'), Detail: msg('Task detail') },
})

const countsOf = (row: Task) => row.summary as unknown as RunCounts

async function run({ id }: Task): Promise<void> {
  const { task: started, error } = await api.get<{ task?: string; error?: string }>(`${task.path}${id}/run/`)
  if (started) openTaskLog(started)
  else showError(error ?? t('Failed'))
}

/** Work of the server on machines, and its last result (A2.44). */
const taskPages = definePages<Task>(task, {
  list: {
    columns: [
      { field: 'name', cell: ({ row }) => row.display_name },
      {
        field: 'runtimes',
        title: msg('Runs@@counted'),
        tip: msg('Successful, failed and all runs'),
        width: 112,
        cell: ({ row }) => <Counted {...countsOf(row)} />,
      },
      {
        field: 'host_amount',
        title: msg('Assets@@amount'),
        width: 88,
        align: 'right',
        cell: ({ row }) => formatNumber(Number(latestOf(row)?.hosts_amount ?? 0)),
      },
      {
        field: 'is_success',
        title: msg('Last run@@state'),
        width: 112,
        cell: ({ row }) => <RunStatus run={latestOf(row)} />,
      },
      {
        field: 'date_start',
        title: msg('Started'),
        width: 184,
        cell: ({ row }) => formatDate(latestOf(row)?.date_start),
      },
      { field: 'time', title: msg('Duration'), width: 96, align: 'right', cell: ({ row }) => secondsOf(latestOf(row)) },
    ],
    foldFirst: ['time', 'host_amount'],
    canCreate: false,
    canUpdate: false,
    canClone: false,
    hasExport: false,
    hideSearch: ['name'],
    rowActions: [{ name: 'run', title: msg('Run@@action'), order: 5, run: (row) => run(row).catch(() => {}) }],
  },
  rowTitle: (row) => row.display_name ?? row.name,
  detail: {
    states: (row) => [runState(latestOf(row))],
    primary: { name: 'run', title: msg('Run@@action'), run: (row) => run(row).catch(() => {}) },
    fields: [
      { field: 'name', render: (row) => row.display_name },
      { field: 'date_created' },
      { field: 'total', title: msg('Number of runs'), render: (row) => String(countsOf(row).total) },
      {
        field: 'latest',
        title: msg('Latest version'),
        render: (row) => String(latestOf(row)?.adhoc_short_id ?? ''),
        address: (row) => {
          const version = latestOf(row)?.adhoc
          return version ? addressOf('AdhocDetail', { id: String(version) }) : undefined
        },
      },
      ...latestRunItems,
      { field: 'contents', title: msg('Steps'), render: (row) => <StepList steps={row.contents} /> },
      { field: 'output', title: msg('Output of the last run'), render: (row) => <OutputLink run={latestOf(row)} /> },
    ],
    quickActions: runActions((row) => latestOf(row)),
    side: ({ row }) => <RunCards run={latestOf(row)} />,
    tabs: [
      { name: 'Versions', title: msg('Task versions'), component: Versions },
      { name: 'Executions', title: msg('Runs@@list'), component: Executions },
    ],
    canUpdate: false,
    canDelete: false,
  },
})

const versionPages = definePages<Adhoc>(adhoc, {
  list: {
    columns: [
      { field: 'short_id', title: msg('Version') },
      { field: 'hosts', title: msg('Assets@@amount'), width: 88, align: 'right', cell: countCell },
      { field: 'pattern', width: 120 },
      { field: 'run_as', cell: ({ row }) => (row.run_as_admin ? t('Admin user') : row.run_as) },
      'become_display',
      'date_created',
    ],
    linkColumn: 'short_id',
    hasSearch: false,
    hideSearch: ['task'],
    canDelete: false,
    canBulkDelete: false,
    hasSelection: false,
  },
})

function Versions({ row }: DetailProps<Task>) {
  return <ResourceTable pages={versionPages} base="Adhoc" inAddress={false} query={{ task: row.id }} />
}

function Executions({ row }: DetailProps<Task>) {
  return <ResourceTable pages={executionTable} base="AdhocExecution" inAddress={false} query={{ task: row.id }} />
}

export const pages = { Task: taskPages }
