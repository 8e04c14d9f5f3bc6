import { firstColumns, fitText, textWidth } from '../../prompt/plain-text.ts'
import { fitWidths } from '../../prompt/table.ts'
import { cellRows, cellText } from './cells.ts'
import type { Column, Row, Value } from './result.ts'

/** How tables look, as people know them from the database's own client. */
export type TableStyle = 'lines' | 'boxes'

/** A column that has to be narrower than this says nothing any more. */
const NARROWEST = 6
const NULL = 'NULL'
/** Limit of one value in a table that is measured and shown, in characters. */
const CELL_MAX = 4096

/** A table whose rows come in several parts, fitted to the window. */
export class Table {
  readonly #columns: readonly Column[]
  readonly #style: TableStyle
  #widths: number[] = []
  #isBegun = false
  /** Values were cut to fit. */
  isCut = false

  constructor(columns: readonly Column[], style: TableStyle) {
    this.#columns = columns
    this.#style = style
  }

  /** Whether so many columns fit beside each other at all. */
  fits(columns: number): boolean {
    return this.#columns.length * (NARROWEST + 3) <= Math.max(columns, NARROWEST + 3)
  }

  /** The lines of some more rows; the header where it is needed. */
  lines(rows: readonly Row[], columns: number): string[] {
    const cells = rows.map((row) => row.map((value) => this.#cell(value)))
    const titles = this.#columns.map(({ name }) => cellText(name))
    const natural = titles.map((title, at) =>
      Math.max(1, textWidth(title), ...cells.map((row) => textWidth(row[at] ?? ''))),
    )
    const wanted = natural.map((width, at) => Math.max(width, this.#widths[at] ?? 0))
    const room = columns - 1 - (this.#style === 'boxes' ? 3 * wanted.length + 1 : 3 * wanted.length - 1)
    const widths = wanted.reduce((sum, width) => sum + width, 0) <= room ? wanted : fitWidths(wanted, room)
    if (natural.some((width, at) => width > (widths[at] as number))) this.isCut = true
    const isSame = widths.every((width, at) => width === this.#widths[at])
    this.#widths = widths
    const lines: string[] = []
    if (!this.#isBegun || !isSame) {
      if (this.#style === 'boxes') lines.push(this.#rule())
      lines.push(this.#line(titles, true), this.#rule())
    }
    this.#isBegun = true
    for (const row of cells) lines.push(this.#line(row, false))
    return lines.map((line) => firstColumns(line, columns - 1))
  }

  /** Lines below the last row. */
  end(columns: number): string[] {
    return this.#style === 'boxes' && this.#isBegun ? [firstColumns(this.#rule(), columns - 1)] : []
  }

  #cell(value: Value | undefined): string {
    if (!value) return NULL
    const isLong = value.isCut || value.text.length > CELL_MAX
    if (isLong) this.isCut = true
    return `${cellText(value.text.slice(0, CELL_MAX))}${isLong ? '..' : ''}`
  }

  #line(cells: readonly string[], isTitle: boolean): string {
    const fitted = this.#widths.map((width, at) => {
      const cell = cells[at] ?? ''
      const isRight = !isTitle && this.#columns[at]?.isNumber && textWidth(cell) <= width
      return isRight ? ' '.repeat(width - textWidth(cell)) + cell : fitText(cell, width)
    })
    return this.#style === 'boxes' ? `| ${fitted.join(' | ')} |` : ` ${fitted.join(' | ')}`.trimEnd()
  }

  #rule(): string {
    const parts = this.#widths.map((width) => '-'.repeat(width + 2))
    return this.#style === 'boxes' ? `+${parts.join('+')}+` : parts.join('+')
  }
}

/** A row with each value in a line of its own, or in several. */
export function expandedRow(
  columns: readonly Column[],
  row: Row,
  { number, style, width }: { number: number; style: TableStyle; width: number },
): string[] {
  const titles = columns.map(({ name }) => cellText(name))
  const widest = Math.min(Math.floor(width / 2), Math.max(0, ...titles.map(textWidth)))
  const head =
    style === 'boxes'
      ? `*************************** ${number}. row ***************************`
      : `-[ RECORD ${number} ]`.padEnd(Math.min(width - 1, 40), '-')
  const lines = [firstColumns(head, width - 1)]
  for (const [at, title] of titles.entries()) {
    const value = row[at]
    const [first = '', ...others] = value ? cellRows(value.text) : [NULL]
    const name = fitText(title, widest)
    const before =
      style === 'boxes' ? `${' '.repeat(widest - textWidth(name.trimEnd()))}${name.trimEnd()}: ` : `${name} | `
    const indent = style === 'boxes' ? ' '.repeat(textWidth(before)) : `${' '.repeat(widest)} | `
    lines.push(before + first, ...others.map((line) => indent + line))
    if (value?.isCut) lines.push(`${indent}..`)
  }
  return lines
}
