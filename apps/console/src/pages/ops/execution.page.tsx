import { type AdhocExecution, adhocExecution } from '@sallyport/contract/resources/ops/adhoc-execution.ts'
import { definePages } from '../../generic/view/define-pages.ts'
import { msg } from '../../lib/i18n.ts'
import { resourcePlaces } from '../../navigation/page-place.ts'
import { addressOf } from '../../navigation/routes.ts'
import { runActions } from './run-actions.ts'
import { OutputLink, RunCards, runState, secondsOf } from './run-facts.tsx'

export const routes = resourcePlaces('AdhocExecution', {
  menu: 'ops',
  path: '/ops/executions',
  active: '/ops/tasks',
  titles: { Detail: msg('Run@@one') },
})

/** The task's name as it was, without the organization behind it. */
const nameOf = ({ task_display }: AdhocExecution) => String(task_display ?? '').replace(/@[^@]*$/, '')

/** One run of a task (A2.44). */
const executionPages = definePages<AdhocExecution>(adhocExecution, {
  home: () => '/ops/tasks',
  rowTitle: nameOf,
  detail: {
    states: (row) => [runState(row)],
    fields: [
      {
        field: 'task_display',
        title: msg('Task name'),
        render: nameOf,
        address: (row) => (row.task ? addressOf('TaskDetail', { id: row.task }) : undefined),
      },
      {
        field: 'adhoc_short_id',
        title: msg('Version'),
        render: (row) => row.adhoc_short_id,
        address: (row) => (row.adhoc ? addressOf('AdhocDetail', { id: row.adhoc }) : undefined),
      },
      'hosts_amount',
      'date_start',
      { field: 'timedelta', title: msg('Duration'), render: secondsOf },
      'is_finished',
      'is_success',
      { field: 'output', title: msg('Output'), render: (row) => <OutputLink run={row} /> },
    ],
    quickActions: runActions((row) => row),
    side: ({ row }) => <RunCards run={row} />,
    canUpdate: false,
    canDelete: false,
  },
})

export const pages = { AdhocExecution: executionPages }
