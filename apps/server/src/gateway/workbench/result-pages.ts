import type { ShownColumn, ShownValue } from '@sallyport/contract/socket/workbench.ts'
import type { Column, ColumnSource, ResultSink, Row } from '../repl/output/result.ts'

/** Rows that are shown at a time, and characters; the next page begins where either is reached. */
export const PAGE_ROWS = 500
export const PAGE_CHARACTERS = 1024 * 1024
/**
 * A page that asks for the next rows as soon as it has those before, so many times in a row, wants all of
 * them: it gets more at a time, in fewer pieces.
 */
const AT_ONCE_MS = 250
const AT_ONCE = 4
const LONG_PAGE_ROWS = 5000
const PIECE_CHARACTERS = 256 * 1024
const PIECE_MS = 50
/** Limit of a server's messages on its way. */
const MESSAGES_MAX = 200
const MESSAGE_CHARACTERS = 16 * 1024
/** No database has longer names. */
const NAME_CHARACTERS = 256

/** Events of one statement's answer for a page. */
export type ResultEvent =
  | { event: 'columns'; result: number; columns: readonly ShownColumn[] }
  | { event: 'rows'; result: number; rows: ShownValue[][] }
  /** There are more, for who asks. */
  | { event: 'held'; result: number }
  /** `isCut`: the rows behind those that were shown were let go. */
  | { event: 'done'; result: number; rows: number | undefined; words: string; isCut: boolean }
  | { event: 'said'; kind: 'plain' | 'notice' | 'error'; text: string }

interface ResultPagesParts {
  show(event: ResultEvent): void
  /** The server waits as long as it is held. */
  hold(isHeld: boolean): void
  /** One page is all that is wanted: another statement follows. */
  isOnePage: boolean
  /** Milliseconds of a clock that nobody sets. */
  elapsed(): number
}

/**
 * Hands the answer of a statement to a page as fast as that asks for it: what it has not asked for
 * stays with the server, which is held back meanwhile.
 */
export class ResultPages implements ResultSink {
  /** Sources of each result's columns. */
  readonly sources: (ColumnSource | undefined)[][] = []
  readonly #parts: ResultPagesParts
  #result = 0
  #waiting: Row[] = []
  #leftRows = PAGE_ROWS
  #leftCharacters = PAGE_CHARACTERS
  /** Characters of those that wait. */
  #waitingCharacters = 0
  #seen = 0
  /** Rows of the result that were shown. */
  #shown = 0
  #heldAt = 0
  /** How many times in a row rows were asked for at once. */
  #atOnce = 0
  #messages = 0
  #done: { words: string; rows: number | undefined } | undefined
  #isLetGo = false
  #isCut = false
  #isHeld = false
  #flushing: { cancel(): void } | undefined

  constructor(parts: ResultPagesParts) {
    this.#parts = parts
  }

  columns(columns: readonly Column[]): void {
    this.#finish()
    this.#result++
    this.#shown = 0
    this.sources.push(columns.map(({ source }) => source))
    const shown = columns.map(({ name, isNumber, source }) => ({
      name: name.slice(0, NAME_CHARACTERS),
      isNumber,
      ...(source ? { isStored: true } : {}),
    }))
    this.#parts.show({ event: 'columns', result: this.#result, columns: shown })
  }

