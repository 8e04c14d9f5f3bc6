/** How values are shown, by field name first, then by kind. */
import type { ReactNode } from 'react'
import { Named, NamedList } from '../../design/Named.tsx'
import { Status, type Tone } from '../../design/Status.tsx'
import { listed } from '../../lib/bidi.ts'
import { formatDate, formatDuration, formatNumber, isEndless, parseDate } from '../../lib/format.ts'
import { msg, t } from '../../lib/i18n.ts'
import type { CellProps } from '../view/list-view.ts'
import { type FieldKind, kindOf } from '../view/metadata.ts'

type Cell = (props: CellProps) => ReactNode

/** Fields whose two values have names of their own, and what those mean to the reader. */
const STATES: Readonly<Record<string, { on: string; off: string; offTone: Tone }>> = {
  is_active: { on: msg('Active@@state'), off: msg('Disabled@@state'), offTone: 'quiet' },
  is_valid: { on: msg('Valid@@state'), off: msg('Not valid@@state'), offTone: 'warning' },
  is_alive: { on: msg('Online'), off: msg('Offline'), offTone: 'danger' },
  is_success: { on: msg('Success'), off: msg('Failed'), offTone: 'danger' },
}

function stateCell(name: string): Cell | undefined {
  const state = STATES[name]
  return (
    state &&
    (({ value }) => <Status tone={value ? 'good' : state.offTone}>{value ? t(state.on) : t(state.off)}</Status>)
  )
}

/** Yes, or a quiet No. */
export const booleanCell: Cell = ({ value }) => (value ? t('Yes') : <span className="quiet">{t('No')}</span>)

/** When something ends, if ever. */
const endCell: Cell = ({ value }) =>
  isEndless(value) ? <span className="quiet">{t('No end@@date')}</span> : moment(value)

/** Local date on a 24-hour clock. */
const dateCell: Cell = ({ value }) => moment(value)

/** As an element, whose figures have one width. */
function moment(value: unknown): ReactNode {
  const date = parseDate(value)
  return date ? <time dateTime={date.toISOString()}>{formatDate(value)}</time> : ''
}

/** `<name>_display` of the row where it has one, else the choice's own words. */
const choiceCell: Cell = ({ value, field }) =>
  field?.choices?.find((choice) => String(choice.value) === String(value))?.display_name ?? text(value)

/** Items joined by comma. */
const listCell: Cell = ({ value, field }) =>
  Array.isArray(value)
    ? listed(
        value.map(
          (item) =>
            field?.choices?.find((choice) => choice.value === item)?.display_name ??
            (typeof item === 'object' && item !== null
              ? text((item as { name?: unknown }).name ?? JSON.stringify(item))
              : text(item)),
        ),
      )
    : text(value)

/** How many there are. */
export const countCell: Cell = ({ value }) =>
  Array.isArray(value) ? formatNumber(value.length) : numberCell({ value } as CellProps)

/** A number as people write it. */
const numberCell: Cell = ({ value }) => (typeof value === 'number' ? formatNumber(value) : text(value))

const durationCell: Cell = ({ value }) => (typeof value === 'number' ? formatDuration(value) : text(value))

/** Seconds that something took. */
const DURATIONS: ReadonlySet<string> = new Set(['duration', 'timedelta', 'time'])
/** Numbers that name something, or a moment: they are neither added up nor compared. */
const NAMING_NUMBER = /(?:^|_)(?:id|uid|port|timestamp)$/

/** Whether a column has amounts, which are read from the right. */
export const isAmount = (name: string, kind: FieldKind): boolean =>
  DURATIONS.has(name) || ((kind === 'integer' || kind === 'float') && !NAMING_NUMBER.test(name))

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
  if (name === 'date_expired') return endCell
  if (DURATIONS.has(name)) return durationCell
  if (field && isAmount(name, kindOf(field))) return numberCell
  return stateCell(name) ?? (field ? (BY_KIND[kindOf(field)] ?? textCell) : textCell)
}

/** Draws a field of a row: `<name>_display` wins over a bare choice or reference. */
export function showField(name: string, row: CellProps['row'], field: CellProps['field'], cell?: Cell): ReactNode {
  const display = row[`${name}_display`]
  const kind = field ? kindOf(field) : 'string'
  const value =
    !cell && display !== undefined && display !== null && (kind === 'choice' || kind === 'ref' || kind === 'refs')
      ? display
      : row[name]
  if (cell) return cell({ value, row, field })
  const isNamed = field?.named || ((kind === 'ref' || kind === 'refs') && value === display)
  if (isNamed && typeof value === 'string') return <Named text={value} />
  if (isNamed && Array.isArray(value)) return <NamedList texts={value.map(String)} />
  return value === display && display !== undefined
    ? listCell({ value, row, field: undefined })
    : cellFor(name, field)({ value, row, field })
}

/** Whether a value says nothing without the name of its field: a Yes, a number, a date. */
export function needsLabel(name: string, kind: FieldKind): boolean {
  return !(name in STATES) && ['boolean', 'integer', 'float', 'datetime'].includes(kind)
}
