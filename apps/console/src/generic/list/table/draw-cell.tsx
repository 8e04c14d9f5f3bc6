import type { ReactNode } from 'react'
import type { Row } from '../../../lib/api.ts'
import { showField } from '../../cells/cells.tsx'
import { EditableCell } from '../../cells/EditableCell.tsx'
import { LazyNames, Names } from '../../cells/NamesCells.tsx'
import { SecretCell } from '../../cells/SecretCell.tsx'
import { When } from '../../cells/When.tsx'
import type { ResourcePages } from '../../view/define-pages.ts'
import type { ColumnView } from '../../view/list-view.ts'
import { kindOf, type RemoteField } from '../../view/metadata.ts'
import { REFERENCES } from '../../view/references.ts'
import { rowTitle } from '../../view/row-title.ts'
import { DetailDialogCell } from '../DetailDialogCell.tsx'

interface ColumnCellOptions {
  pages: ResourcePages
  /** List address. */
  path: string
  column: ColumnView
  /** As the list answers it. */
  field: RemoteField | undefined
  /** As PATCH takes it; undefined for a field that this person may not write here. */
  writable: RemoteField | undefined
}

/** Moments of logs and sessions, which are read by the clock. */
const CLOCK_FIELDS: ReadonlySet<string> = new Set(['datetime', 'date_start', 'date_end'])

/**
 * Draws a column of a row: the cell that the page declares, else the one of the field's kind.
 */
export function drawCell({ pages, path, column, field, writable }: ColumnCellOptions, row: Row): ReactNode {
  const name = column.field
  if (column.lazyNames) return <LazyNames path={column.lazyNames(row)} of={rowTitle(pages, row)} />
  if (column.secret) {
    const { read, needsMfa = false } = column.secret
    const stored = row[name]
    // Without a secret there is nothing to uncover.
    if (!read && (stored === null || stored === undefined || stored === '')) return ''
    return (
      <SecretCell label={rowTitle(pages, row)} secret={read ? () => read(row) : String(stored)} needsMfa={needsMfa} />
    )
  }
  const from = column.names === true ? REFERENCES[field?.related ?? ''] : column.names
  if (from) return <Names value={row[name]} name={name} from={from} />
  if (column.editable && writable) return <EditableCell path={path} row={row} name={name} field={writable} />
  if (!column.cell && field && kindOf(field) === 'datetime' && !CLOCK_FIELDS.has(name))
    return <When value={row[name]} />
  const content = showField(name, row, field, column.cell)
  if (!column.dialog) return content
  return (
    <DetailDialogCell definition={pages.definition} row={row} dialog={column.dialog}>
      {content}
    </DetailDialogCell>
  )
}
