import { PERMISSION } from '@sallyport/contract/access.ts'
import { type Terminal, terminal } from '@sallyport/contract/resources/terminal/terminal.ts'
import { definePages } from '../../generic/view/define-pages.ts'
import type { ColumnView } from '../../generic/view/list-view.ts'
import { msg } from '../../lib/i18n.ts'
import { resourcePlaces } from '../../navigation/page-place.ts'

export const routes = resourcePlaces('Terminal', {
  menu: 'terminal',
  order: 60,
  bits: PERMISSION.super,
  path: '/terminal/terminal',
  titles: { List: msg('Terminal@@menu'), Update: msg('Terminal update'), Detail: msg('Terminal detail') },
})

/** Figures of the last heartbeat; none from a component that is away. */
const FIGURES: readonly (readonly [string, string])[] = [
  ['cpu_load', msg('CPU load')],
  ['disk_used', msg('Disk (%)')],
  ['memory_used', msg('Memory (%)')],
]

const figureColumns = FIGURES.map(
  ([name, title]): ColumnView<Terminal> => ({
    field: `stat.${name}`,
    title,
    width: 100,
    align: 'center',
    cell: ({ row }) => String((row.stat as Record<string, number> | null)?.[name] ?? '-'),
  }),
)

/** The components that carry sessions, and how they are (spec A2.41). */
const terminalPages = definePages<Terminal>(terminal, {
  list: {
    columns: [
      'name',
      'remote_addr',
      { field: 'session_online', title: msg('Sessions'), width: 90, align: 'center' },
      ...figureColumns,
      { field: 'status', title: msg('Status'), width: 100 },
      { field: 'is_active', title: msg('Active'), width: 80 },
      { field: 'is_alive', title: msg('Alive'), width: 80 },
    ],
    canBulkDelete: false,
    canClone: false,
  },
  form: {
    groups: [
      { title: msg('Basic'), fields: ['name', 'remote_addr'] },
      { title: msg('Other'), fields: ['comment'] },
    ],
    // The storages stay what they are.
    method: 'PATCH',
  },
  detail: { fields: ['name', 'remote_addr', 'date_created', 'comment'], canDelete: false },
})

export const pages = { Terminal: terminalPages }
