import '../grid/grid.css'
import { type KeyboardEvent, type RefObject, useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { Status } from '../../design/Status.tsx'
import { t } from '../../lib/i18n.ts'
import { GridHeads } from '../grid/GridHeads.tsx'
import { movedRow } from '../grid/moved-row.ts'
import { columnWidth } from '../grid/rows-shown.ts'
import { nextSorting, type Sorting } from '../grid/sorting.ts'
import { showRow, useRowsInView } from '../grid/use-rows-in-view.ts'
import { type ObjectRow, toneOf } from './objects.ts'
import type { ObjectList } from './use-object-list.ts'

const ROW_PX = 26
/** The next page is asked for when so many rows are left below. */
const AHEAD_ROWS = 100
/** Columns that say how an object is, as clusters call them. */
const STATES = new Set(['Status', 'Type'])
const NAMESPACE = -1
/** Its title is ours, and wider in some languages than it is long. */
const NAMESPACE_PX = 96

export interface ObjectTableProps {
  label: string
  list: ObjectList
  /** The shown ones of the loaded objects, in that order. */
  shown: readonly ObjectRow[]
  isWide: boolean
  showsNamespace: boolean
  sorting: Sorting | undefined
  onSort: (sorting: Sorting | undefined) => void
  isChosen: (row: ObjectRow) => boolean
  onChoose: (row: ObjectRow) => void
  onMore: () => void
}

/** Objects as a table, of which only the rows in view are drawn. Arrow keys move, Enter opens. */
export function ObjectTable(props: ObjectTableProps) {
  const { label, list, shown, isWide, showsNamespace, sorting, onSort, isChosen, onChoose, onMore } = props
  const box = useRef<HTMLDivElement>(null)
  const id = useId()
  const { cursor, setCursor } = useCursor(box, shown)
  const columns = useMemo(
    () => [
      ...(showsNamespace ? [{ name: t('Namespace'), at: NAMESPACE }] : []),
      ...list.columns.flatMap((column, at) => (isWide || !column.isWide ? [{ name: column.name, at }] : [])),
    ],
    [list.columns, isWide, showsNamespace],
  )
  const hasRows = list.rows.length > 0
  // biome-ignore lint/correctness/useExhaustiveDependencies: as the first rows have it, not again with each page
  const template = useMemo(() => {
    const first = list.rows.slice(0, 50)
    const widthOf = ({ name, at }: { name: string; at: number }) => {
      const values = first.map((row) => [textIn(row, at)])
      return Math.max(at === NAMESPACE ? NAMESPACE_PX : 0, columnWidth(name, values, 0))
    }
    return columns.map((column) => `${widthOf(column)}px`).join(' ')
  }, [columns, hasRows])
  const { first, last, handleScroll } = useRowsInView(box, {
    count: shown.length,
    height: ROW_PX,
    cursor: -1,
  })
  const isNearEnd = last >= shown.length - AHEAD_ROWS
  const wantsMore = isNearEnd && hasRows && list.next !== '' && !list.isLoading && !list.problem
  useEffect(() => {
    if (wantsMore) onMore()
  }, [wantsMore, onMore])

  const handleKey = (event: KeyboardEvent<HTMLDivElement>) => {
    if (event.target !== event.currentTarget) return
    const page = Math.max(1, Math.floor(event.currentTarget.clientHeight / ROW_PX) - 2)
    // Until one has moved, it is above the visible part: a click must not move what it is meant for.
    const from = cursor < 0 ? Math.ceil(event.currentTarget.scrollTop / ROW_PX) - 1 : cursor
    const to = movedRow(event.key, Math.min(from, shown.length - 1), page, shown.length)
    const row = shown[cursor]
    if (to !== undefined) setCursor(to)
    else if ((event.key === 'Enter' || event.key === ' ') && row) onChoose(row)
    else return
    event.preventDefault()
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: of a table all rows would have to be drawn
    <div
      className="data-grid kb-grid"
      ref={box}
      role="grid"
      aria-label={label}
      aria-rowcount={shown.length}
      tabIndex={0}
      aria-activedescendant={cursor >= first && cursor < last ? `${id}-${cursor}` : undefined}
      onKeyDown={handleKey}
      onScroll={handleScroll}
    >
      <GridHeads {...{ columns, template, sorting }} onSort={(column) => onSort(nextSorting(sorting, column))} />
      <div className="data-grid-rows" style={{ height: shown.length * ROW_PX }}>
        {shown.slice(first, last).map((row, index) => {
          const place = first + index
          return (
            <Row
              key={place}
              {...{ row, place, columns, template }}
              id={`${id}-${place}`}
              isCursor={place === cursor}
              isChosen={isChosen(row)}
              onChoose={() => {
                setCursor(place)
                onChoose(row)
              }}
            />
          )
        })}
      </div>
    </div>
  )
}

/** The row that keys move from, -1 before the first. It stays with its object while others come and go. */
function useCursor(box: RefObject<HTMLDivElement | null>, shown: readonly ObjectRow[]) {
  const [marked, setMarked] = useState<{ at: number; row: ObjectRow }>()
  const cursor = useMemo(() => {
    if (!marked) return -1
    const at = isSame(shown[marked.at], marked.row) ? marked.at : shown.findIndex((row) => isSame(row, marked.row))
    // Where the object is gone, the next one has its place.
    return at < 0 ? Math.min(marked.at, shown.length - 1) : at
  }, [marked, shown])
  // biome-ignore lint/correctness/useExhaustiveDependencies: when the person moves, not when objects come and go
  useLayoutEffect(() => {
    if (box.current && cursor >= 0) showRow(box.current, cursor, { height: ROW_PX, above: ROW_PX + 1 })
  }, [marked])
  const setCursor = (at: number) => {
    const row = shown[at]
    if (row) setMarked({ at, row })
  }
  return { cursor, setCursor }
}

interface RowProps {
  row: ObjectRow
  /** Its number among the shown ones. */
  place: number
  columns: readonly { name: string; at: number }[]
  template: string
  id: string
  isCursor: boolean
  isChosen: boolean
  onChoose: () => void
}

function Row({ row, place, columns, template, id, isCursor, isChosen, onChoose }: RowProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: see the grid
    // biome-ignore lint/a11y/useFocusableInteractive: focus stays on the grid, which names the active row
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid takes the keys
    <div
      id={id}
      role="row"
      aria-rowindex={place + 1}
      aria-selected={isChosen}
      className={`data-grid-row kb-row${isCursor ? ' kb-cursor' : ''}`}
      style={{ top: place * ROW_PX, gridTemplateColumns: template }}
      onClick={onChoose}
    >
      {columns.map(({ name, at }) => (
        // biome-ignore lint/a11y/useSemanticElements: see the grid
        // biome-ignore lint/a11y/useFocusableInteractive: see the grid
        <span key={at} role="gridcell" className="data-grid-cell" title={textIn(row, at)}>
          {STATES.has(name) ? <State text={textIn(row, at)} /> : textIn(row, at)}
        </span>
      ))}
    </div>
  )
}

const isSame = (one: ObjectRow | undefined, other: ObjectRow) =>
  one !== undefined && one.name === other.name && one.namespace === other.namespace
const textIn = (row: ObjectRow, at: number): string => (at === NAMESPACE ? row.namespace : (row.cells[at] ?? ''))

function State({ text }: { text: string }) {
  const tone = toneOf(text)
  return tone === 'quiet' ? text : <Status tone={tone}>{text}</Status>
}
