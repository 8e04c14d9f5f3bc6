import { cellWidth } from '../cell-width.ts'

/** A row of a terminal's screen. */
export interface Row {
  cells: string[]
  /** Continues in the next row, as the text was wider than the screen. */
  wrapped: boolean
  /** The first column that was not changed since somebody looked for a right prompt. */
  changedTo: number
}

/**
 * Text at the right end of a line that was not typed: some shells show the time or a branch there.
 */
export interface RightPrompt {
  /** Column where it begins. */
  column: number
  text: string
  /** In which it stood. */
  row: Row
}

export const emptyRow = (): Row => ({ cells: [], wrapped: false, changedTo: 0 })

/** Clocks change while a line is typed. */
export function sameButForDigits(one: string, other: string): boolean {
  return one.trimEnd().replace(/\d/g, '0') === other.replace(/\d/g, '0')
}

/** The text of cells; the second half of a wide character is an empty cell, a gap a blank. */
export function textOf(cells: readonly (string | undefined)[]): string {
  return Array.from(cells, (cell) => cell ?? ' ').join('')
}

/**
 * The cells of a row without the blank in the last column that line editors write when a wide character does not
 * fit there.
 */
export function withoutGap({ cells }: Row, next: Row | undefined, columns: number): string[] {
  const isGap = cells.length === columns && cells.at(-1) === ' ' && cellWidth(next?.cells[0] ?? '') === 2
  return isGap ? cells.slice(0, -1) : cells
}
