/** How values are shown, by field name first, then by kind. */
import { CircleCheckIcon, CircleXIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { formatDate } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import type { CellProps } from '../view/list-view.ts'
import { type FieldKind, kindOf } from '../view/metadata.ts'

type Cell = (props: CellProps) => ReactNode

/** Green tick or red cross. */
export const booleanCell: Cell = ({ value }) =>
  value ? (
    <CircleCheckIcon className="cell-yes" aria-label={t('Yes')} />
  ) : (
    <CircleXIcon className="cell-no" aria-label={t('No')} />
  )

/** Local date on a 24-hour clock. */
const dateCell: Cell = ({ value }) => formatDate(value)

/** `<name>_display` of the row where it has one, else the choice's own words. */
const choiceCell: Cell = ({ value, field }) =>
  field?.choices?.find((choice) => String(choice.value) === String(value))?.display_name ?? text(value)

/** Items joined by comma. */
const listCell: Cell = ({ value, field }) =>
  Array.isArray(value)
    ? value
        .map(
          (item) =>
            field?.choices?.find((choice) => choice.value === item)?.display_name ??
            (typeof item === 'object' && item !== null
              ? text((item as { name?: unknown }).name ?? JSON.stringify(item))
              : text(item)),
        )
        .join(', ')
    : text(value)

/** How many there are. */
export const countCell: Cell = ({ value }) => (Array.isArray(value) ? value.length : text(value))

/** Small tags. */
export const tagsCell: Cell = ({ value }) =>
  Array.isArray(value) ? (
    <span className="tags">
      {value.map((item) => (
        <span key={String(item)} className="tag">
          {String(item)}
        </span>
      ))}
    </span>
  ) : (
    text(value)
  )

const textCell: Cell = ({ value }) => text(value)

function text(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

const BY_NAME: Readonly<Record<string, Cell>> = { is_valid: booleanCell }

const BY_KIND: Readonly<Partial<Record<FieldKind, Cell>>> = {
  boolean: booleanCell,
  datetime: dateCell,
  choice: choiceCell,
  multichoice: listCell,
  refs: listCell,
  strings: listCell,
  list: listCell,
}

/** The cell of a field. */
function cellFor(name: string, field: CellProps['field']): Cell {
  return BY_NAME[name] ?? (field ? (BY_KIND[kindOf(field)] ?? textCell) : textCell)
}

/** What a field of a row looks like: `<name>_display` wins over a bare choice or reference. */
export function showField(name: string, row: CellProps['row'], field: CellProps['field'], cell?: Cell): ReactNode {
  const display = row[`${name}_display`]
  const kind = field ? kindOf(field) : 'string'
  const value =
    !cell && display !== undefined && display !== null && (kind === 'choice' || kind === 'ref' || kind === 'refs')
      ? display
      : row[name]
  if (cell) return cell({ value, row, field })
  return value === display && display !== undefined
    ? listCell({ value, row, field: undefined })
    : cellFor(name, field)({ value, row, field })
}

/** Booleans and dates want the same room everywhere. */
export function columnWidth(name: string, field: CellProps['field']): number | undefined {
  if (name === 'is_valid') return 90
  const kind = field && kindOf(field)
  return kind === 'boolean' ? 90 : kind === 'datetime' ? 176 : undefined
}
