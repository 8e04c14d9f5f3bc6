import type { SqlDialect, WorkbenchEvent, WorkbenchStart } from '@sallyport/contract/socket/workbench.ts'
import type { StatementSession } from '../../kinds/statements/statement-session.ts'
import type { Notice } from '../../session/notice.ts'
import type { Reattachable } from '../../session/reattachments.ts'
import type { SessionSummary } from '../../session/session-summary.ts'
import { KeptAnswers } from '../../workbench/kept-answers.ts'
import type { KeptResult, KeptRows, RowsWanted } from '../../workbench/kept-rows.ts'
import type { Questions } from '../../workbench/questions.ts'
import type { Workbench } from '../../workbench/workbench.ts'
import type { TerminalRequest } from './role.ts'

/** Parts of a workbench once the database is reached. */
interface OpenedWorkbench {
  session: SessionSummary
  live: StatementSession
  workbench: Workbench
  /** Rows that its page was shown, beyond those that it holds. */
  rows: KeptRows
  questions: Questions
  dialect: SqlDialect
  /** Whether the person had the right to change values when it was opened; each edit asks again. */
  mayEdit: boolean
  /** The same of taking rows as a file. */
  mayExport: boolean
  /** Whether the server can be asked how it would run a statement. */
  mayPlan: boolean
  /** Version that the server reports, and the database where its statements run. */
  place(): { version: string; database: string }
}

/** The page at a workbench, with its language. */
export type WorkbenchPage = Pick<TerminalRequest, 'line' | 'say'>

/** Pages of rows that a page may wait for. */
const AGAIN_MAX = 8

/**
 * The person's side of a workbench: a page, until its line breaks or another page takes its place.
 * Statements run on meanwhile, and what they have answered is shown to the page that comes.
 */
export class HeldWorkbench implements Reattachable {
  readonly view = 'workbench'
  leave: () => void = () => {}
  readonly #elapsed: () => number
  #opened: OpenedWorkbench | undefined
  readonly #kept = new KeptAnswers()
  #page: WorkbenchPage | undefined
  /** The newest run, a file's included, and the text of the one that is shown. */
  #newest = 0
  #text = ''
  #again = 0

  constructor(page: WorkbenchPage, elapsed: () => number) {
    this.#page = page
    this.#elapsed = elapsed
  }

  /** The database is reached: the page learns of it. */
  opened(opened: OpenedWorkbench): void {
    this.#opened = opened
    this.#start()
  }

  /** Nobody else has it before it is open. */
  get #open(): OpenedWorkbench {
    if (!this.#opened) throw new Error('the workbench is not open')
    return this.#opened
  }

  get session(): SessionSummary {
    return this.#open.session
  }
  get live(): StatementSession {
    return this.#open.live
  }
  get workbench(): Workbench {
    return this.#open.workbench
  }
  get questions(): Questions {
    return this.#open.questions
  }

  isOn(page: WorkbenchPage): boolean {
    return this.#page === page
  }

  /** A run begins, whose answers take the place of all before. */
  begins(run: number, text: string): void {
    this.#newest = run
    this.#text = text
    this.#kept.begin(run)
  }

  /** A file begins; what is shown stays. */
  beginsFile(run: number): void {
    this.#newest = run
  }

  show(event: WorkbenchEvent): void {
    const text = JSON.stringify(event)
    this.#kept.add(event, text)
    this.#page?.line.sendEvent(text)
  }

  /** See `Workbench`. What nobody takes is taken. */
  send(bytes: Buffer, drained: () => void): boolean {
    return this.#page?.line.write(bytes, drained) ?? true
  }

  /** Shows a page rows that it was shown before, or says which is the first that can be. */
  async again(page: WorkbenchPage, { run, statement, result, ...wanted }: KeptResult & RowsWanted & { run: number }) {
    if (this.#again >= AGAIN_MAX) return
    const { rows } = this.#open
    const of = { statement, result }
    this.#again++
    const found = await rows.read(run, of, wanted).finally(() => void this.#again--)
    if (!this.isOn(page)) return
    if (found) page.line.send('WORKBENCH', { run, ...of, event: 'again', ...found })
    else page.line.send('WORKBENCH', { run, ...of, event: 'gone', first: rows.first(of) })
  }

  tell({ code, text, values, urgency }: Notice): void {
    this.#page?.line.send('WORKBENCH_NOTICE', { code, text: this.#page.say(text, { ...values }), urgency })
  }

  /** Nobody is waited for any more: what was held runs, or is refused. */
  decided(): void {
    this.#page?.line.send('WORKBENCH_DECIDED')
  }

  /** The session is over. */
  finish(): void {
    this.#opened?.questions.close()
    this.#opened?.rows.close()
    this.#page?.line.finish()
    this.#page = undefined
  }

  /** The line broke. Answers whether it was the one in use. */
  lost(page: WorkbenchPage): boolean {
    if (this.#page !== page) return false
    this.#page = undefined
    this.live.waitingSince = this.#elapsed()
    this.workbench.pageGone()
    return true
  }

  /**
   * Another page takes its place, and gets the answers of the newest run; the one before is
   * notified.
   */
  resume(page: WorkbenchPage): void {
    const before = this.#page
    this.#page = page
    before?.line.send('TERMINAL_MOVED', before.say('You work on in another window.'))
    before?.line.finish()
    this.live.waitingSince = undefined
    this.workbench.pageGone()
    this.#start({
      run: this.#kept.run,
      newest: this.#newest,
      text: this.#text,
      isRunning: this.workbench.isBusy,
      runningFor: this.workbench.runningFor,
    })
    for (const text of this.#kept.messages) page.line.sendEvent(text)
    const { cut } = this.#kept
    const shown = cut && this.#open.rows.count(cut)
    // Those between the ones that are here and the next are available.
    if (shown) page.line.send('WORKBENCH', { run: this.#kept.run, ...cut, event: 'shown', rows: shown })
    // The next page of rows would not follow.
    else if (cut) this.workbench.letGo()
  }

  /** Its state. */
  #start(now: Partial<WorkbenchStart> = {}): void {
    const { dialect, mayEdit, mayExport, mayPlan, place, live, workbench, rows } = this.#open
    this.#page?.line.send('WORKBENCH_START', {
      dialect,
      mayEdit,
      mayExport,
      mayPlan,
      keepsRows: rows.isOn,
      ...place(),
      locked: live.isLocked,
      transaction: workbench.transaction,
      ...now,
    })
  }
}
