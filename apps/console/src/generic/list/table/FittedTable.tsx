import { type ReactNode, type RefObject, useLayoutEffect, useState } from 'react'
import { flushSync } from 'react-dom'
import { namesOf } from '../../../design/names.ts'
import type { Row } from '../../../lib/api.ts'
import { t } from '../../../lib/i18n.ts'
import { ALL_DRAWN } from '../../rows/use-lines-in-view.ts'
import { columnWidths, leastWidth, TICK_WIDTH } from '../columns/fit-columns.ts'
import { type ColumnNeed, fitToContent } from '../columns/fit-content.ts'
import { measureColumns } from '../columns/measure-columns.ts'
import type { TableColumn } from './table-column.ts'

/** About as wide as a table is on most screens. */
const USUAL_WIDTH = 1100
/** Narrower than this rows are cards (table.css), which have no columns. */
const CARDS_BELOW = 560

interface FittedTableProps {
  table: RefObject<HTMLTableElement | null>
  columns: readonly TableColumn[]
  rows: readonly Row[]
  hasTicks: boolean
  /** Pixels that the table has, where they are known before it is drawn. */
  room: number | undefined
  label: string
  /** Id of the element that describes the table. */
  hint: string
  /** A new page is on its way. */
  isBusy: boolean
  /** Nothing has come yet. */
  isWaiting: boolean
  /** Head and body. They are not drawn again when widths change. */
  children: ReactNode
}

/**
 * A table whose columns are as wide as what they hold wants, within the room that there is. It
 * scrolls inside itself only where that is too little: its head and its first column stay.
 */
export function FittedTable({
  table,
  columns,
  rows,
  hasTicks,
  room: known,
  label,
  hint,
  isBusy,
  isWaiting,
  children,
}: FittedTableProps) {
  const [needs, setNeeds] = useState<ReadonlyMap<string, ColumnNeed>>()
  const shown = columns.map(({ key }) => key).join()
  const isCards = known !== undefined && known < CARDS_BELOW
  // biome-ignore lint/correctness/useExhaustiveDependencies: other rows and columns are measured anew
  useLayoutEffect(() => {
    const element = table.current
    if (!element || isCards || rows.length === 0) return
    // It tells between layout and paint: nobody sees the widths that the rows came with.
    const observer = new ResizeObserver(() => {
      observer.disconnect()
      const next = measureColumns(element)
      flushSync(() => setNeeds((before) => (areSame(before, next) ? before : next)))
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [table, rows, shown, isCards])

  const room = known ?? USUAL_WIDTH
  const widths =
    needs && rows.length > 0
      ? fitToContent(columns, needs, { room, hasTicks })
      : columnWidths(columns, { room, hasTicks })
  const total = [...widths.values()].reduce((all, width) => all + width, hasTicks ? TICK_WIDTH : 0)
  const isWide = total > room
  const least = known === undefined ? leastWidth(columns, hasTicks) : isWide ? total : undefined
  const box = ['table-box', known !== undefined && (isWide ? 'wide' : 'whole'), isBusy && 'busy']
  return (
    <div className={namesOf(box)} aria-busy={isBusy || isWaiting}>
      {isWaiting && (
        <span className="visually-hidden" role="status">
          {t('Loading')}
        </span>
      )}
      <table
        ref={table}
        className="table"
        aria-label={label}
        aria-describedby={hint}
        aria-rowcount={rows.length > ALL_DRAWN ? rows.length + 1 : undefined}
        style={{ minWidth: least }}
      >
        {/* Others take its place: Chromium does not lay a table out anew for columns of another width. */}
        <colgroup key={[...widths.values()].join()}>
          {hasTicks && <col style={{ width: TICK_WIDTH }} />}
          {columns.map(({ key }) => (
            <col key={key} style={{ width: widths.get(key) }} />
          ))}
        </colgroup>
        {children}
      </table>
    </div>
  )
}

function areSame(one: ReadonlyMap<string, ColumnNeed> | undefined, other: ReadonlyMap<string, ColumnNeed>): boolean {
  return (
    one?.size === other.size &&
    [...other].every(([key, { content, head }]) => one.get(key)?.content === content && one.get(key)?.head === head)
  )
}
