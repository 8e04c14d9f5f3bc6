import { cellWidth } from '../cell-width.ts'
import type { TerminalSize } from '../streams.ts'
import { emptyRow, type RightPrompt, type Row, sameButForDigits, textOf, withoutGap } from './row.ts'
import { Sequences } from './sequences.ts'

/** Rows to keep above the cursor: enough for any command line that wraps. */
const HEIGHT = 64

/**
 * A small model of a terminal's screen, for recognising command lines alone. It understands what
 * line editors write (cursor moves, erasing, inserting, wrapping, wide characters) and ignores the
 * rest. Rows are counted from the session's start, so that positions stay valid while the screen
 * scrolls.
 */
export class Screen {
  #rows: Row[] = [emptyRow()]
  /** Number of the first row that is kept. */
  #first = 0
  #row = 0
  #column = 0
  #columns: number
  readonly #sequences = new Sequences()
  #alternate = false
  /** What stands on the first screen while the second one is on. */
  #behind: { rows: Row[]; first: number; row: number; column: number } | undefined
  /** Text was put anywhere on the screen since a line editor came on. */
  #isDrawn = false
  /** The row that was chosen last. */
  #placedRow: number | undefined
  #takesPastes = false
  #editor = 0
  #saved: { row: number; column: number } | undefined
  /** The first row that is kept goes on from one that is not. */
  #isCutAbove = false
  /** Called before the cursor goes down, by a line feed or a move. */
  onDown: (how: 'fed' | 'moved') => void = () => {}
  /** Called when a line editor has finished with its line, of one row or several. */
  onEdited: () => void = () => {}

  constructor({ cols }: TerminalSize) {
    this.#columns = Math.max(1, cols)
  }

  /** Whether the second screen is on, as of a full-screen program (editor, pager). */
  get alternate(): boolean {
    return this.#alternate
  }

  /**
   * Whether a line editor is on that accepts a paste as text, line ends included (bracketed paste).
   */
  get takesPastes(): boolean {
    return this.#takesPastes
  }

  /** Whether something has chosen its place on the screen since a line editor came on, which none does. */
  get isDrawn(): boolean {
    return this.#isDrawn
  }

  /** Number of the line editor that is on, or of what has come since. */
  get editor(): number {
    return this.#editor
  }

  /** Whether the cursor's row is one that was chosen. */
  get isPlaced(): boolean {
    return this.cursor.row === this.#placedRow
  }

  /** Whether a part of the cursor's line can't be told: it is cut off above, or goes into a title. */
  get isLost(): boolean {
    return this.#sequences.inString || (this.#isCutAbove && this.line().row === this.#first)
  }

  /** Number of the first row that is kept. */
  get firstRow(): number {
    return this.#first
  }

  /** Number of the last row, in which the cursor has been. */
  get lastRow(): number {
    return this.#first + this.#rows.length - 1
  }

