import { ChevronDownIcon, ChevronUpIcon, CircleQuestionMarkIcon } from 'lucide-react'
import { type PointerEvent, type ReactNode, useEffect, useId, useRef } from 'react'
import type { Row } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import { nextOrder } from '../rows/list-state.ts'
import type { RemoteChoice } from '../view/metadata.ts'
import type { ColumnRoom } from './columns/column-room.ts'
import { columnWidths, leastWidth, TICK_WIDTH } from './columns/fit-columns.ts'
import { HeaderFilter } from './HeaderFilter.tsx'
import { rowKeys } from './row-keys.ts'

export interface TableColumn extends ColumnRoom {
  key: string
  title: string
  /** Shown when the pointer or the keyboard rests on the mark beside the title. */
  tip?: string | undefined
  /** The name of the row: it leads. */
  isName?: boolean
  /** The value says nothing without the title, which is before it where there are no heads. */
  isLabelled?: boolean
  align?: 'left' | 'center' | 'right' | undefined
  /** Field to order by; no ordering when absent. */
  orderBy?: string | undefined
  /** Values to narrow the list to in the head; there is no ordering then. */
  choices?: readonly RemoteChoice[] | undefined
  draw: (row: Row) => ReactNode
}

export interface DataTableProps {
  columns: readonly TableColumn[]
  rows: readonly Row[]
  /** Says what the table lists, for screen readers. */
  label: string
  /** How wide it is, in pixels, where that is known; columns keep their proportions elsewhere. */
  room?: number
  order?: string
  onOrder?: (order: string) => void
  /** Values that the list is narrowed to, by column. */
  filters?: Readonly<Record<string, string>>
  onFilter?: (column: string, value: string | undefined) => void
  /** Ids that are ticked; no check boxes when absent. */
  selected?: ReadonlySet<string>
  onSelect?: (ids: ReadonlySet<string>) => void
  /** Ids that stay ticked and that nobody can untick; not counted among `selected`. */
  fixed?: ReadonlySet<string> | undefined
  /** Shown over the body while a new page is on its way. */
  busy?: boolean
  /** Nothing has come yet: its place is kept. */
  waiting?: boolean
  empty?: ReactNode
}

/**
 * A plain table: hundreds of rows must be drawn and ticked without a pause, which component-library
 * tables with their per-cell wrappers do not manage. Long texts are cut by the style sheet and
 * readable as tooltip.
 */
export function DataTable({
  columns,
  rows,
  label,
  room = USUAL_WIDTH,
  order = '',
  onOrder,
  filters = {},
  onFilter,
  selected,
  onSelect,
  fixed,
  busy,
  waiting = false,
  empty,
}: DataTableProps) {
  const table = useRef<HTMLTableElement>(null)
  const hint = useId()
  useEffect(() => (table.current ? rowKeys(table.current) : undefined), [])
  const hasTicks = selected !== undefined
  const widths = columnWidths(columns, { room, hasTicks })
  const name = (columns.find(({ isName }) => isName) ?? columns.find(({ width }) => !width) ?? columns[0])?.key
  const free = fixed ? rows.filter(({ id }) => !fixed.has(id)) : rows
  const ticked = selected ? free.filter(({ id }) => selected.has(id)).length : 0
  const tick = (ids: readonly string[], on: boolean) => {
    const next = new Set(selected)
    for (const id of ids) on ? next.add(id) : next.delete(id)
    onSelect?.(next)
  }
  return (
    <>
      <div className={busy ? 'table-box busy' : 'table-box'} aria-busy={busy || waiting}>
        {waiting && (
          <span className="visually-hidden" role="status">
            {t('Loading')}
          </span>
        )}
        <table
          ref={table}
          className="table"
          aria-label={label}
          aria-describedby={hint}
          style={{ minWidth: leastWidth(columns, hasTicks) }}
        >
          {/* Others take its place: Chromium does not lay a table out anew for columns of another width. */}
          <colgroup key={[...widths.values()].join()}>
            {selected && <col style={{ width: TICK_WIDTH }} />}
            {columns.map(({ key }) => (
              <col key={key} style={{ width: widths.get(key) }} />
            ))}
          </colgroup>
          <thead>
            <tr>
              {selected && (
                <th className="tick">
                  <AllRowsBox
                    count={free.length}
                    ticked={ticked}
                    onTick={(on) =>
                      tick(
                        free.map(({ id }) => id),
                        on,
                      )
                    }
                  />
                </th>
              )}
              {columns.map((column) => (
                <HeadCell
                  key={column.key}
                  column={column}
                  order={order}
                  onOrder={onOrder}
                  filter={filters[column.key]}
                  onFilter={onFilter}
                />
              ))}
            </tr>
          </thead>
          <tbody onPointerOver={tellWhatIsCut}>
            {rows.map((row) => (
              <BodyRow
                key={row.id}
                row={row}
                columns={columns}
                name={name}
                {...(selected ? { isTicked: selected.has(row.id), isFixed: fixed?.has(row.id) ?? false } : {})}
                onTick={(on) => tick([row.id], on)}
              />
            ))}
            {waiting && <SkeletonRows columns={columns.length + (selected ? 1 : 0)} />}
            {rows.length === 0 && !waiting && (
              <tr className="empty">
                <td colSpan={columns.length + (selected ? 1 : 0)}>{empty}</td>
              </tr>
            )}
          </tbody>
        </table>
      </div>
      <p id={hint} className="keys-hint">
        {t('↑ ↓ rows · ← → within a row · Enter opens')}
      </p>
    </>
  )
}

