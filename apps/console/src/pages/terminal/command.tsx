import { type Command, command } from '@sallyport/contract/resources/terminal/command.ts'
import { Link } from 'react-router'
import { PageFrame } from '../../app/PageFrame.tsx'
import type { PageProps } from '../../app/registry.ts'
import { addressOf } from '../../app/routes.ts'
import { type ColumnView, definePages } from '../../generic/define-pages.ts'
import { formatDate } from '../../lib/format.ts'
import { msg, t } from '../../lib/i18n.ts'
import { DatedTable } from '../DatedTable.tsx'
import { CommandCell } from './CommandCell.tsx'

const DAYS_BACK = 2

export const inputColumn: ColumnView<Command> = { field: 'input', cell: ({ row }) => <CommandCell row={row} /> }
export const timeColumn: ColumnView<Command> = {
  field: 'timestamp',
  title: msg('Datetime'),
  width: 176,
  // Seconds on the wire.
  cell: ({ value }) => formatDate(Number(value) * 1000),
}

const pages = definePages<Command>(command, {
  list: {
    columns: [
      inputColumn,
      {
        field: 'risk_level',
        width: 100,
        cell: ({ value, row }) => <span className={Number(value) > 0 ? 'danger' : ''}>{row.risk_level_display}</span>,
      },
      'user',
      'remote_addr',
      'asset',
      'system_user',
      {
        field: 'session',
        title: msg('Session@@field'),
        width: 80,
        align: 'center',
        cell: ({ value }) => {
          const detail = addressOf('SessionDetail', { id: String(value) })
          return detail ? <Link to={detail}>{t('Goto')}</Link> : null
        },
      },
      timeColumn,
    ],
    minColumns: ['input'],
    hideSearch: ['session'],
    defaultOrder: '-timestamp',
  },
})

/** Every command that was run, with what came back (spec A2.38). */
export function CommandList({ title }: PageProps) {
  return (
    <PageFrame title={title}>
      <DatedTable pages={pages} base="Command" inAddress daysBack={DAYS_BACK} />
    </PageFrame>
  )
}