  /** Position of the cursor: number of the row since the start, and column. */
  get cursor(): { row: number; column: number } {
    return { row: this.#first + this.#row, column: this.#column }
  }

  resize({ cols }: TerminalSize): void {
    this.#columns = Math.max(1, cols)
  }

  /**
   * The cursor's line with its wrapped parts joined, and the number of its first row. Leaves out
   * the right prompt that is given.
   */
  line(right?: RightPrompt): { row: number; text: string } {
    let start = this.#row
    while (start > 0 && this.#rows[start - 1]?.wrapped) start--
    return { row: this.#first + start, text: this.#lineFrom(start, right).text }
  }

  /** The lines from a row down to the cursor's, or to the last one. */
  linesFrom(row: number, right?: RightPrompt, to: 'cursor' | 'last' = 'cursor'): string[] {
    const lines: string[] = []
    const last = to === 'cursor' ? this.#row : this.#rows.length - 1
    for (let start = Math.max(0, row - this.#first); start <= last; ) {
      const { text, end } = this.#lineFrom(start, lines.length ? undefined : right)
      lines.push(text)
      start = end + 1
    }
    return lines
  }

  #lineFrom(start: number, right: RightPrompt | undefined): { text: string; end: number } {
    let end = start
    while (this.#rows[end]?.wrapped && end + 1 < this.#rows.length) end++
    const rows = this.#rows.slice(start, end + 1)
    const text = rows.map((row, index) => textOf(withoutGap(row, rows[index + 1], this.#columns))).join('')
    const isThere =
      right && end === start && sameButForDigits(textOf(rows[0]?.cells.slice(right.column) ?? []), right.text)
    return { end, text: (isThere ? textOf(rows[0]?.cells.slice(0, right.column) ?? []) : text).trimEnd() }
  }

  /** Text after the cursor, with a gap between. */
  rightPrompt(): RightPrompt | undefined {
    const { cells } = this.#rows[this.#row] ?? emptyRow()
    const column = cells.findIndex((cell, at) => at >= this.#column && cell !== undefined && cell.trim() !== '')
    if (column <= this.#column) return undefined
    return { column, text: textOf(cells.slice(column)).trimEnd() }
  }

  /** The cursor's line up to the cursor: a prompt, when a person starts to type. */
  beforeCursor(): { row: number; text: string } {
    const { row } = this.line()
    const parts: string[] = []
    for (let n = row - this.#first; n < this.#row; n++)
      parts.push(textOf(withoutGap(this.#rows[n] ?? emptyRow(), this.#rows[n + 1], this.#columns)))
    parts.push(textOf((this.#rows[this.#row]?.cells ?? []).slice(0, this.#column)))
    return { row, text: parts.join('') }
  }

  /** What has chosen its place so far is no editor. */
  forgetDrawn(): void {
    this.#isDrawn = false
  }

  write(text: string): void {
    for (const character of text) this.#take(character)
  }

  #take(character: string): void {
    const sequence = this.#sequences.take(character)
    if (sequence) this.#obey(sequence)
    if (sequence !== undefined) return
    const code = character.codePointAt(0) ?? 0
    if (code === 0x0a) this.#lineFeed()
    else if (code === 0x0d) this.#column = 0
    else if (code === 0x08) this.#column = Math.max(0, this.#column - 1)
    else if (code === 0x09) this.#column = Math.min(this.#columns - 1, (Math.floor(this.#column / 8) + 1) * 8)
    else if (code >= 0x20 && code !== 0x7f) this.#print(character)
  }

  #print(character: string): void {
    const width = cellWidth(character)
    if (width === 0) return
    if (this.#column + width > this.#columns) {
      this.#current().wrapped = true
      this.#down()
      this.#column = 0
    }
    const { cells } = this.#current()
    while (cells.length < this.#column) cells.push(' ')
    cells[this.#column] = character
    if (width === 2) cells[this.#column + 1] = ''
    this.#column += width
  }

  #lineFeed(): void {
    if (!this.#alternate || !this.#isDrawn) this.onDown('fed')
    // A row that continues keeps doing so: line editors move down inside a long line like this.
    this.#down()
  }

  #down(): void {
    this.#row++
    if (this.#row === this.#rows.length) this.#rows.push(emptyRow())
    while (this.#rows.length > HEIGHT && this.#row > 0) this.#dropFirst()
  }

  #dropFirst(): void {
    this.#isCutAbove = this.#rows.shift()?.wrapped === true
    this.#first++
    this.#row--
  }

  #current(): Row {
    const row = this.#rows[this.#row]
    if (row) return row
    const added = emptyRow()
    this.#rows[this.#row] = added
    return added
  }

  #obey(sequence: string): void {
    if (sequence.startsWith('\x1b[')) this.#obeyControl(sequence.slice(2, -1), sequence.at(-1) ?? '')
    else if (sequence === '\x1b7') this.#saveCursor()
    else if (sequence === '\x1b8') this.#restoreCursor()
  }

  #saveCursor(): void {
    this.#saved = this.cursor
  }

  #restoreCursor(): void {
    if (!this.#saved) return
    this.#row = Math.min(Math.max(0, this.#saved.row - this.#first), this.#rows.length - 1)
    this.#column = Math.min(this.#columns - 1, this.#saved.column)
  }

  #setMode(parameters: string, on: boolean): void {
    if (/^\?(1049|1048|1047|47)(;|$)/.test(parameters)) this.#switch(on)
    else if (parameters === '?2004') {
      this.#takesPastes = on
      this.#isDrawn = false
      this.#editor++
      if (!on) this.onEdited()
    }
  }

  #switch(toSecond: boolean): void {
    if (toSecond === this.#alternate) return
    this.#alternate = toSecond
    const [rows, first, row, column] = [this.#rows, this.#first, this.#row, this.#column]
    if (toSecond) {
      this.#behind = { rows, first, row, column }
      this.#rows = rows.map(({ cells, wrapped }) => ({ cells: [...cells], wrapped }))
    } else if (this.#behind) {
      this.#rows = this.#behind.rows
      this.#first = this.#behind.first
      this.#row = this.#behind.row
      this.#column = this.#behind.column
      this.#behind = undefined
    }
  }

  /** Control sequences by their final letter (ECMA-48 §8.3). */
  #obeyControl(parameters: string, letter: string): void {
    if (parameters.startsWith('?')) {
      if (letter === 'h' || letter === 'l') this.#setMode(parameters, letter === 'h')
      return
    }
    const numbers = parameters.split(';').map((part) => Number.parseInt(part, 10) || 0)
    const count = Math.min(Math.max(1, numbers[0] ?? 1), 10_000)
    const row = this.#current()
    const { cells } = row
    switch (letter) {
      case 'A':
        this.#row = Math.max(0, this.#row - count)
        break
      case 's':
        if (!parameters) this.#saveCursor()
        break
      case 'u':
        if (!parameters) this.#restoreCursor()
        break
      case 'B':
        this.onDown('moved')
        for (let n = 0; n < Math.min(count, HEIGHT); n++) this.#down()
        break
      case 'C':
        this.#column = Math.min(this.#columns - 1, this.#column + count)
        break
      case 'D':
        this.#column = Math.max(0, this.#column - count)
        break
      case 'G':
        this.#column = Math.min(this.#columns - 1, count - 1)
        break
      case 'H':
      case 'f':
        if ((numbers[0] ?? 0) > 1 || (numbers[1] ?? 0) > 1) this.#isDrawn = true
        // This model does not know absolute rows: programs that use them draw rather than edit a
        // line. Clearing the screen gets here, too.
        for (const one of this.#rows.slice(-1)) one.wrapped = false
        this.#rows.push(emptyRow())
        this.#row = this.#rows.length - 1
        this.#column = Math.min(this.#columns - 1, Math.max(0, (numbers[1] || 1) - 1))
        while (this.#rows.length > HEIGHT) this.#dropFirst()
        this.#placedRow = this.cursor.row
        break
      case 'd':
      case 'r':
        this.#isDrawn = true
        break
      case 'J':
        this.#rows.length = this.#row + 1
        row.wrapped = false
        if (numbers[0] === 2 || numbers[0] === 3) cells.length = 0
        else cells.length = Math.min(cells.length, this.#column)
        break
      case 'K':
        if (!numbers[0]) cells.length = Math.min(cells.length, this.#column)
        else if (numbers[0] === 1) cells.fill(' ', 0, Math.min(cells.length, this.#column + 1))
        else cells.length = 0
        if (numbers[0] !== 1) row.wrapped = false
        break
      case 'P':
        cells.splice(this.#column, count)
        break
      case '@':
        while (cells.length < this.#column) cells.push(' ')
        cells.splice(this.#column, 0, ...Array.from({ length: Math.min(count, this.#columns) }, () => ' '))
        break
      case 'X':
        cells.fill(' ', this.#column, Math.min(cells.length, this.#column + count))
        break
      default:
    }
  }
}
