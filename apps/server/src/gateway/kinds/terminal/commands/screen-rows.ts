import { cellWidth } from '../cell-width.ts'
import type { TerminalSize } from '../streams.ts'
import { emptyRow, type RightPrompt, type Row, sameButForDigits, textOf, withoutGap } from './row.ts'

/** Rows to keep above the cursor: enough for any command line that wraps. */
export const HEIGHT = 64
/** Marks and joiners that are kept with one character; nobody types more. */
const MARKS_MAX = 32

/**
 * The text on a terminal's screen, and a cursor. Rows are counted from the session's start, so that
 * positions stay valid while the screen scrolls.
 */
export class ScreenRows {
  protected rows: Row[] = [emptyRow()]
  /** Number of the first row that is kept. */
  protected first = 0
  protected row = 0
  protected column = 0
  protected columns: number
  /** The first row that is kept goes on from one that is not. */
  #isCutAbove = false
  /** The last row in which something happened that can't be followed; -1 where nothing did. */
  protected garbled = -1

  constructor({ cols }: TerminalSize) {
    this.columns = Math.max(1, cols)
  }

  /** Number of the first row that is kept. */
  get firstRow(): number {
    return this.first
  }

  /** Number of the last row, in which the cursor has been. */
  get lastRow(): number {
    return this.first + this.rows.length - 1
  }

  /** Position of the cursor: number of the row since the start, and column. */
  get cursor(): { row: number; column: number } {
    return { row: this.first + this.row, column: this.column }
  }

  /** The last row in which something happened that can't be followed; -1 where nothing did. */
  get garbledRow(): number {
    return this.garbled
  }

