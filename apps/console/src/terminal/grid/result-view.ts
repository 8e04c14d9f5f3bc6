/** A table of rows as a value: a window of them, as many as a page can hold. */
import type { ShownColumn, ShownValue, WorkbenchEvent } from '@sallyport/contract/socket/workbench.ts'

export type Value = ShownValue
export type Row = readonly Value[]
export type Column = ShownColumn

/** A table that a statement brought. */
export interface ResultView {
  /** Which of the statement's results, from 1. */
  result: number
  columns: readonly Column[]
  /** A window of them: as many as a page can hold. */
  rows: readonly Row[]
  /** How many came before the window. */
  before?: number
  /** How many have come in all, if some came behind the window. */
  shown?: number
  /** The first that is still available. */
  first?: number
  /** Rows that were let go are on their way. */
  isAsking?: boolean
  /** Bytes of all the values in the window. */
  characters?: number
  /** More rows come when they are asked for. */
  isHeld: boolean
  /** Rows in all, once that is known; `isCut`: those that are not here are not available. */
  done?: { rows: number; isCut: boolean }
}

/** More than either is not kept in the page. */
export const WINDOW_ROWS = 100_000
const WINDOW_CHARACTERS = 64 * 1024 * 1024

/** Whether the window has no room for more. */
export const isFull = ({ rows, characters = 0 }: ResultView): boolean =>
  rows.length >= WINDOW_ROWS || characters >= WINDOW_CHARACTERS

/** How many rows have come so far, in the window or not. */
export const shownOf = ({ rows, before = 0, shown }: ResultView): number => Math.max(shown ?? 0, before + rows.length)

type OfKind<Event extends WorkbenchEvent['event']> = Extract<WorkbenchEvent, { event: Event }>

/** Rows that have just come. Behind a window that has moved back they wait where they are kept. */
export function withRows(now: ResultView, rows: readonly Row[], keepsRows: boolean): ResultView {
  const shown = shownOf(now)
  if ((now.before ?? 0) + now.rows.length < shown) return { ...now, shown: shown + rows.length }
  const longer = longerBy(now, [...now.rows, ...rows], rows)
  return keepsRows ? withinWindow(longer, 'above') : longer
}

/** Rows that came once before, next to those of the window; others are not wanted any more. */
export function withRowsAgain(now: ResultView, { from, rows }: OfKind<'again'>): ResultView {
  const { before = 0 } = now
  const asked = { ...now, shown: shownOf(now), isAsking: false }
  if (from === before + now.rows.length) return withinWindow(longerBy(asked, [...now.rows, ...rows], rows), 'above')
  if (from + rows.length !== before) return asked
  return withinWindow({ ...longerBy(asked, [...rows, ...now.rows], rows), before: from }, 'below')
}

/** The wanted rows are not kept any more: the window goes on with the first that is. */
export function withoutRows(now: ResultView, gone: OfKind<'gone'>): ResultView {
  const shown = shownOf(now)
  const first = gone.first ?? shown
  const { before = 0, rows } = now
  const isApart = before + rows.length < first
  return { ...now, shown, first, isAsking: false, ...(isApart ? { rows: [], characters: 0, before: first } : {}) }
}

const charactersOf = (row: Row): number =>
  row.reduce<number>((sum, value) => sum + ((Array.isArray(value) ? value[0] : value)?.length ?? 0), 0)

function longerBy(now: ResultView, rows: readonly Row[], added: readonly Row[]): ResultView {
  return { ...now, rows, characters: added.reduce((sum, row) => sum + charactersOf(row), now.characters ?? 0) }
}

/** Lets go of what is too much, at one end of the window. */
function withinWindow(now: ResultView, end: 'above' | 'below'): ResultView {
  const { rows, before = 0 } = now
  let { characters = 0 } = now
  let gone = 0
  const isTooLong = () => rows.length - gone > WINDOW_ROWS || (characters > WINDOW_CHARACTERS && gone < rows.length - 1)
  for (; isTooLong(); gone++) characters -= charactersOf(rows[end === 'above' ? gone : rows.length - 1 - gone] as Row)
  if (!gone) return now
  const shown = shownOf(now)
  return end === 'above'
    ? { ...now, shown, rows: rows.slice(gone), characters, before: before + gone }
    : { ...now, shown, rows: rows.slice(0, -gone), characters }
}

/** Rows that are not here stay so. */
export function withValue({ rows, before = 0 }: ResultView, { at, column, value }: OfKind<'changed'>): readonly Row[] {
  const place = at - before
  const row = place < 0 ? undefined : rows[place]
  return row ? rows.with(place, row.with(column, value)) : rows
}

export const emptiedAt = (result: ResultView, before: number): ResultView => ({
  ...result,
  ...{ rows: [], characters: 0, before, shown: shownOf(result) },
})
