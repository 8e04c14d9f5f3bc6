import type { Column, ResultSink, Row } from '../repl/output/result.ts'
import { cut } from './frame.ts'

/** Characters of one value, and of all names and values, as the answer has them, that are kept. */
const VALUE_LENGTH = 2000
const ALL_LENGTH = 100_000
/** Characters of the answer around each of them. */
const AROUND = 8
/** Words of a server that are kept. */
const MESSAGES_MAX = 20
const MESSAGE_LENGTH = 2000

/** The first rows of an answer; the rest is read and dropped, so that what the statement does is done whole. */
export class StatementRows implements ResultSink {
  readonly limit: number
  #left = ALL_LENGTH
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
    this.limit = limit
  }

  columns(columns: readonly Column[]): void {
    // The last of several results is kept.
    this.rows.length = 0
    this.#left = ALL_LENGTH
    this.columnNames = columns.map(({ name }) => this.#kept(name))
  }

  row(values: Row): void {
    if (this.rows.length >= this.limit || this.#left <= 0) {
      this.isCut = true
      return
    }
    this.rows.push(
      values.map((value) => {
        if (value) {
          this.isCut ||= value.isCut
          return this.#kept(value.text)
        }
        this.#left -= AROUND
        return null
      }),
    )
  }

  /** The beginning of a name or value: also one row may be too long. */
  #kept(whole: string): string {
    const { text, length, is_cut } = cut(whole, Math.min(VALUE_LENGTH, Math.max(0, this.#left)))
    this.#left -= length + AROUND
    this.isCut ||= is_cut
    return text
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
