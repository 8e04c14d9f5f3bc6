import { cellWidth } from '../../kinds/terminal/cell-width.ts'
import type { TerminalSize } from '../../kinds/terminal/streams.ts'
import { firstColumns, textWidth } from '../../prompt/plain-text.ts'

/** Text before the first row, and before those below it. */
export interface Prompts {
  first: string
  more: string
}

/** Rows to show, and where the cursor is. */
export interface Shown {
  rows: readonly string[]
  row: number
  before: string
  after: string
}

export interface Screen {
  write(text: string): void
  size(): TerminalSize
}

/** Columns of a row that are left, however long its prompt is. */
const ROOM_MIN = 4

/**
 * Draws a text that is being edited. Each of its rows takes one row of the terminal, in which a long
 * one shows the part around the cursor, and of more rows than the terminal has those around the
 * cursor are shown: so drawing never depends on how a terminal wraps or scrolls.
 */
export class EditorView {
  readonly #screen: Screen
  /** Columns of each row as it was drawn last. */
  #drawn: number[] = []
  /** Place of the cursor among them. */
  #cursor = { row: 0, column: 0 }
  /** The first row that is shown. */
  #top = 0

  constructor(screen: Screen) {
    this.#screen = screen
  }

  /** The next text begins at the cursor. */
  begin(): void {
    this.#drawn = []
    this.#cursor = { row: 0, column: 0 }
    this.#top = 0
  }

  draw(prompts: Prompts, { rows, row, before, after }: Shown): void {
    const { cols, rows: height } = this.#screen.size()
    const most = Math.max(1, height - 1)
    this.#top = Math.max(0, Math.min(this.#top, row), row - most + 1)
    const visible = rows.slice(this.#top, this.#top + most)
    const cursorRow = row - this.#top
    let column = 0
    const lines = visible.map((text, index) => {
      const prompt = this.#top + index === 0 ? prompts.first : prompts.more
      const room = Math.max(ROOM_MIN, cols - 1 - textWidth(prompt))
      if (index !== cursorRow) return prompt + firstColumns(shown(text), room)
      const left = lastColumns(shown(before), room)
      column = textWidth(prompt) + textWidth(left)
      return prompt + left + firstColumns(shown(after), room - textWidth(left))
    })
    this.#screen.write(
      `${this.#toTop()}\x1b[J${lines.join('\r\n')}${up(visible.length - 1 - cursorRow)}\r${column ? `\x1b[${column}C` : ''}`,
    )
    this.#drawn = lines.map(textWidth)
    this.#cursor = { row: cursorRow, column }
  }

  /** Writes what was added at the end of all; false where all must be drawn again. */
  append(text: string): boolean {
    const width = textWidth(text)
    const { row, column } = this.#cursor
    if (row !== this.#drawn.length - 1 || column + width >= this.#screen.size().cols) return false
    if (text.includes('\t')) return false
    this.#screen.write(text)
    this.#cursor.column += width
    this.#drawn[row] = this.#cursor.column
    return true
  }

  /** The cursor goes below all that is drawn. */
  end(mark = ''): void {
    const below = this.#drawn.length - 1 - this.#cursor.row
    this.#screen.write(`${below > 0 ? `\x1b[${below}B` : ''}${mark}\r\n`)
    this.begin()
  }

  /** Takes what is drawn away. */
  clear(): void {
    if (this.#drawn.length) this.#screen.write(`${this.#toTop()}\x1b[J`)
    this.begin()
  }

  /** Something else was written, and the cursor is at the beginning of a row. */
  forget(): void {
    this.begin()
  }

  /** Most terminals wrap rows that have become too wide. */
  #toTop(): string {
    const { cols } = this.#screen.size()
    const wrapped = this.#drawn.slice(0, this.#cursor.row).map((width) => Math.max(1, Math.ceil(width / cols)))
    return `${up(wrapped.reduce((sum, rows) => sum + rows, 0) + Math.floor(this.#cursor.column / Math.max(1, cols)))}\r`
  }
}

const up = (rows: number): string => (rows > 0 ? `\x1b[${rows}A` : '')

/** A tab takes one column here, as any blank. */
const shown = (text: string): string => (text.includes('\t') ? text.replaceAll('\t', ' ') : text)

/** The end of a text that fits. */
function lastColumns(text: string, columns: number): string {
  let width = 0
  let at = text.length
  while (at > 0) {
    const size = at > 1 && isLow(text.charCodeAt(at - 1)) ? 2 : 1
    width += cellWidth(text.slice(at - size, at))
    if (width > columns) break
    at -= size
  }
  return text.slice(at)
}

const isLow = (unit: number): boolean => unit >= 0xdc00 && unit < 0xe000