/** The whole of a cell as its tip, while some of it has no room. */
function tellWhatIsCut({ target }: PointerEvent): void {
  const cell = (target as Element).closest('td')
  if (!cell || (cell.title && !cell.hasAttribute('data-cut'))) return
  const isCut = [cell, ...cell.querySelectorAll('*')].some(
    // What only screen readers see is one pixel wide.
    ({ scrollWidth, clientWidth }) => clientWidth > 1 && scrollWidth > clientWidth + 1,
  )
  cell.toggleAttribute('data-cut', isCut)
  if (isCut) cell.title = cell.textContent ?? ''
  else cell.removeAttribute('title')
}

/** About as wide as a table is on most screens. */
const USUAL_WIDTH = 1100

const SKELETON_ROWS = 8

/** In the place of the rows that are on their way. */
function SkeletonRows({ columns }: { columns: number }) {
  return Array.from({ length: SKELETON_ROWS }, (_, row) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: these rows have nothing else that tells them apart
    <tr key={row} className="skeleton-row">
      {Array.from({ length: columns }, (__, column) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: as above
        <td key={column}>
          <span className="skeleton-line" style={{ width: `${[72, 54, 63, 46][(row + column) % 4]}%` }} />
        </td>
      ))}
    </tr>
  ))
}

/** Ticks all rows of the page that can be ticked; half ticked while only some are. */
function AllRowsBox({ count, ticked, onTick }: { count: number; ticked: number; onTick: (on: boolean) => void }) {
  return (
    <input
      type="checkbox"
      aria-label={t('Select all rows of this page')}
      disabled={count === 0}
      checked={count > 0 && ticked === count}
      ref={(box) => {
        if (box) box.indeterminate = ticked > 0 && ticked < count
      }}
      onChange={(event) => onTick(event.target.checked)}
    />
  )
}

interface BodyRowProps {
  row: Row
  columns: readonly TableColumn[]
  /** Key of the column that leads. */
  name: string | undefined
  /** No check box when absent. */
  isTicked?: boolean
  /** Ticked for good. */
  isFixed?: boolean
  onTick: (on: boolean) => void
}

function BodyRow({ row, columns, name, isTicked, isFixed = false, onTick }: BodyRowProps) {
  return (
    <tr className={isTicked ? 'ticked' : undefined}>
      {isTicked !== undefined && (
        <td className="tick">
          <input
            type="checkbox"
            aria-label={t('Select row')}
            checked={isTicked || isFixed}
            disabled={isFixed}
            onChange={(event) => onTick(event.target.checked)}
          />
        </td>
      )}
      {columns.map(({ key, title, align, isLabelled, draw }) => {
        const content = draw(row)
        return (
          <td
            key={key}
            className={key === name ? 'name' : cellClass(key, align)}
            data-label={isLabelled ? title : undefined}
            title={typeof content === 'string' ? content : undefined}
          >
            {content}
          </td>
        )
      })}
    </tr>
  )
}

/** Actions stay in sight however far a wide table is scrolled. */
function cellClass(key: string, align: TableColumn['align']): string | undefined {
  return key === 'actions' ? `${align ?? ''} stay`.trim() : align
}

interface HeadCellProps {
  column: TableColumn
  order: string
  onOrder: ((order: string) => void) | undefined
  filter: string | undefined
  onFilter: DataTableProps['onFilter']
}

function HeadCell({
  column: { key, title, tip, align, orderBy, choices },
  order,
  onOrder,
  filter,
  onFilter,
}: HeadCellProps) {
  // Its name is on its way.
  if (title === '')
    return (
      <th className={cellClass(key, align)} data-ordered={orderBy !== undefined && onOrder !== undefined}>
        <span className="skeleton-line" />
      </th>
    )
  const help = tip && (
    <button type="button" className="head-help" aria-label={tip} title={tip}>
      <CircleQuestionMarkIcon />
    </button>
  )
  if (choices && onFilter)
    return (
      <th scope="col" className={cellClass(key, align)} data-column={key}>
        {title}
        {help}
        <HeaderFilter title={title} choices={choices} value={filter} onChange={(value) => onFilter(key, value)} />
      </th>
    )
  if (!orderBy || !onOrder)
    return (
      <th scope="col" className={cellClass(key, align)} data-column={key}>
        {title}
        {help}
      </th>
    )
  const direction = order === orderBy ? 'ascending' : order === `-${orderBy}` ? 'descending' : 'none'
  return (
    <th scope="col" className={align} data-column={key} aria-sort={direction}>
      <button type="button" className="sort" onClick={() => onOrder(nextOrder(order, orderBy))}>
        {title}
        <span className={`carets ${direction}`} aria-hidden="true">
          <ChevronUpIcon />
          <ChevronDownIcon />
        </span>
      </button>
      {help}
    </th>
  )
}
