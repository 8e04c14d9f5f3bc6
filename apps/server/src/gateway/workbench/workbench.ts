import type { CellEdit, ExportFormat, Transaction, WorkbenchEvent } from '@sallyport/contract/socket/workbench.ts'
import { noteBackgroundFault } from '../../kernel/background.ts'
import type { Link, Passage } from '../repl/link.ts'
import { type PlacedStatement, Statements } from '../repl/sql/statements.ts'
import { EditOutcome, type EditPlan, OF_SEVERAL, planEdit } from './cell-edit.ts'
import type { WorkbenchDatabase } from './databases.ts'
import { RowExport } from './export-rows.ts'
import type { KeptRows } from './kept-rows.ts'
import { ResultPages } from './result-pages.ts'

/** The text to run: all of it, or the statement `at` a place in it. */
export interface RunRequest {
  run: number
  text: string
  at?: number | undefined
  /** How the server would go about each is asked for, instead of what it answers. */
  isPlanned?: boolean | undefined
}

/** The statement whose rows become a file. */
export interface ExportRequest extends RunRequest {
  format: ExportFormat
}

interface WorkbenchParts {
  database: WorkbenchDatabase
  link: Link
  /** Rows that were shown, for who goes back to them. */
  kept: KeptRows
  show(event: WorkbenchEvent): void
  /**
   * The bytes of a file. False while the page is behind, until it calls back: once, the first
   * caller that got that answer.
   */
  send(bytes: Buffer, drained: () => void): boolean
  /** Whether the person may change values now. */
  mayEdit(): Promise<boolean>
  /** Words in the person's language. */
  say(words: string): string
  /** Passage of questions besides the statements that the person runs. */
  passage: Passage
  /** Milliseconds of a clock that nobody sets. */
  elapsed(): number
}

/** Runs that may wait for the one before them. */
const WAITING_MAX = 3
/** Statements whose rows' origins are known, at most. */
const ORIGINS_MAX = 100
/** So much of a statement is said again. */
const SHOWN_CHARACTERS = 200

