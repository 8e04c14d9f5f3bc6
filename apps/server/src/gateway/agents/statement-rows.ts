import type { Column, ResultSink, Row } from '../repl/output/result.ts'
import { cut } from './frame.ts'

/** Characters of one value, and of all values, that are kept. */
const VALUE_LENGTH = 2000
const ALL_LENGTH = 100_000
/** Words of a server that are kept. */
const MESSAGES_MAX = 20
const MESSAGE_LENGTH = 2000

/** The first rows of an answer; the rest is read and dropped, so that what the statement does is done whole. */
export class StatementRows implements ResultSink {
  readonly #limit: number
  #length = 0
  columnNames: string[] = []
  readonly rows: (string | null)[][] = []
  readonly messages: string[] = []
  /** The server's error, or our refusal in its place. */
  error: string | undefined
  /** There are more rows, or more of a value, than are kept. */
  isCut = false
  /** Words of the server about the end, such as `UPDATE 3`. */
  summary = ''

  constructor(limit: number) {
    this.#limit = limit
  }

  columns(columns: readonly Column[]): void {
    // The last of several results is kept.
    this.columnNames = columns.map(({ name }) => cut(name, VALUE_LENGTH).text)
    this.rows.length = 0
    this.#length = 0
  }

  row(values: Row): void {
    if (this.rows.length >= this.#limit || this.#length >= ALL_LENGTH) {
      this.isCut = true
      return
    }
    this.rows.push(
      values.map((value) => {
        if (!value) return null
        const { text, is_cut } = cut(value.text, VALUE_LENGTH)
        this.#length += text.length
        this.isCut ||= is_cut || value.isCut
        return text
      }),
    )
  }

  message(text: string, kind: 'plain' | 'notice' | 'error'): void {
    const words = cut(text, MESSAGE_LENGTH).text
    if (kind === 'error') this.error ??= words
    else if (this.messages.length < MESSAGES_MAX) this.messages.push(words)
  }

  done({ words }: { words: string }): void {
    this.summary = words
  }
}
