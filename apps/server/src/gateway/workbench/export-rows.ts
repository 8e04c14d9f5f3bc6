import { defuseFormula } from '../../kernel/files/formula.ts'
import type { Column, ResultSink, Row } from '../repl/output/result.ts'

export type ExportFormat = 'csv' | 'json'

/** So much goes out at a time. */
const CHUNK_BYTES = 64 * 1024
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/
/** Spreadsheet programs take a file that begins so for UTF-8. */
const BYTE_ORDER_MARK = '\ufeff'

interface ExportParts {
  format: ExportFormat
  /** The file, in its order. */
  write(bytes: Buffer): void
  failed(words: string): void
}

/**
 * Writes the rows of a statement as a file while they come; nothing of them is kept. Of several
 * results the first is taken.
 */
export class RowExport implements ResultSink {
  rows = 0
  /** Values of which only the beginning came (`VALUE_BYTES`). */
  cut = 0
  readonly #parts: ExportParts
  #columns: readonly Column[] | undefined
  #names: readonly string[] = []
  #isOver = false
  #text = ''

  constructor(parts: ExportParts) {
    this.#parts = parts
  }

  columns(columns: readonly Column[]): void {
    if (this.#columns) {
      this.#isOver = true
      return
    }
    this.#columns = columns
    this.#names = distinct(columns.map(({ name }) => name))
    this.#add(this.#parts.format === 'csv' ? BYTE_ORDER_MARK + csvLine(columns.map(({ name }) => name)) : '[')
  }

  row(values: Row): void {
    if (this.#isOver || !this.#columns) return
    for (const value of values) if (value?.isCut) this.cut++
    const columns = this.#columns
    const isFirst = this.rows++ === 0
    if (this.#parts.format === 'csv') this.#add(csvLine(values.map((value) => value?.text)))
    else {
      const entries = values.map((value, at) => [this.#names[at], jsonValue(value?.text, columns[at])])
      this.#add(`${isFirst ? '\n' : ',\n'}${JSON.stringify(Object.fromEntries(entries))}`)
    }
  }

  said(text: string, kind: 'plain' | 'notice' | 'error'): void {
    if (kind === 'error') this.#parts.failed(text)
  }

  done(): void {}

  /** Nobody takes the file any more. */
  letGo(): void {
    this.#isOver = true
    this.#text = ''
  }

  /** The statement is over. */
  end(): void {
    if (this.#columns && this.#parts.format === 'json') this.#add('\n]\n')
    this.#flush()
  }

  #add(text: string): void {
    this.#text += text
    if (this.#text.length >= CHUNK_BYTES) this.#flush()
  }

  #flush(): void {
    if (this.#text) this.#parts.write(Buffer.from(this.#text))
    this.#text = ''
  }
}

/** As RFC 4180 has it; NULL is an empty field, an empty text a quoted one. */
const csvLine = (values: readonly (string | undefined)[]): string => `${values.map(csvField).join(',')}\r\n`

function csvField(value: string | undefined): string {
  if (value === undefined) return ''
  const text = String(defuseFormula(value))
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** A number that JavaScript would change stays a text. */
function jsonValue(text: string | undefined, column: Column | undefined): string | number | null {
  if (text === undefined) return null
  return column?.isNumber && NUMBER.test(text) && String(Number(text)) === text ? Number(text) : text
}

/** Columns of one name would take each other's place. */
function distinct(names: readonly string[]): string[] {
  const seen = new Map<string, number>()
  return names.map((name) => {
    const times = (seen.get(name) ?? 0) + 1
    seen.set(name, times)
    return times === 1 ? name : `${name}_${times}`
  })
}
