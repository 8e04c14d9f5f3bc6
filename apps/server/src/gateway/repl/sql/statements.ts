import { type Ending, type ScanState, type SqlSyntax, START, scanRow } from './scan.ts'

/** One thing to do, in the order in which they were typed. */
export interface Piece {
  text: string
  ending: Ending
}

/** Finds the statements in what is typed; remembers what the rows before were, as they come one by one. */
export class Statements {
  readonly #syntax: SqlSyntax
  /** The state at the beginning of each row. */
  #states: ScanState[] = [START]
  delimiter = ';'

  constructor(syntax: SqlSyntax) {
    this.#syntax = syntax
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
    const gathered: string[] = []
    let state = START
    for (const row of text.split('\n')) {
      const scanned = scanRow(row, state, this.#syntax, this.delimiter)
      let from = 0
      for (const { end, next, ending } of scanned.cuts) {
        gathered.push(row.slice(from, end))
        const own = gathered.splice(0).join('').trim()
        if (own) pieces.push({ text: own, ending })
        from = next
      }
      gathered.push(row.slice(from), '\n')
      state = scanned.state
    }
    return pieces
  }
}