  /**
   * Whether a part of the cursor's line is unknown: it is cut off above, or was changed in an
   * unknown way.
   */
  get isLost(): boolean {
    const { row } = this.line()
    return row <= this.garbled || (this.#isCutAbove && row === this.first)
  }

  resize({ cols }: TerminalSize): void {
    this.columns = Math.max(1, cols)
  }

  /**
   * The cursor's line with its wrapped parts joined, and the number of its first row. Leaves out
   * the right prompt that is given.
   */
  line(right?: RightPrompt): { row: number; text: string } {
    let start = this.row
    while (start > 0 && this.rows[start - 1]?.wrapped) start--
    return { row: this.first + start, text: this.#lineFrom(start, right).text }
  }

  /** The lines from a row down to the cursor's, or to the last one. */
  linesFrom(row: number, right?: RightPrompt, to: 'cursor' | 'last' = 'cursor'): string[] {
    const lines: string[] = []
    const last = to === 'cursor' ? this.row : this.rows.length - 1
    for (let start = Math.max(0, row - this.first); start <= last; ) {
      const { text, end } = this.#lineFrom(start, lines.length ? undefined : right)
      lines.push(text)
      start = end + 1
    }
    return lines
  }

  #lineFrom(start: number, right: RightPrompt | undefined): { text: string; end: number } {
    let end = start
    while (this.rows[end]?.wrapped && end + 1 < this.rows.length) end++
    const rows = this.rows.slice(start, end + 1)
    const text = rows.map((row, index) => textOf(withoutGap(row, rows[index + 1], this.columns))).join('')
    const isThere = right && end === start && isRightPrompt(rows[0], right)
    return { end, text: (isThere ? textOf(rows[0]?.cells.slice(0, right.column) ?? []) : text).trimEnd() }
  }

  /** Text after the cursor, with a gap between. */
  rightPrompt(): RightPrompt | undefined {
    const row = this.current()
    const column = row.cells.findIndex((cell, at) => at >= this.column && cell !== undefined && cell.trim() !== '')
    if (column <= this.column) return undefined
    row.changedTo = 0
    return { column, text: textOf(row.cells.slice(column)).trimEnd(), row }
  }

  /** Whether the row still has what `rightPrompt` found, and nothing that was written since. */
  isUntouched({ column, row }: RightPrompt, at: number): boolean {
    return this.rows[at - this.first] === row && row.changedTo <= column
  }

  /**
   * Whether a line from that row on goes on beyond the edge, as line editors that keep to one row mark it:
   * by `>`, `<`, `*` or `+` in one of the last columns.
   */
  goesOnAside(row: number, right?: RightPrompt): boolean {
    return this.rows.slice(Math.max(0, row - this.first)).some((one) => {
      const last = one.cells.findLastIndex((cell) => cell !== undefined && cell.trim() !== '')
      const isMarked = last >= this.columns - 3 && /^[<>*+]$/.test(one.cells[last] ?? '')
      return isMarked && !one.wrapped && !(right && isRightPrompt(one, right))
    })
  }

  /** The cursor's line up to the cursor: a prompt, when a person starts to type. */
  beforeCursor(): { row: number; text: string } {
    const { row } = this.line()
    const parts: string[] = []
    for (let n = row - this.first; n < this.row; n++)
      parts.push(textOf(withoutGap(this.rows[n] ?? emptyRow(), this.rows[n + 1], this.columns)))
    parts.push(textOf((this.rows[this.row]?.cells ?? []).slice(0, this.column)))
    return { row, text: parts.join('') }
  }

  /** From here on the content of the row is unknown. */
  protected garble(): void {
    this.garbled = Math.max(this.garbled, this.cursor.row)
  }

  protected print(character: string): void {
    const width = cellWidth(character)
    if (width === 0) {
      this.#mark(character)
      return
    }
    if (this.column + width > this.columns) {
      this.current().wrapped = true
      this.down()
      this.column = 0
    }
    const row = this.current()
    const { cells } = row
    this.pad(cells)
    cells[this.column] = character
    if (width === 2) cells[this.column + 1] = ''
    this.column += width
    row.changedTo = Math.max(row.changedTo, this.column)
  }

  /** Blanks at the cursor move what follows to the right, and over the edge. */
  protected insert(count: number): void {
    const row = this.current()
    this.pad(row.cells)
    row.cells.splice(this.column, 0, ...Array.from({ length: Math.min(count, this.columns) }, () => ' '))
    row.cells.length = Math.min(row.cells.length, this.columns)
    row.changedTo = this.columns
  }

  /** The rest moves to the left. */
  protected remove(count: number): void {
    const row = this.current()
    row.cells.splice(this.column, count)
    row.changedTo = this.columns
  }

  /** Erases cells of the row: `all`, those `before` the cursor and at it, or those `behind`. */
  protected erase(which: 'all' | 'before' | 'behind'): void {
    const row = this.current()
    const { cells } = row
    if (which === 'before') cells.fill(' ', 0, Math.min(cells.length, this.column + 1))
    else {
      cells.length = which === 'all' ? 0 : Math.min(cells.length, this.column)
      row.changedTo = this.columns
    }
  }

  protected blank(count: number): void {
    const row = this.current()
    row.cells.fill(' ', this.column, Math.min(row.cells.length, this.column + count))
    row.changedTo = Math.max(row.changedTo, this.column + count)
  }

  /** A character without width belongs to the one before it, and makes another one of it. */
  #mark(character: string): void {
    const { cells } = this.current()
    const at = cells[this.column - 1] === '' ? this.column - 2 : this.column - 1
    const before = cells[at]
    if (before === undefined || before.length > MARKS_MAX) this.garble()
    else cells[at] = before + character
  }

  protected pad(cells: string[]): void {
    while (cells.length < this.column) cells.push(' ')
  }

  protected down(): void {
    this.row++
    if (this.row === this.rows.length) this.rows.push(emptyRow())
    while (this.rows.length > HEIGHT && this.row > 0) this.dropFirst()
  }

  protected dropFirst(): void {
    this.#isCutAbove = this.rows.shift()?.wrapped === true
    this.first++
    this.row--
  }

  protected current(): Row {
    const row = this.rows[this.row]
    if (row) return row
    const added = emptyRow()
    this.rows[this.row] = added
    return added
  }
}

const isRightPrompt = (row: Row | undefined, { column, text }: RightPrompt) =>
  sameButForDigits(textOf(row?.cells.slice(column) ?? []), text)
