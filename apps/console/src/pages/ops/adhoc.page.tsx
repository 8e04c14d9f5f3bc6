import { type Adhoc, adhoc } from '@sallyport/contract/resources/ops/adhoc.ts'
import { ResourceTable } from '../../generic/list/ResourceTable.tsx'
import { definePages } from '../../generic/view/define-pages.ts'
import type { DetailProps } from '../../generic/view/detail-view.ts'
import { msg, t } from '../../lib/i18n.ts'
import { resourcePlaces } from '../../navigation/page-place.ts'
import { addressOf } from '../../navigation/routes.ts'
import { executionTable } from './execution-table.tsx'
import { runActions } from './run-actions.ts'
import { latestOf, latestRunItems, RunCards, runState } from './run-facts.tsx'
import { StepList } from './StepList.tsx'

export const routes = resourcePlaces('Adhoc', {
  menu: 'ops',
  path: '/ops/adhoc',
  active: '/ops/tasks',
  titles: { Detail: msg('Task version') },
})

function Runs({ row }: DetailProps<Adhoc>) {
  return <ResourceTable pages={executionTable} base="AdhocExecution" inAddress={false} query={{ adhoc: row.id }} />
}

/** A version of a task (A2.44): on which machines, with which steps, as whom. */
const adhocPages = definePages<Adhoc>(adhoc, {
  home: (row) => addressOf('TaskDetail', { id: String(row?.task) }) ?? '/ops/tasks',
  rowTitle: (row) => `${row.task_name} ${row.short_id}`,
  detail: {
    states: (row) => [runState(latestOf(row))],
    fields: [
      {
        field: 'task_name',
        title: msg('Task'),
        render: (row) => row.task_name,
        address: (row) => addressOf('TaskDetail', { id: String(row.task) }),
      },
      { field: 'hosts', title: msg('Number of assets'), render: (row) => String(row.hosts?.length ?? 0) },
      'pattern',
      {
        field: 'options',
        render: (row) =>
          String(row.options ?? '')
            .replace(/['{}]/g, '')
            .replaceAll(': ', '='),
      },
      { field: 'run_as', render: (row) => (row.run_as_admin ? t('Admin user') : row.run_as) },
      'become_display',
      'run_times',
      ...latestRunItems,
      { field: 'tasks', title: msg('Steps'), render: (row) => <StepList steps={row.tasks} /> },
    ],
    quickActions: runActions((row) => latestOf(row)),
    side: ({ row }) => <RunCards run={latestOf(row)} />,
    tabs: [{ name: 'Executions', title: msg('Runs@@list'), component: Runs }],
    canUpdate: false,
    canDelete: false,
  },
})

export const pages = { Adhoc: adhocPages }
