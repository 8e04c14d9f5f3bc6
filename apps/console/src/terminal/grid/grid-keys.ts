import { type KeyboardEvent, type RefObject, useLayoutEffect, useState } from 'react'
import { movedRow } from './moved-row.ts'
import { showRow } from './use-rows-in-view.ts'

interface Cell {
  row: number
  column: number
}

interface GridKeysOptions {
  /** How many rows came before those that are loaded. */
  before: number
  rows: number
  columns: number
  /** Height of a row, in pixels. */
  height: number
  onOpen: (row: number, column: number) => void
}

/**
 * The cell at a place, by which the grid names the one that keys move from. `grid`: of which there may be one in
 * each tab.
 */
export const cellId = (grid: string, row: number, column: number) => `${grid}-${row}-${column}`

/**
 * The cell of a grid that keys move from: arrows, a page at a time, Home and End within the row and
 * with Ctrl over all of them; Enter opens it.
 */
export function useGridKeys(
  box: RefObject<HTMLElement | null>,
  { before, rows, columns, height, onOpen }: GridKeysOptions,
) {
  /** Its row is that of the whole result: which of them are loaded changes as somebody scrolls. */
  const [cursor, setCursor] = useState<Cell>()
  // Rows may have gone since, by a filter for instance.
  const at =
    cursor && rows > 0 && cursor.row >= before ? { ...cursor, row: Math.min(cursor.row - before, rows - 1) } : undefined
  const moveTo = (cell: Cell) => setCursor({ ...cell, row: before + cell.row })
  // biome-ignore lint/correctness/useExhaustiveDependencies: once it has moved, and not when the rows do
  useLayoutEffect(() => {
    const element = box.current
    if (!element || !at) return
    // By its height, as only rows in view are drawn; the head and its line stay above them.
    showRow(element, at.row, { height, above: height + 1 })
    element.querySelector('.data-grid-cursor')?.scrollIntoView?.({ block: 'nearest', inline: 'nearest' })
  }, [box, cursor, height])

  const handleKey = (event: KeyboardEvent<HTMLElement>) => {
    if (event.target !== event.currentTarget || event.altKey || event.metaKey) return
    const next = nextCell(event, at, { rows, columns, page: pageOf(event.currentTarget, height) })
    if (next) moveTo(next)
    else if ((event.key === 'Enter' || event.key === ' ') && at) onOpen(at.row, at.column)
    else return
    event.preventDefault()
  }
  return { cursor: at, moveTo, handleKey }
}

/** Rows of a page, but one that both pages show, and the head. */
const pageOf = (box: HTMLElement, height: number) => Math.max(1, Math.floor(box.clientHeight / height) - 2)

const SIDEWAYS: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1 }

function nextCell(
  { key, ctrlKey }: Pick<KeyboardEvent, 'key' | 'ctrlKey'>,
  from: Cell | undefined,
  { rows, columns, page }: { rows: number; columns: number; page: number },
): Cell | undefined {
  if (!rows || !columns) return undefined
  const isEnd = key === 'Home' || key === 'End'
  const row = isEnd && !ctrlKey ? undefined : movedRow(key, from?.row ?? -1, page, rows)
  const step = SIDEWAYS[key]
  if (row === undefined && step === undefined && !isEnd) return undefined
  // The first key of all only shows where one is.
  if (!from) return { row: row ?? 0, column: 0 }
  const column = isEnd ? (key === 'Home' ? 0 : columns - 1) : from.column + (step ?? 0)
  return { row: row ?? from.row, column: Math.max(0, Math.min(columns - 1, column)) }
}
