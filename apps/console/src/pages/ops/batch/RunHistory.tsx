import {
  type CommandExecution,
  commandExecution,
  type HostCounts,
  type HostState,
} from '@sallyport/contract/resources/ops/command-execution.ts'
import { useMemo } from 'react'
import { Link } from 'react-router'
import { Status } from '../../../design/Status.tsx'
import { ResourceTable } from '../../../generic/list/ResourceTable.tsx'
import { definePages } from '../../../generic/view/define-pages.ts'
import type { Query } from '../../../lib/api.ts'
import { msg, t } from '../../../lib/i18n.ts'
import styles from './batch-command.module.css'
import { stateWords, TONES } from './host-states.ts'

/** Each run leads to what became of it, in a tab of the same page. */
const pagesLeadingTo = (tab: string) =>
  definePages<CommandExecution>(commandExecution, {
    list: {
      none: msg('Nothing has been run yet'),
      columns: [
        {
          field: 'command',
          sorter: false,
          cell: ({ row }) => (
            <Link to={`?${new URLSearchParams({ activeTab: tab, run: row.id })}`}>
              {row.runbook_display || <code>{row.command}</code>}
            </Link>
          ),
        },
        {
          field: 'hosts_display',
          title: msg('Assets'),
          sorter: false,
          cell: ({ row: { hosts_display: names } }) => (
            <span title={names.join(', ')}>
              {names.length === 1 ? names[0] : t('{{count}} assets', { count: names.length })}
            </span>
          ),
        },
        {
          field: 'counts',
          title: msg('Result'),
          sorter: false,
          width: 220,
          cell: ({ row }) => <Counts counts={row.counts} />,
        },
        { field: 'run_as_display', title: msg('System user'), sorter: false },
        { field: 'on_behalf_of', sorter: false },
        'date_created',
      ],
      minColumns: ['command', 'date_created'],
      foldFirst: ['on_behalf_of', 'run_as_display'],
      hasActions: false,
      query: { fields_size: 'small' },
    },
  })

/** On how many machines it came to what. */
function Counts({ counts }: { counts: unknown }) {
  const known = counts as HostCounts
  return (Object.keys(TONES) as HostState[])
    .filter((state) => known[state])
    .map((state) => (
      <span key={state} className={styles.batchCount}>
        <Status tone={TONES[state]}>
          {stateWords(state)} {known[state]}
        </Status>
      </span>
    ))
}

interface RunHistoryProps {
  /** In which one run is shown. */
  tab: string
  inAddress?: boolean
  query?: Query
}

/** The person's runs, newest first; each leads to its result. */
export function RunHistory({ tab, inAddress = false, query = {} }: RunHistoryProps) {
  const pages = useMemo(() => pagesLeadingTo(tab), [tab])
  return <ResourceTable pages={pages} base="CommandExecution" inAddress={inAddress} query={query} />
}
