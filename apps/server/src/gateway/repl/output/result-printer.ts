import type { TerminalSize } from '../../kinds/terminal/streams.ts'
import { cellRows } from './cells.ts'
import type { Pager } from './pager.ts'
import type { Column, ResultSink, Row } from './result.ts'
import { expandedRow, Table, type TableStyle } from './table.ts'

/** Rows are measured and shown together: so many, or so many characters of them, */
const ROWS_TOGETHER = 500
const CHARACTERS_TOGETHER = 256 * 1024
/** or what has come within this time. Milliseconds. */
const SHOWN_AFTER_MS = 300

/** How rows are shown: beside each other, below each other, or as it fits. */
export type Layout = 'table' | 'expanded' | 'auto'

/** Outcome of a statement, to be shown below its table. */
export interface Summary {
  words: string
  rows: number | undefined
  hasTable: boolean
  milliseconds: number
}

export interface PrinterParts {
  pager: Pager
  size(): TerminalSize
  style: TableStyle
  layout: Layout
  /** The database's own words for what came of a statement. */
  summary(summary: Summary): string[]
  /** Said once where values had to be cut. */
  cutWords: string
  /** Since the statement was sent. Milliseconds. */
  milliseconds(): number
}

/** Shows what a server answers, in parts that are small however long it is. */
export class ResultPrinter implements ResultSink {
  readonly #parts: PrinterParts
  #columns: readonly Column[] = []
  #table: Table | undefined
  #rows: Row[] = []
  #characters = 0
  #count = 0
  #timer: NodeJS.Timeout | undefined
  #isExpanded = false
  #isCut = false

  constructor(parts: PrinterParts) {
    this.#parts = parts
  }

  columns(columns: readonly Column[]): void {
    const { layout, style, size } = this.#parts
    this.#columns = columns
    this.#count = 0
    this.#table = new Table(columns, style)
    this.#isExpanded = layout === 'expanded' || (layout === 'auto' && !this.#table.fits(size().cols))
  }

  row(values: Row): void {
    if (this.#parts.pager.hasQuit) return
    this.#rows.push(values)
    for (const value of values) this.#characters += value?.text.length ?? 0
    if (this.#rows.length >= ROWS_TOGETHER || this.#characters >= CHARACTERS_TOGETHER) this.#flush()
    else this.#timer ??= setTimeout(() => this.#flush(), SHOWN_AFTER_MS)
  }

  message(text: string, kind: 'plain' | 'notice' | 'error'): void {
    this.#flush()
    const color = kind === 'error' ? '\x1b[31m' : kind === 'notice' ? '\x1b[33m' : ''
    const lines = cellRows(text.replace(/\n$/, '')).map((line) => (color ? `${color}${line}\x1b[0m` : line))
    if (kind === 'plain') this.#parts.pager.show(lines)
    else this.#parts.pager.tell(lines)
  }

  done({ words, rows }: { words: string; rows?: number | undefined }): void {
    const { pager, size, summary, milliseconds, cutWords } = this.#parts
    const table = this.#table
    if (table && !this.#isExpanded && !this.#count && !this.#rows.length) pager.show(table.lines([], size().cols))
    this.#flush()
    if (table && !this.#isExpanded) {
      pager.show(table.end(size().cols))
      this.#isCut ||= table.isCut
    }
    pager.show(summary({ words, rows, hasTable: table !== undefined, milliseconds: milliseconds() }))
    if (this.#isCut && !this.#isExpanded) pager.show([`\x1b[2m${cutWords}\x1b[0m`])
    this.#table = undefined
    this.#isCut = false
  }

  /** Nothing more comes. */
  end(): void {
    this.#flush()
  }

  #flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const rows = this.#rows
    const table = this.#table
    this.#rows = []
    this.#characters = 0
    if (!rows.length || !table) return
    const { pager, size, style } = this.#parts
    const { cols } = size()
    if (this.#isExpanded)
      for (const row of rows) pager.show(expandedRow(this.#columns, row, { number: ++this.#count, style, width: cols }))
    else {
      this.#count += rows.length
      pager.show(table.lines(rows, cols))
    }
  }
}
