import type { Statement } from '../../kinds/statements/streams.ts'

/** Texts that are kept of prepared statements; those prepared longest ago go first. */
const MAX_CHARACTERS = 8 * 1024 * 1024
const MAX_STATEMENTS = 10_000
/**
 * Time within which a statement that was judged when it was prepared may run once, in milliseconds.
 */
const FRESH_MS = 30_000
/** In place of a number: the one that was prepared last (MariaDB). */
const LAST = 0xffff_ffff

/** A statement that the client has had prepared, or is having prepared. */
export interface PreparedText {
  text: string
  others: readonly string[] | undefined
  isCut: boolean
  /** The one that prepares it. */
  preparation: Statement
  /** When the server had it, in milliseconds; undefined before. */
  since?: number
  /** The server's number of it; undefined before. */
  number?: number
  /** Settles with its number, or with none where the server does not have it. */
  whenOver: Promise<number | undefined>
  isOver(number?: number): void
  isRun: boolean
}

/** The text to run, and its number; a promise of that where the server has not sent it. */
export interface PreparedRun extends Pick<Statement, 'text' | 'others' | 'isCut' | 'step'> {
  number: number | PreparedText['whenOver']
}

/** The texts behind the numbers that a server gives to prepared statements. */
export class PreparedTexts {
  readonly #byNumber = new Map<number, PreparedText>()
  readonly #now: () => number
  #last: PreparedText | undefined
  #characters = 0

  /** `now`: milliseconds of a clock that nobody sets. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** The client asks for it. */
  prepare(preparation: Statement): PreparedText {
    const { text, others, isCut = false } = preparation
    const { promise: whenOver, resolve: isOver } = Promise.withResolvers<number | undefined>()
    this.#last = { text, others, isCut, preparation, whenOver, isOver, isRun: false }
    return this.#last
  }

  /** The server has given it a number. */
  isPrepared(number: number, prepared: PreparedText): void {
    prepared.since = this.#now()
    prepared.number = number
    prepared.isOver(number)
    this.close(number)
    this.#byNumber.set(number, prepared)
    this.#characters += prepared.text.length
    while (this.#characters > MAX_CHARACTERS || this.#byNumber.size > MAX_STATEMENTS) {
      const oldest = this.#byNumber.keys().next().value
      if (oldest === undefined || oldest === number) break
      this.close(oldest)
    }
  }

  /** The server does not have it: what it has as the last one is another, which nobody can name. */
  isNotPrepared(prepared: PreparedText): void {
    prepared.isOver()
    if (this.#last === prepared) this.#last = undefined
  }

  /**
   * The statement of the number; undefined where that is not known any more, or not yet. Such a
   * statement must not run: nobody would see which it is. The server's number for the last one is
   * left to no server: after one that was refused, or for which there was no room, it would run the
   * one before.
   */
  run(number: number): PreparedRun | undefined {
    const found = number === LAST ? this.#last : this.#byNumber.get(number)
    if (!found) return undefined
    const isFresh = found.since !== undefined && this.#now() - found.since < FRESH_MS
    const isJudged = isFresh && !found.isRun
    found.isRun = true
    const { text, others, isCut, preparation, whenOver } = found
    const run = { text, others, isCut, number: found.number ?? whenOver }
    return isJudged ? { ...run, step: { is: 'judgedRun', preparation } } : run
  }

  close(number: number): void {
    const found = this.#byNumber.get(number)
    if (!found) return
    this.#characters -= found.text.length
    this.#byNumber.delete(number)
    if (this.#last === found) this.#last = undefined
  }

  /** The server is reset. */
  clear(): void {
    this.#byNumber.clear()
    this.#characters = 0
    this.#last = undefined
  }
}
