import { type Command, command } from '@sallyport/contract/resources/terminal/command.ts'
import type { Session } from '@sallyport/contract/resources/terminal/session.ts'
import { useMemo } from 'react'
import { ResourceTable } from '../../generic/list/ResourceTable.tsx'
import { definePages } from '../../generic/view/define-pages.ts'
import type { DetailProps } from '../../generic/view/detail-view.ts'
import { formatDuration, parseDate } from '../../lib/format.ts'
import { msg } from '../../lib/i18n.ts'
import { decidedColumns, inputColumn, timeColumn } from './command.page.tsx'
import { isOfStatements } from './statement-session.ts'

/** In one session they say nothing. */
const SAME_FOR_ALL = ['session', 'user', 'asset', 'system_user']
/** How soon somebody who looks on sees what has run. */
const WATCH_MS = 2000

const commandPages = definePages<Command>(command, {
  list: {
    columns: [inputColumn, ...decidedColumns, timeColumn],
    hideSearch: SAME_FOR_ALL,
    defaultOrder: 'timestamp',
  },
})

/** The statements of a session in time, each with what came of it; the newest first while more come. */
const statementPages = (start: number, isRunning: boolean) =>
  definePages<Command>(command, {
    list: {
      columns: [
        {
          field: 'after',
          title: msg('After@@session'),
          sorter: false,
          width: 88,
          cell: ({ row }) => formatDuration(Math.max(0, Number(row.timestamp) - start)),
        },
        inputColumn,
        'database',
        {
          field: 'milliseconds',
          title: msg('Duration@@command'),
          sorter: false,
          width: 96,
          cell: ({ value }) => (typeof value === 'number' ? formatMilliseconds(value) : ''),
        },
        { field: 'rows', sorter: false, width: 80 },
        ...decidedColumns,
        timeColumn,
      ],
      minColumns: ['input'],
      foldFirst: ['ticket', 'rule_filter', 'database'],
      hideSearch: SAME_FOR_ALL,
      defaultOrder: isRunning ? '-timestamp' : 'timestamp',
      ...(isRunning ? { refetchInterval: WATCH_MS } : {}),
    },
  })

const formatMilliseconds = (value: number): string =>
  value < 1000 ? `${value < 10 ? value.toFixed(1) : Math.round(value)} ms` : formatDuration(value / 1000)

/** The commands of a session, in order. */
export function SessionCommands({ row }: DetailProps<Session>) {
  const start = (parseDate(row.date_start)?.getTime() ?? 0) / 1000
  const isRunning = !row.is_finished
  const pages = useMemo(
    () => (isOfStatements(row) ? statementPages(start, isRunning) : commandPages),
    [row, start, isRunning],
  )
  return <ResourceTable pages={pages} base="SessionCommand" inAddress={false} query={{ session_id: row.id }} />
}
