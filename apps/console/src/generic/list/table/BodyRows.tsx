import { type FocusEvent, type PointerEvent, useLayoutEffect, useRef, useState } from 'react'
import { Checkbox } from '../../../design/inputs/Checkbox.tsx'
import { namesOf } from '../../../design/names.ts'
import type { Row } from '../../../lib/api.ts'
import { t } from '../../../lib/i18n.ts'
import { useLinesInView } from '../../rows/use-lines-in-view.ts'
import type { TableColumn } from './table-column.ts'

interface BodyRowsProps {
  rows: readonly Row[]
  columns: readonly TableColumn[]
  /** Key of the column that leads. */
  name: string | undefined
  /** No check boxes when absent. */
  selected: ReadonlySet<string> | undefined
  fixed: ReadonlySet<string> | undefined
  onTick: (id: string, on: boolean) => void
  /** The pointer or the keyboard is at a cell. */
  onPointTo: (event: PointerEvent | FocusEvent) => void
}

/** Until one is drawn. Pixels. */
const USUAL_HEIGHT = 39

/** The rows of a table: of more than a hundred those in sight, and room for the others. */
export function BodyRows({ rows, columns, name, selected, fixed, onTick, onPointTo }: BodyRowsProps) {
  const body = useRef<HTMLTableSectionElement>(null)
  const [height, setHeight] = useState(USUAL_HEIGHT)
  const { first, last } = useLinesInView(body, rows.length)
  const isPart = first > 0 || last < rows.length
  useLayoutEffect(() => {
    if (!isPart || !body.current) return
    const drawn = [...body.current.rows].filter(({ className }) => className !== 'unseen')
    const [top, bottom] = [
      drawn[0]?.getBoundingClientRect().top ?? 0,
      drawn.at(-1)?.getBoundingClientRect().bottom ?? 0,
    ]
    if (bottom > top) setHeight(Math.round((bottom - top) / drawn.length))
  }, [isPart])
  const span = columns.length + (selected ? 1 : 0)
  return (
    <tbody ref={body} onPointerOver={onPointTo} onFocus={onPointTo}>
      <Unseen count={first} height={height} span={span} />
      {rows.slice(first, last).map((row, at) => (
        <BodyRow
          key={row.id}
          row={row}
          columns={columns}
          name={name}
          {...(selected ? { isTicked: selected.has(row.id), isFixed: fixed?.has(row.id) ?? false } : {})}
          // The head is the first.
          place={isPart ? first + at + 2 : undefined}
          onTick={(on) => onTick(row.id, on)}
        />
      ))}
      <Unseen count={rows.length - last} height={height} span={span} />
    </tbody>
  )
}

/** The place of rows that are not drawn. */
function Unseen({ count, height, span }: { count: number; height: number; span: number }) {
  if (count <= 0) return null
  return (
    <tr className="unseen">
      <td colSpan={span} style={{ height: count * height }} />
    </tr>
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
  /** Among all rows, where not all are drawn. */
  place: number | undefined
  onTick: (on: boolean) => void
}

function BodyRow({ row, columns, name, isTicked, isFixed = false, place, onTick }: BodyRowProps) {
  return (
    <tr className={isTicked ? 'ticked' : undefined} aria-rowindex={place}>
      {isTicked !== undefined && (
        <td className="tick">
          <Checkbox aria-label={t('Select row')} checked={isTicked || isFixed} disabled={isFixed} onChange={onTick} />
        </td>
      )}
      {columns.map(({ key, title, align, isLabelled, draw }, at) => (
        <td
          key={key}
          className={cellClass({ key, align, isFirst: at === 0, isName: key === name })}
          data-label={isLabelled ? title : undefined}
        >
          {draw(row)}
        </td>
      ))}
    </tr>
  )
}

interface CellLook {
  key: string
  align: TableColumn['align']
  isFirst: boolean
  isName: boolean
}

/** The first column and actions stay in sight however far a wide table is scrolled. */
export function cellClass({ key, align, isFirst, isName }: CellLook): string | undefined {
  return namesOf([isName ? 'name' : align, isFirst && 'first', key === 'actions' && 'stay']) || undefined
}

const SKELETON_ROWS = 8

/** In the place of the rows that are on their way. */
export function SkeletonRows({ columns }: { columns: number }) {
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
