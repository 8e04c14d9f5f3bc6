import type { ResourceDefinition } from '@sallyport/contract/define.ts'
import type { Trial } from '@sallyport/contract/tried.ts'
import { showError, showSuccess } from '../../design/dialogs/feedback.tsx'
import { showField } from '../../generic/cells/cells.tsx'
import { tickCell } from '../../generic/cells/tick-cell.tsx'
import type { RowAction } from '../../generic/view/actions.ts'
import { definePages } from '../../generic/view/define-pages.ts'
import type { FormContext, FormFieldView } from '../../generic/view/form-view.ts'
import { kindField } from '../../generic/view/kind-field.ts'
import type { ColumnView } from '../../generic/view/list-view.ts'
import { api } from '../../lib/api.ts'
import { atOnce } from '../../lib/at-once.ts'
import { msg, t } from '../../lib/i18n.ts'
import { addressOf } from '../../navigation/routes.ts'

/**
 * What storages of recordings and of commands have in common (docs/rules/terminal.md#meta_by_type).
 */
export type Storage = {
  id: string
  name: string
  type: string
  is_default: boolean
}

/** The one that is there from the start for what is to be kept nowhere. */
const keepsNothing = ({ type }: Pick<Storage, 'type'>) => type === 'null'

export const isBuiltIn = ({ type }: Pick<Storage, 'type'>) => type === 'server' || type === 'null'
const unlessBuiltIn = (row: Storage) => !isBuiltIn(row) || t('It is built in')

interface StorageWords {
  /** The tab of the page of storages that shows them. */
  tab: string
  /** Types by their names, in the order in which they are offered; the first is a new one's at first. */
  types: Readonly<Record<string, string>>
  tried: Readonly<Record<string, Trial>>
  columns?: ColumnView[]
  /** Widgets of the place, by field. */
  inside: NonNullable<FormFieldView['inside']>
  /** Said once one was made the default. */
  madeDefault: (name: string) => string
  defaultHelp: string
  rowActions?: readonly RowAction<Storage & Record<string, unknown>>[]
}

/** The list and form of one kind of storages (A2.42). */
export function storagePages<Row extends Storage>(definition: ResourceDefinition, words: StorageWords) {
  const kinds = Object.entries(words.types)
    .filter(([type]) => !isBuiltIn({ type }))
    .map(([type, title]) => ({ name: type, title, query: { type } }))
  /** A new one's type comes with the address; a stored one keeps its own. */
  const typeOf = ({ row, query }: FormContext): string => {
    const asked = row?.type ?? query.get('type')
    return kinds.some(({ name }) => name === asked) ? String(asked) : (kinds[0]?.name ?? '')
  }
  const storages = () => `${addressOf('StorageList') ?? '/'}?activeTab=${words.tab}`
  return definePages<Row>(definition, {
    list: {
      columns: [
        { field: 'name', cell: ({ row }) => (keepsNothing(row) ? t('Nowhere: nothing is kept') : row.name) },
        {
          field: 'type',
          title: msg('Type'),
          cell: ({ row, field }) => (keepsNothing(row) ? '' : showField('type', row, field)),
        },
        'comment',
        ...((words.columns ?? []) as ColumnView<Row>[]),
        { field: 'is_default', width: 144, align: 'center', cell: tickCell },
      ],
      createKinds: kinds,
      canUpdate: unlessBuiltIn,
      canDelete: unlessBuiltIn,
      canClone: false,
      canBulkDelete: false,
      rootOrgWritable: true,
      rowActions: [
        { name: 'test', title: msg('Test'), run: (row) => tryOut(definition.path, row).catch(() => {}) },
        {
          name: 'set_default',
          title: msg('Make default'),
          can: (row) => !row.is_default || t('It is the default already'),
          run: async (row, { refresh }) => {
            // One of them is the default.
            const change = (rows: readonly unknown[]) =>
              (rows as (typeof row)[]).map((one) => ({ ...one, is_default: one.id === row.id }))
            await atOnce(definition.path, change, () => api.patch(`${definition.path}${row.id}/`, { is_default: true }))
            showSuccess(words.madeDefault(row.name))
            await refresh()
          },
        },
        ...(words.rowActions ?? []),
      ],
    },
    form: {
      groups: [
        {
          title: msg('Basic'),
          fields: ['name', kindField('type', typeOf, words.tried)],
        },
        { title: msg('Where it is'), fields: [{ name: 'meta', inside: words.inside }] },
        { title: msg('Other'), fields: [{ name: 'is_default', help: words.defaultHelp }, 'comment'] },
      ],
      next: storages,
    },
    home: storages,
  })
}

async function tryOut(path: string, { id, name }: Storage): Promise<void> {
  const { is_valid, msg: words } = await api.get<{ is_valid: boolean; msg: string }>(`${path}${id}/test-connective/`)
  const text = `${name}: ${words}`
  if (is_valid) showSuccess(text)
  else showError(text)
}
