import type { ExportFormat } from '@sallyport/contract/socket/workbench.ts'
import type { Column, ResultSink, Row } from '../repl/output/result.ts'
import { ROW_FILES, type RowFile } from './row-files.ts'

interface ExportParts {
  format: ExportFormat
  /** The file, in its order. */
  write(bytes: Buffer): void
  failed(words: string): void
}

/**
 * Writes the rows of a statement as a file while they come; none of them is kept. The first of
 * several results is taken.
 */
export class RowExport implements ResultSink {
  rows = 0
  /** Values of which only the beginning came (`VALUE_BYTES`), or is in the file. */
  cut = 0
  readonly #parts: ExportParts
  #file: RowFile | undefined
  #isOver = false

  constructor(parts: ExportParts) {
    this.#parts = parts
  }

  columns(columns: readonly Column[]): void {
    if (this.#file) this.#isOver = true
    else if (!this.#isOver) this.#file = ROW_FILES[this.#parts.format](columns, this.#parts.write)
  }

  row(values: Row): void {
    if (this.#isOver || !this.#file) return
    for (const value of values) if (value?.isCut) this.cut++
    this.rows++
    this.cut += this.#file.row(values)
  }

  message(text: string, kind: 'plain' | 'notice' | 'error'): void {
    if (kind === 'error') this.#parts.failed(text)
  }

  done(): void {}

  /** Nobody takes the file any more. */
  letGo(): void {
    this.#isOver = true
    this.#file = undefined
  }

  /** The statement is over. */
  end(): void {
    this.#file?.end()
  }
}
