import { delimiterOf, type Ending, type ScanState, type SqlSyntax, START, scanRow } from './scan.ts'

/** One thing to do, in the order in which they were typed. */
export interface Piece {
  text: string
  ending: Ending
  /** How often it is to be run; once, unless said. */
  times?: number
}

/** A statement, and its place in a text: up to and with its delimiter. */
export interface PlacedStatement {
  text: string
  from: number
  to: number
}

/** Place of a piece, and of the next one. */
interface PieceAt {
  from: number
  to: number
  next: number
  ending: Ending
  times: number
}

/** A text repeats its statements no further than to so many. */
const SCRIPT_MAX = 100_000

/** A long text is read so long at a time, and the clock is looked at behind so many pieces. */
const TURN_MS = 4
const PIECES_A_STEP = 64

/** A command of the client, not of the server. */
const DELIMITER = /^\s*delimiter\s+(\S+)/i

/** Finds the statements in what is typed; remembers what the rows before were, as they come one by one. */
export class Statements {
  readonly #syntax: SqlSyntax
  /** The state at the beginning of each row. */
  #states: ScanState[] = [START]
  /** Undefined where a row of its own ends statements. */
  delimiter: string | undefined

  constructor(syntax: SqlSyntax) {
    this.#syntax = syntax
    this.delimiter = delimiterOf(syntax)
  }

  /** Whether nothing is open behind the last row. The rows before `firstChanged` are as they were. */
  isComplete(rows: readonly string[], firstChanged: number): boolean {
    const known = Math.min(firstChanged, this.#states.length - 1)
    this.#states.length = known + 1
    for (let at = known; at < rows.length; at++)
      this.#states[at + 1] = scanRow(
        rows[at] as string,
        this.#states[at] as ScanState,
        this.#syntax,
        this.delimiter,
      ).state
    const { quote, comments, isPending } = this.#states[rows.length] as ScanState
    return quote === undefined && !comments && !isPending
  }

  /** All of a text that is complete. */
  split(text: string): Piece[] {
    this.#states = [START]
    const pieces: Piece[] = []
    for (const piece of this.#pieces(text)) {
      if (!piece) continue
      const { from, to, ending, times } = piece
      const own = text.slice(from, to).trim()
      if (own && times) pieces.push({ text: own, ending, ...(times > 1 ? { times } : {}) })
    }
    return pieces
  }

  /**
   * The statements of a whole text; the text behind the last delimiter is one, too. A few milliseconds
   * at a time: nobody else waits for a long text.
   */
  async script(text: string): Promise<PlacedStatement[]> {
    const steps = this.#script(text)
    for (let until = performance.now() + TURN_MS; ; ) {
      const { done, value } = steps.next()
      if (done) return value
      if (performance.now() < until) continue
      await new Promise(setImmediate)
      until = performance.now() + TURN_MS
    }
  }

  *#script(text: string): Generator<void, PlacedStatement[]> {
    this.delimiter = delimiterOf(this.#syntax)
    const found: PlacedStatement[] = []
    const add = (from: number, to: number, next: number, times = 1) => {
      const own = text.slice(from, to)
      const start = from + own.length - own.trimStart().length
      if (!own.trim()) return
      for (let time = 0; time < times && found.length < SCRIPT_MAX; time++)
        found.push({ text: own.trim(), from: start, to: next })
    }
    const pieces = this.#pieces(text)
    for (let steps = 1; ; steps++) {
      const { done, value } = pieces.next()
      if (done) {
        if (value.isOpen) add(value.from, text.length, text.length)
        return found
      }
      if (value) {
        const delimiter = value.ending === 'command' && DELIMITER.exec(text.slice(value.from, value.to))?.[1]
        if (delimiter) this.delimiter = delimiter
        else add(value.from, value.to, value.next, value.times)
      }
      if (steps % PIECES_A_STEP === 0) yield
    }
  }

  /** Undefined for a row in which nothing ends. */
  *#pieces(text: string): Generator<PieceAt | undefined, { from: number; isOpen: boolean }> {
    let state = START
    let from = 0
    let rowAt = 0
    for (const row of text.split('\n')) {
      const scanned = scanRow(row, state, this.#syntax, this.delimiter)
      for (const { end, next, ending, times } of scanned.cuts) {
        yield { from, to: rowAt + end, next: rowAt + next, ending, times }
        from = rowAt + next
      }
      if (!scanned.cuts.length) yield undefined
      state = scanned.state
      rowAt += row.length + 1
    }
    return { from, isOpen: state.isPending || state.quote !== undefined }
  }
}