/** Runs what a person has written, one statement after the other, and shows what the server answers. */
export class Workbench {
  readonly #parts: WorkbenchParts
  #pages: ResultPages | undefined
  #file: RowExport | undefined
  /** Origins of the rows of the last run, by statement. */
  #origins: { run: number; statements: Map<number, { text: string; pages: ResultPages }> } = {
    ...{ run: 0, statements: new Map() },
  }
  /** Questions from before the last cancel do not begin any more. */
  #cancels = 0
  #waiting = 0
  /** When what runs began, or the last of it. */
  #begun = 0
  #turn: Promise<void> = Promise.resolve()
  /** Waiters for a page that is behind: a file that ends, and statements behind it. */
  readonly #onceDrained = new Set<() => void>()

  constructor(parts: WorkbenchParts) {
    this.#parts = parts
  }

  run(request: RunRequest): void {
    // Nobody offers it: the statement itself would be run.
    if (request.isPlanned && !this.#parts.database.plan) return
    this.#inTurn((cancels) => this.#runAll(request, cancels))
  }

  /** Nothing more is taken before something has run. */
  get isFull(): boolean {
    return this.#waiting >= WAITING_MAX
  }

  /** Something runs, or waits for its turn. */
  get isBusy(): boolean {
    return this.#waiting > 0
  }

  /** Milliseconds. */
  get runningFor(): number {
    return Math.round(this.#parts.elapsed() - this.#begun)
  }

  get transaction(): Transaction {
    return this.#parts.database.transaction(this.#parts.link)
  }

  /** Runs a statement whose rows become a file; of several the last. */
  export(request: ExportRequest): void {
    this.#inTurn((cancels) => this.#export(request, cancels))
  }

  /** The statement that would change a value, or why there is none. `askTable`: see `planEdit`. */
  async plan(
    edit: CellEdit,
    askTable: (table: readonly string[]) => Promise<string[][]> | undefined,
  ): Promise<EditPlan> {
    const { database, link } = this.#parts
    const origin = this.#origins.run === edit.run ? this.#origins.statements.get(edit.statement) : undefined
    const sources = origin?.pages.sources[edit.result - 1] ?? []
    if (!database.edits) return { why: OF_SEVERAL }
    return planEdit(edit, { text: origin?.text ?? '', sources }, { edits: database.edits, link, askTable })
  }

  /** Runs what was planned. */
  edit(run: number, text: string, edit: CellEdit): void {
    this.#inTurn((cancels) => this.#edit(run, { text, edit }, cancels))
  }

  /** Says why one is not run. */
  refuseEdit(run: number, error: string): void {
    this.#parts.show({ run, event: 'edited', rows: 0, warnings: 0, error })
    this.#idle(run)
  }

  /** The next rows of what was run last. */
  more(): void {
    this.#pages?.more()
  }

  /** Breaks off the running statement; those behind it do not begin. */
  cancel(): void {
    this.#cancels++
    this.#parts.link.cancel()
    // A server that waits to be read does not hear that it should stop.
    this.#pages?.letGo()
  }

  /** Nobody waits for what is on its way: a file has nobody who takes it, and what runs is not held up. */
  pageGone(): void {
    this.#file?.letGo()
    this.#drained()
  }

  /** Rows that the page has not asked for are not to come any more. */
  letGo(): void {
    this.#pages?.letGo()
  }

  /** One after the other. What is on screen of the one before is not read to its end any more. */
  #inTurn(work: (cancels: number) => Promise<void>): void {
    if (this.isFull) return
    this.#waiting++
    this.#pages?.letGo()
    const cancels = this.#cancels
    this.#turn = this.#turn
      .then(() => this.#begin(work, cancels))
      .finally(() => void this.#waiting--)
      // The next one has its turn all the same.
      .catch(noteBackgroundFault)
  }

  #begin(work: (cancels: number) => Promise<void>, cancels: number): Promise<void> {
    this.#begun = this.#parts.elapsed()
    return work(cancels)
  }

  async #export({ run, text, at, format }: ExportRequest, cancels: number): Promise<void> {
    const { link, show } = this.#parts
    let error: string | undefined
    const goOn = () => link.resume()
    const rows = new RowExport({
      format,
      write: (bytes) => {
        if (!this.#send(bytes, goOn)) link.pause()
      },
      failed: (words) => {
        error ??= words
      },
    })
    this.#file = rows
    const wanted = (await this.#wanted(text, at)).at(-1)
    if (wanted && cancels === this.#cancels) await link.run(wanted.text, rows)
    rows.end()
    this.#file = undefined
    show({ run, event: 'exported', rows: rows.rows, cut: rows.cut, error })
    this.#idle(run)
  }

  async #edit(run: number, { text, edit }: { text: string; edit: CellEdit }, cancels: number): Promise<void> {
    const { link, show, kept } = this.#parts
    const outcome = new EditOutcome()
    const refusal = await this.#refusal()
    if (refusal) outcome.message(refusal, 'error')
    else if (cancels === this.#cancels) await link.run(text, outcome)
    const { rows, warnings, error } = outcome
    const { run: shown, statement, result, at, column, value } = edit
    if (rows > 0 && !error) {
      show({ run: shown, event: 'changed', statement, result, at, column, value })
      if (this.#origins.run === shown) kept.change({ statement, result, at, column, value })
    }
    show({ run, event: 'edited', rows, warnings, error })
    this.#idle(run)
  }

  /** Why nothing can be changed now: what was planned may have been shown for long. */
  async #refusal(): Promise<string | undefined> {
    const { link, database, passage, say, mayEdit } = this.#parts
    if (!(await mayEdit().catch(() => false))) return say('You have no permission to change values here')
    if (await database.edits?.isUtf8(link, passage)) return undefined
    return say(
      'Values can be changed while the session writes in UTF-8 (SET NAMES utf8mb4; SET client_encoding TO UTF8).',
    )
  }

  /** Settles when the page has taken what it was shown: many statements make many pages. */
  #room(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    if (this.#send(Buffer.alloc(0), resolve)) resolve()
    return promise
  }

  /** False while the page is behind; `drained` is called afterwards, beside those of others. */
  #send(bytes: Buffer, drained: () => void): boolean {
    const isTaken = this.#parts.send(bytes, () => this.#drained())
    if (!isTaken) this.#onceDrained.add(drained)
    return isTaken
  }

  #drained(): void {
    const waiting = [...this.#onceDrained]
    this.#onceDrained.clear()
    for (const then of waiting) then()
  }

  async #wanted(text: string, at: number | undefined): Promise<readonly PlacedStatement[]> {
    const all = await new Statements(this.#parts.database.syntax).script(text)
    return at === undefined ? all : statementAt(all, at)
  }

  #idle(run: number): void {
    const { link, show } = this.#parts
    show({ run, event: 'idle', database: link.wire.place.database, transaction: this.transaction })
  }

  async #runAll({ run, text, at, isPlanned = false }: RunRequest, cancels: number): Promise<void> {
    const { show, database, kept } = this.#parts
    kept.begin(run)
    this.#origins = { run, statements: new Map() }
    const wanted = await this.#wanted(text, at)
    for (const [statement, placed] of wanted.entries()) {
      if (cancels !== this.#cancels) break
      const of = { run, statement }
      const shown = placed.text.slice(0, SHOWN_CHARACTERS)
      show({ ...of, event: 'statement', of: wanted.length, ...placed, text: shown, isPlanned })
      const asked = isPlanned && database.plan ? database.plan(placed.text) : placed.text
      if (await this.#runOne(asked, of, statement < wanted.length - 1)) break
      await this.#room()
    }
    this.#idle(run)
  }

  /** Answers whether it has failed: what follows a statement may depend on it. */
  async #runOne(text: string, of: { run: number; statement: number }, isOnePage: boolean): Promise<boolean> {
    const { link, show, elapsed, kept } = this.#parts
    const begun = elapsed()
    let isFailed = false
    const pages = new ResultPages({
      show(event) {
        if (event.event === 'said' && event.kind === 'error') isFailed = true
        // A page holds one of its pages whole.
        if (event.event === 'rows' && !isOnePage) kept.add({ ...of, result: event.result }, event.rows)
        show({ ...of, ...event })
      },
      hold: (isHeld) => (isHeld ? link.pause() : link.resume()),
      isOnePage,
      elapsed,
    })
    this.#pages = pages
    const { statements } = this.#origins
    if (statements.size < ORIGINS_MAX) statements.set(of.statement, { text, pages })
    await link.run(text, pages)
    pages.end()
    show({ ...of, event: 'over', milliseconds: Math.round(elapsed() - begun), isFailed })
    return isFailed
  }
}

/** The one that a place is in or right behind; of a place behind all of them the last. */
function statementAt(all: readonly PlacedStatement[], at: number): readonly PlacedStatement[] {
  const found = all.find(({ to }) => at <= to) ?? all.at(-1)
  return found ? [found] : []
}
