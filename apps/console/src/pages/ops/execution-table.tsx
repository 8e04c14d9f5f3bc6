import {
  type AdhocExecution,
  adhocExecution,
  type RunCounts,
} from '@sallyport/contract/resources/ops/adhoc-execution.ts'
import { definePages } from '../../generic/view/define-pages.ts'
import { msg } from '../../lib/i18n.ts'
import { Counted, Ratio, RunStatus, secondsOf } from './run-facts.tsx'

const countsOf = (row: AdhocExecution) => row.stat as unknown as RunCounts

/** The runs of a task, or of one version of it. */
export const executionTable = definePages<AdhocExecution>(adhocExecution, {
  list: {
    columns: [
      'date_start',
      {
        field: 'stat',
        title: msg('Assets@@results'),
        tip: msg('Successful, failed and all assets'),
        width: 112,
        cell: ({ row }) => <Counted {...countsOf(row)} />,
      },
      {
        field: 'ratio',
        title: msg('Ratio'),
        width: 88,
        align: 'right',
        cell: ({ row }) => <Ratio {...countsOf(row)} />,
      },
      { field: 'is_success', title: msg('State'), width: 112, cell: ({ row }) => <RunStatus run={row} /> },
      { field: 'timedelta', title: msg('Duration'), width: 96, align: 'right', cell: ({ row }) => secondsOf(row) },
      { field: 'adhoc_short_id', title: msg('Version'), width: 130 },
    ],
    linkColumn: 'date_start',
    hasSearch: false,
    hideSearch: ['task', 'adhoc', 'is_finished', 'is_success'],
    hasSelection: false,
  },
})
