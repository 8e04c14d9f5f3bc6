import {
  type ForwardedConnection,
  type ForwardedOutcome,
  forwardedConnection,
} from '@sallyport/contract/resources/terminal/forwarded-connection.ts'
import { Status, type Tone } from '../../design/Status.tsx'
import { definePages } from '../../generic/view/define-pages.ts'
import type { ColumnView } from '../../generic/view/list-view.ts'
import { msg, t } from '../../lib/i18n.ts'
import { PageFrame } from '../../navigation/PageFrame.tsx'
import { places } from '../../navigation/page-place.ts'
import { addressOf } from '../../navigation/routes.ts'
import { sizeText } from '../../terminal/files/folder/entries.ts'
import { DatedTable } from '../DatedTable.tsx'
import type { PageProps } from '../page-props.ts'

export const routes = places({
  name: 'ForwardedConnectionList',
  menu: 'audits',
  order: 35,
  title: msg('Forwarded connections'),
  path: '/audits/forwarded-connections',
})

const DAYS_BACK = 7
const TONES: Record<ForwardedOutcome, Tone> = {
  open: 'info',
  closed: 'good',
  ended: 'warning',
  refused: 'danger',
  failed: 'warning',
}

const size = (value: unknown) => (typeof value === 'number' ? sizeText(value) : '')

/** Where a connection led, what became of it, and how much went through. */
export const forwardedColumns: readonly (string | ColumnView<ForwardedConnection>)[] = [
  { field: 'destination', width: 220 },
  {
    field: 'outcome',
    width: 110,
    cell: ({ row }) => <Status tone={TONES[row.outcome as ForwardedOutcome]}>{row.outcome_display}</Status>,
  },
  'reason',
  { field: 'bytes_sent', title: msg('Sent@@bytes'), align: 'right', cell: ({ value }) => size(value) },
  {
    field: 'bytes_received',
    title: msg('Received@@bytes'),
    align: 'right',
    width: 110,
    cell: ({ value }) => size(value),
  },
  'date_start',
  'date_end',
]

const forwardedPages = definePages<ForwardedConnection>(forwardedConnection, {
  list: {
    columns: ['user', 'asset', 'system_user', ...forwardedColumns, 'remote_addr', 'on_behalf_of'],
    defaultColumns: ['user', 'asset', 'destination', 'outcome', 'bytes_received', 'date_start'],
    minColumns: ['user', 'destination'],
    foldFirst: ['bytes_received', 'bytes_sent', 'asset'],
    rowActions: [
      {
        name: 'session',
        title: msg('Session'),
        has: (row) => row.session_id !== null,
        run: (row, { go }) => go(addressOf('SessionDetail', { id: row.session_id ?? '' }) ?? ''),
      },
    ],
  },
})

/** Connections forwarded through SSH. */
export const ForwardedConnectionList = ({ title }: PageProps) => (
  <PageFrame
    title={title}
    lead={t('Where connections were forwarded to through SSH, and where not. Their content is not recorded.')}
  >
    <DatedTable pages={forwardedPages} base="ForwardedConnection" inAddress daysBack={DAYS_BACK} />
  </PageFrame>
)

export const pages = { ForwardedConnectionList }