  row(values: Row): void {
    this.#seen++
    if (this.#isLetGo || (this.#parts.isOnePage && !this.#hasRoom)) {
      this.#isCut = true
      return
    }
    this.#waiting.push(values)
    for (const value of values) this.#waitingCharacters += value?.text.length ?? 0
    const isPiece = this.#waiting.length < this.#leftRows && this.#waitingCharacters < PIECE_CHARACTERS
    if (this.#hasRoom && isPiece) this.#flushing ??= this.#flushLater()
    else this.#flush()
    if (this.#waiting.length && !this.#isHeld) this.#hold(!this.#hasRoom)
  }

  message(text: string, kind: 'plain' | 'notice' | 'error'): void {
    if (kind === 'error') this.#flush()
    // Not more than somebody reads; an error is the last that a statement has to say.
    if (kind === 'error' || this.#messages++ < MESSAGES_MAX)
      this.#parts.show({ event: 'said', kind, text: text.slice(0, MESSAGE_CHARACTERS) })
  }

  done({ words, rows }: { words: string; rows?: number | undefined }): void {
    this.#done = { words, rows }
    this.#flush()
    // More results of the same statement may follow.
    if (this.#waiting.length && this.#parts.isOnePage) this.letGo()
  }

  /** The next page is wanted. */
  more(): void {
    if (this.#isLetGo) return
    this.#atOnce = this.#parts.elapsed() - this.#heldAt < AT_ONCE_MS ? this.#atOnce + 1 : 0
    // They end where pages of that length do: a page has room for so and so many of them.
    this.#leftRows = this.#wantsAll ? LONG_PAGE_ROWS - (this.#shown % LONG_PAGE_ROWS) : PAGE_ROWS
    this.#leftCharacters = PAGE_CHARACTERS
    this.#flush()
    // One piece of an answer may have more pages than the one that was asked for.
    if (this.#waiting.length) this.#showHeld()
    else this.#hold(false)
  }

  /** The rest is not wanted: the server is read to the end of its answer. */
  letGo(): void {
    if (this.#isLetGo) return
    this.#isLetGo = true
    this.#isCut ||= this.#waiting.length > 0
    this.#dropWaiting()
    this.#flush()
    this.#hold(false)
  }

  /** The statement is over. */
  end(): void {
    this.#flush()
  }

  get #wantsAll(): boolean {
    return this.#atOnce >= AT_ONCE
  }

  #flushLater(): { cancel(): void } {
    if (!this.#wantsAll) {
      const soon = setImmediate(() => this.#flush())
      return { cancel: () => clearImmediate(soon) }
    }
    const later = setTimeout(() => this.#flush(), PIECE_MS)
    return { cancel: () => clearTimeout(later) }
  }

  get #hasRoom(): boolean {
    return this.#leftRows > 0 && this.#leftCharacters > 0
  }

  #flush(): void {
    this.#flushing?.cancel()
    this.#flushing = undefined
    const rows: ShownValue[][] = []
    let taken = 0
    for (; taken < this.#waiting.length && this.#hasRoom; taken++) {
      const row = this.#waiting[taken] as Row
      this.#leftRows--
      for (const value of row) {
        const characters = value?.text.length ?? 0
        this.#leftCharacters -= characters
        this.#waitingCharacters -= characters
      }
      rows.push(row.map((value) => (value ? (value.isCut ? [value.text] : value.text) : null)))
    }
    if (taken) this.#waiting = this.#waiting.slice(taken)
    this.#shown += taken
    if (rows.length) this.#parts.show({ event: 'rows', result: this.#result, rows })
    if (this.#done && !this.#waiting.length) this.#finish()
  }

  /** The result that was shown has an end. */
  #finish(): void {
    if (!this.#done) return
    if (this.#waiting.length) this.#isCut = true
    this.#dropWaiting()
    const { words, rows } = this.#done
    this.#done = undefined
    this.#parts.show({ event: 'done', result: this.#result, rows: rows ?? this.#seenRows, words, isCut: this.#isCut })
    this.#seen = 0
    this.#isCut = false
  }

  #dropWaiting(): void {
    this.#waiting = []
    this.#waitingCharacters = 0
  }

  get #seenRows(): number | undefined {
    return this.#seen || undefined
  }

  #hold(isHeld: boolean): void {
    if (this.#isHeld === isHeld) return
    this.#isHeld = isHeld
    if (isHeld) this.#showHeld()
    this.#parts.hold(isHeld)
  }

  #showHeld(): void {
    this.#heldAt = this.#parts.elapsed()
    this.#parts.show({ event: 'held', result: this.#result })
  }
}
