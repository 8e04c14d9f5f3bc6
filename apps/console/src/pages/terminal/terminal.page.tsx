import { PERMISSION } from '@sallyport/contract/access.ts'
import { commandStorage } from '@sallyport/contract/resources/terminal/command-storage.ts'
import { replayStorage } from '@sallyport/contract/resources/terminal/replay-storage.ts'
import { type Terminal, terminal } from '@sallyport/contract/resources/terminal/terminal.ts'
import { StateCell } from '../../generic/cells/StateCell.tsx'
import { definePages } from '../../generic/view/define-pages.ts'
import type { RowState } from '../../generic/view/detail-view.ts'
import type { ColumnView } from '../../generic/view/list-view.ts'
import { formatNumber } from '../../lib/format.ts'
import { msg, t } from '../../lib/i18n.ts'
import { resourcePlaces } from '../../navigation/page-place.ts'
import { addressOf } from '../../navigation/routes.ts'
import { SelectByName } from '../select-by-name.tsx'

export const routes = resourcePlaces('Terminal', {
  menu: 'terminal',
  order: 60,
  bits: PERMISSION.super,
  path: '/terminal/terminal',
  titles: { List: msg('Terminal@@menu'), Update: msg('Update terminal'), Detail: msg('Terminal detail') },
})

/** Figures of the last heartbeat; none from a component that is away. */
const FIGURES: readonly (readonly [string, string])[] = [
  ['cpu_load', msg('CPU load')],
  ['disk_used', msg('Disk (%)')],
  ['memory_used', msg('Memory (%)')],
]

function figure(row: Terminal, name: string): string {
  const value = (row.stat as Record<string, number> | null)?.[name]
  return value === undefined ? '' : formatNumber(value)
}

/** How it stands with a component, in one word: what is switched off or away has no load to speak of. */
function stateOf({ is_active, is_alive, status }: Terminal): RowState {
  if (!is_active) return { tone: 'quiet', words: t('Disabled@@state') }
  if (!is_alive) return { tone: 'danger', words: t('Offline') }
  if (status === 'critical') return { tone: 'danger', words: t('Overloaded') }
  return status === 'high' ? { tone: 'warning', words: t('High load') } : { tone: 'good', words: t('Online') }
}

const figureColumns = FIGURES.map(
  ([name, title]): ColumnView<Terminal> => ({
    field: `stat.${name}`,
    title,
    align: 'right',
    cell: ({ row }) => figure(row, name),
  }),
)

/** The components that carry sessions, and how they are (A2.41). */
const terminalPages = definePages<Terminal>(terminal, {
  list: {
    columns: [
      'name',
      'remote_addr',
      { field: 'session_online', title: msg('Live sessions@@amount'), align: 'right' },
      ...figureColumns,
      {
        field: 'status',
        title: msg('Status'),
        width: 124,
        sorter: false,
        cell: ({ row }) => <StateCell {...stateOf(row)} />,
      },
    ],
    foldFirst: ['stat.disk_used'],
    canBulkDelete: false,
    canClone: false,
    headerActions: [
      {
        name: 'storages',
        title: msg('Storages'),
        primary: true,
        run: ({ go }) => go(addressOf('StorageList') ?? '/'),
      },
    ],
  },
  form: {
    groups: [
      {
        title: msg('Basic'),
        fields: [
          'name',
          'remote_addr',
          {
            name: 'command_storage',
            widget: SelectByName,
            from: commandStorage,
            help: msg('Commands that are typed from now on go there.'),
          },
          {
            name: 'replay_storage',
            widget: SelectByName,
            from: replayStorage,
            help: msg('Recordings of sessions that end from now on go there.'),
          },
        ],
      },
      { title: msg('Other'), folded: true, fields: ['comment'] },
    ],
    method: 'PATCH',
  },
  detail: {
    states: (row) => [stateOf(row)],
    lead: (row) => [row.remote_addr, t('{{count|live session|live sessions}}', { count: row.session_online ?? 0 })],
    fields: [
      { field: 'type', title: msg('Type') },
      { field: 'remote_addr', copy: true },
      { field: 'session_online', title: msg('Live sessions@@amount') },
      ...FIGURES.map(([name, title]) => ({
        field: `stat.${name}`,
        title,
        render: (row: Terminal) => figure(row, name),
      })),
      'command_storage',
      'replay_storage',
      'comment',
    ],
    canDelete: false,
  },
})

export const pages = { Terminal: terminalPages }
