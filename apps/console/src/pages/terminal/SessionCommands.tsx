import { type Command, command } from '@sallyport/contract/resources/terminal/command.ts'
import type { Session } from '@sallyport/contract/resources/terminal/session.ts'
import { ResourceTable } from '../../generic/list/ResourceTable.tsx'
import { definePages } from '../../generic/view/define-pages.ts'
import type { DetailProps } from '../../generic/view/detail-view.ts'
import { decidedColumns, inputColumn, timeColumn } from './command.page.tsx'

const pages = definePages<Command>(command, {
  list: { columns: [inputColumn, ...decidedColumns, timeColumn], hasSearch: false, defaultOrder: 'timestamp' },
})

/** What was run in a session, in order. */
export function SessionCommands({ row }: DetailProps<Session>) {
  return <ResourceTable pages={pages} base="SessionCommand" inAddress={false} query={{ session_id: row.id }} />
}
