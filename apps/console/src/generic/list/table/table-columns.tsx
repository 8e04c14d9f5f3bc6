import type { ResourceDefinition } from '@sallyport/contract/define.ts'
import { language, t } from '../../../lib/i18n.ts'
import { addressOf } from '../../../navigation/routes.ts'
import { isAmount, needsLabel } from '../../cells/cells.tsx'
import { LinkedWords } from '../../cells/link-cell.tsx'
import type { ResourcePages } from '../../view/define-pages.ts'
import type { ColumnView, ListView } from '../../view/list-view.ts'
import { isDefinedOrder, kindOf, NO_FIELDS, type RemoteField } from '../../view/metadata.ts'
import { byRule } from '../../view/write-rules.ts'
import { columnRoom } from '../columns/column-room.ts'
import type { SearchField } from '../search-fields.ts'
import { drawCell } from './draw-cell.tsx'
import type { TableColumn } from './table-column.ts'

/**
 * The words of a head before the metadata has arrived: definitions are English. Other languages wait, and
 * their place is kept.
 */
const definedLabel = ({ fields }: ResourceDefinition, name: string): string =>
  language() === 'en' ? (fields[name]?.label ?? '') : ''

/**
 * The columns of a view as a table draws them: titles and widths by the metadata, cells to edit
 * where they may be written, links to details.
 */
export function tableColumns(
  pages: ResourcePages,
  path: string,
  fields: Readonly<Record<string, RemoteField>>,
  writable: Readonly<Record<string, RemoteField>>,
  base: string,
  offered: readonly SearchField[],
): TableColumn[] {
  const view: ListView = pages.list ?? { columns: [] }
  const { linkColumn = 'name', detailRoute = `${base}Detail` } = view
  return view.columns.flatMap((entry): TableColumn[] => {
    const column: ColumnView = typeof entry === 'string' ? { field: entry } : entry
    const field = fields[column.field]
    if (column.field === 'actions') return []
    // Before the metadata is there, the definition knows as much of the room that a field wants.
    const kind = kindOf(field ?? { type: pages.definition.fields[column.field]?.type ?? 'string', label: '' })
    const orderBy =
      typeof column.sorter === 'string'
        ? column.sorter
        : (column.sorter ?? (field ? field.order === true : isDefinedOrder(pages.definition, column.field)))
          ? column.field
          : undefined
    return [
      {
        key: column.field,
        title: column.title
          ? t(column.title)
          : (field?.label ?? (fields === NO_FIELDS ? definedLabel(pages.definition, column.field) : column.field)),
        tip: column.tip && t(column.tip),
        choices: offered.find(({ name }) => name === column.field)?.choices,
        ...columnRoom(column.field, kind, { ...column, isName: column.field === linkColumn }),
        align: column.align ?? (isAmount(column.field, kind) ? 'right' : undefined),
        isName: column.field === linkColumn,
        // A column in the middle or at the right is a bare number.
        isLabelled: column.align === 'center' || column.align === 'right' || needsLabel(column.field, kind),
        orderBy,
        draw: (row) => {
          const mayUpdate = view.canUpdate !== false && byRule(view.canUpdate, row) === true
          const mayEdit = mayUpdate && writable[column.field]?.read_only !== true
          const content = drawCell(
            { pages, path, column, field, writable: mayEdit ? writable[column.field] : undefined },
            row,
          )
          // A page's own cell may lead elsewhere, or open: only its bare words are a link.
          const isLink = column.field === linkColumn && (!column.cell || typeof content === 'string')
          return (
            <LinkedWords to={isLink && content ? addressOf(detailRoute, { id: row.id }) : undefined}>
              {content}
            </LinkedWords>
          )
        },
      },
    ]
  })
}
