import { type FocusEvent, type PointerEvent, type ReactNode, useEffect, useId, useRef } from 'react'
import type { Row } from '../../../lib/api.ts'
import { t } from '../../../lib/i18n.ts'
import { BodyRows, SkeletonRows } from './BodyRows.tsx'
import { FittedTable } from './FittedTable.tsx'
import { AllRowsBox, HeadCell } from './HeadCells.tsx'
import { rowKeys } from './row-keys.ts'
import type { TableColumn } from './table-column.ts'

export interface DataTableProps {
  columns: readonly TableColumn[]
  rows: readonly Row[]
  /** Says what the table lists, for screen readers. */
  label: string
  /** How wide it is, in pixels, where that is known: only then its head stays while the page scrolls. */
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
  /** A key in the rows asks for the next page, or the one before; says whether there is one. */
  onPage?: (step: 1 | -1) => boolean
}

/**
 * A plain table: hundreds of rows must be drawn and ticked without a pause, so no cell has a
 * component around it. Beyond a hundred rows only those in sight are drawn. Texts that have no room
 * are cut by the style sheet and readable as tooltip.
 */
export function DataTable({
  columns,
  rows,
  label,
  room,
  order = '',
  onOrder,
  filters = {},
  onFilter,
  selected,
  onSelect,
  fixed,
  busy = false,
  waiting = false,
  empty,
  onPage,
}: DataTableProps) {
  const table = useRef<HTMLTableElement>(null)
  const hint = useId()
  const turn = useRef(onPage)
  turn.current = onPage
  useEffect(() => (table.current ? rowKeys(table.current, (step) => turn.current?.(step) ?? false) : undefined), [])
  const hasTicks = selected !== undefined
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
      <FittedTable {...{ table, columns, rows, hasTicks, room, label, hint }} isBusy={busy} isWaiting={waiting}>
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
            {columns.map((column, at) => (
              <HeadCell
                key={column.key}
                column={column}
                isFirst={at === 0}
                order={order}
                onOrder={onOrder}
                filter={filters[column.key]}
                onFilter={onFilter}
              />
            ))}
          </tr>
        </thead>
        {waiting || rows.length === 0 ? (
          <tbody>
            {waiting ? (
              <SkeletonRows columns={columns.length + (selected ? 1 : 0)} />
            ) : (
              <tr className="empty">
                <td colSpan={columns.length + (selected ? 1 : 0)}>{empty}</td>
              </tr>
            )}
          </tbody>
        ) : (
          <BodyRows
            {...{ rows, columns, name, selected, fixed }}
            onTick={(id, on) => tick([id], on)}
            onPointTo={tellWhatIsCut}
          />
        )}
      </FittedTable>
      <p id={hint} className="keys-hint">
        {t('↑ ↓ rows · ← → within a row · Enter opens')}
        {onPage && ` · ${t('Page Up, Page Down: other pages')}`}
      </p>
    </>
  )
}

/** The whole of a cell as its tip (`Tooltip.tsx`), under the pointer and with the focus, while some of it has no room. */
function tellWhatIsCut({ target }: PointerEvent | FocusEvent): void {
  const cell = (target as Element).closest('td')
  if (!cell) return
  const isCut = [cell, ...cell.querySelectorAll('*')].some(
    // What only screen readers see is one pixel wide.
    ({ scrollWidth, clientWidth }) => clientWidth > 1 && scrollWidth > clientWidth + 1,
  )
  if (isCut) cell.dataset.tip = cell.textContent ?? ''
  else delete cell.dataset.tip
}
