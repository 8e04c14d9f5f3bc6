import type { SentMessageOf } from '@sallyport/contract/socket/message.ts'
import {
  type ExportFormat,
  WORKBENCH,
  type WorkbenchEvent,
  type WorkbenchStart,
} from '@sallyport/contract/socket/workbench.ts'
import { showError } from '../../design/dialogs/feedback.tsx'
import { t } from '../../lib/i18n.ts'
import type { Row } from '../grid/result-view.ts'
import type { RowsWanted } from '../grid/use-row-window.ts'
import type { EditOutcome, PlannedEdit } from '../grid/value-edit.ts'
import { LAST_WORDS, NO_TERMINAL } from '../pane/notice.ts'
import { type LineEvents, type LineOf, openOwnLine } from '../pane/own-line.ts'
import { FIRST_STATUS, type Status, statusHandlers } from '../pane/pane-status.ts'
import { Questions } from '../pane/questions.ts'
import { NOT_SHARED } from '../pane/room.ts'
import type { EndedBy, StartedSession } from '../screen/session-line.ts'
import type { SocketTarget } from '../screen/socket.ts'
import type { TabState } from '../tabs/tabs.ts'
import {
  type Answers,
  answersAfter,
  asked,
  askedAgain,
  begun,
  decided,
  heldResult,
  isOfEarlierRows,
  movedOn,
  movedTo,
  NO_ANSWERS,
  type ResultPlace,
  resumed,
  running,
  runningBeside,
  type StatementView,
} from './answers.ts'
import { GrowingFile } from './growing-file.ts'
import { rowsFileName } from './rows-file-name.ts'
import type { SqlDialect } from './sql-dialect.ts'

/** Characters of a text that the gateway runs (`workbench-messages.ts`). */
export const TEXT_MAX = 512 * 1024

export interface WorkbenchOptions {
  target: SocketTarget
  /** A new number is a new session. */
  attempt: number
  /** The session to resume. */
  resume?: string | undefined
  onState: (state: TabState, attempt: number) => void
  onSession?: (sessionId: string | undefined, attempt: number) => void
  /** The session has begun: its person and its target. */
  onStarted?: (session: StartedSession) => void
}

/** The database, as the gateway describes it once it is connected. */
export interface Started {
  dialect: SqlDialect
  version: string
  /** Values may be changed in the results. */
  mayEdit: boolean
  /** Rows may be exported. */
  mayExport: boolean
  /** The server explains statements. */
  mayPlan?: boolean
  /** The gateway keeps rows for those who scroll back. */
  keepsRows?: boolean
}

type Question = Extract<SentMessageOf<typeof WORKBENCH.fromClient>, { type: 'WORKBENCH_ASK' }>['data']['ask']
interface Reply {
  rows: string[][]
  isCut: boolean
}

/** Asks the database for something besides what is run. Rejects with its refusal. */
export type Ask = (about: Question) => Promise<Reply>

/** A value among the answers, and its row. */
export interface CellPlace extends ResultPlace {
  /** Number of the row, in the order of the server. */
  at: number
  column: number
  row: Row
}

/** Rows that arrive as a file. */
interface Export {
  run: number
  name: string
  rows: GrowingFile
  isStopped: boolean
  isOver: boolean
}

export interface WorkbenchState {
  status: Status
  started: Started | undefined
  answers: Answers
  /** The connection is lost for now. */
  isAway: boolean
  /** Rows arrive as a file. */
  isExporting: boolean
}

const failedEdit = (error: string): EditOutcome => ({ rows: 0, warnings: 0, error })

/** The session of a workbench: its connection, what was run, and all that the gateway answers. */
export class WorkbenchStore {
  #state: WorkbenchState = {
    ...{ status: FIRST_STATUS, started: undefined, answers: NO_ANSWERS },
    ...{ isAway: false, isExporting: false },
  }
  readonly #listeners = new Set<() => void>()
  #options: WorkbenchOptions
  #line: LineOf<typeof WORKBENCH> | undefined
  readonly #questions = new Questions<Reply>()
  #lastRun = 0
  /** The text of the last run, as it was sent. */
  #text = ''
  /** Name of the application, for names of files. */
  #application = ''
  #file: Export | undefined
  #edit: { run: number; settle: (outcome: EditOutcome) => void } | undefined

  constructor(options: WorkbenchOptions) {
    this.#options = options
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
  readonly read = (): WorkbenchState => this.#state

  /** The options of the latest render: its callbacks are called from now on. */
  setOptions(options: WorkbenchOptions): void {
    this.#options = options
  }

  /** Opens the session of an attempt. Returns a function that closes it. */
  connect(attempt: number): () => void {
    this.setStatus(() => FIRST_STATUS)
    this.#setAnswers((now) => ({ ...now, isRunning: false, transaction: 'none' }))
    const opened = openOwnLine(WORKBENCH, this.#options, this.#events(attempt))
    this.#line = opened.line
    return () => {
      this.#line = undefined
      this.#set({ isAway: false })
      opened.end()
    }
  }

  readonly setStatus = (change: (now: Status) => Status): void => this.#set({ status: change(this.#state.status) })

  /** Runs a text, or its statement at a place; `isPlanned`: asks how each statement would be run. */
  readonly run = (text: string, { at, isPlanned = false }: { at?: number | undefined; isPlanned?: boolean } = {}) => {
    const run = ++this.#lastRun
    this.#text = text
    this.#setAnswers((now) => begun(now, run))
    this.#line?.message('WORKBENCH_RUN', { run, text, at, isPlanned })
  }

  /** Runs a statement of the last run again, into a file. */
  readonly export = ({ from, to }: Pick<StatementView, 'from' | 'to'>, format: ExportFormat) => {
    const run = ++this.#lastRun
    const text = this.#text.slice(from, to)
    const name = rowsFileName({ application: this.#application, statement: text, format })
    this.#file = { run, name, rows: new GrowingFile(), isStopped: false, isOver: false }
    this.#set({ isExporting: true })
    this.#setAnswers(runningBeside)
    this.#line?.message('WORKBENCH_EXPORT', { run, text, format })
  }

  /** The statement that would change a value; runs nothing. Rejects with the reason if there is none. */
  readonly planEdit = async ({ row, ...place }: CellPlace, value: string | null): Promise<PlannedEdit> => {
    let planned = 0
    const edit = { run: this.#state.answers.run, ...place, row: [...row], value }
    const { rows } = await this.#ask({ about: 'edit', edit }, (question) => {
      planned = question
    })
    return { question: planned, text: rows[0]?.[0] ?? '' }
  }

  /** Runs a planned statement. */
  readonly edit = ({ question }: PlannedEdit): Promise<EditOutcome> =>
    new Promise((settle) => {
      if (!this.#line || this.#state.isAway) return settle(failedEdit(t('Not connected')))
      const run = ++this.#lastRun
      this.#edit = { run, settle }
      this.#setAnswers(runningBeside)
      this.#line.message('WORKBENCH_EDIT', { run, question })
    })

  /** Loads the next rows; `isInstead`: in place of the loaded ones, so that any number can be looked through. */
  readonly more = (isInstead = false) => {
    if (!heldResult(this.#state.answers)) return
    this.#setAnswers((now) => ({ ...asked(isInstead ? movedOn(now) : now), ...running() }))
    this.#line?.message('WORKBENCH_MORE')
  }

  /** Loads earlier rows again: those that end before a row, or begin with it. */
  readonly again = (place: ResultPlace, wanted: RowsWanted) => {
    const { run } = this.#state.answers
    this.#setAnswers((now) => askedAgain(now, place))
    this.#line?.message('WORKBENCH_ROWS', { run, ...place, ...wanted })
  }

  /** Lets the window begin with a row: rows are loaded as they come into view. */
  readonly moveTo = (place: ResultPlace, from: number) => this.#setAnswers((now) => movedTo(now, place, from))

  readonly cancel = () => {
    if (this.#file) this.#file.isStopped = true
    this.#line?.message('WORKBENCH_CANCEL')
  }

  /** Answers the gateway's question; undefined: the person cancels. */
  readonly answer = (text: string | undefined) => {
    this.setStatus((now) => ({ ...now, question: undefined }))
    this.#line?.message('WORKBENCH_ANSWER', text === undefined ? {} : { text })
  }

  readonly ask: Ask = (about) => this.#ask(about)

  async #ask(ask: Question, onNumber: (question: number) => void = () => {}): Promise<Reply> {
    const line = this.#line
    if (!line || this.#state.isAway) throw new Error(t('Not connected'))
    return this.#questions.ask((question) => {
      onNumber(question)
      line.message('WORKBENCH_ASK', { question, ask })
    })
  }

  #set(change: Partial<WorkbenchState>): void {
    this.#state = { ...this.#state, ...change }
    for (const listener of this.#listeners) listener()
  }

  #setAnswers(change: (now: Answers) => Answers): void {
    this.#set({ answers: change(this.#state.answers) })
  }

  #events(attempt: number): LineEvents<typeof WORKBENCH> {
    const ofStatus = statusHandlers(this.setStatus)
    return {
      size: () => NO_TERMINAL,
      onOutput: (bytes) => typeof bytes !== 'string' && this.#file?.rows.add(bytes),
      onSession: (session) => {
        this.#application = session.asset
        this.#options.onStarted?.(session)
        this.#options.onSession?.(session.id, attempt)
      },
      onError: (text) => this.setStatus((now) => ({ ...now, notice: text, isLast: true })),
      onLost: () => {
        this.#dropPending()
        this.#set({ isAway: true })
      },
      onBack: () => this.#set({ isAway: false }),
      onRefused: () => {},
      onInputLost: () => {},
      on: {
        ...NOT_SHARED,
        WORKBENCH: (event) => this.#takeEvent(event),
        WORKBENCH_REPLY: ({ question, ...reply }) => this.#questions.take(question, reply),
        WORKBENCH_START: (start) => {
          this.#takeStart(start, attempt)
          ofStatus.start(start)
        },
        WORKBENCH_DECIDED: () => this.#setAnswers(decided),
        WORKBENCH_NOTICE: (notice) => {
          // The notice fades; why nothing comes stays visible.
          if (notice.code === 'held') this.#setAnswers((now) => ({ ...now, awaits: notice.text }))
          ofStatus.notice(notice)
        },
        WORKBENCH_ASK: ofStatus.ask,
        WORKBENCH_WAIT: ofStatus.wait,
        WORKBENCH_PROGRESS: ofStatus.progress,
        TERMINAL_LOCK: ofStatus.lock,
        TERMINAL_WATCHERS: ofStatus.watchers,
      },
      onClosed: (by) => this.#takeEnd(by, attempt),
    }
  }

  #takeStart({ run, newest = 0, text = '', isRunning = false, ...start }: WorkbenchStart, attempt: number): void {
    this.#set({ started: start })
    // Its number may be that of the next run.
    this.#dropEdit()
    if (run === undefined) {
      const { database, keepsRows = false } = start
      this.#setAnswers((now) => ({ ...now, database, keepsRows }))
    } else {
      if (this.#lastRun > newest) showError(t('What you ran last did not arrive: it was not run.'))
      this.#lastRun = newest
      this.#text = text
      this.#setAnswers(() => resumed({ ...start, run, isRunning }))
      // A file is being sent that nobody saves any more.
      if (isRunning && newest !== run)
        this.#file = { run: newest, name: '', rows: new GrowingFile(), isStopped: true, isOver: false }
    }
    this.#options.onState('connected', attempt)
  }

  #takeEvent(event: WorkbenchEvent): void {
    if (!isOfEarlierRows(event)) this.#setAnswers(decided)
    if (event.run === this.#file?.run) this.#takeFileEvent(event, this.#file)
    else if (event.run === this.#edit?.run) this.#takeEditEvent(event)
    else {
      // The run on screen ends before its file begins: the file is what can be stopped.
      const isRunning = this.#file?.isOver === false
      this.#setAnswers((now) => ({ ...answersAfter(now, event), ...(isRunning ? { isRunning } : {}) }))
    }
  }

  #takeFileEvent(event: WorkbenchEvent, file: Export): void {
    if (event.event === 'exported') {
      file.isOver = true
      this.#set({ isExporting: false })
      // Half a file looks like a whole one. A person who has stopped it needs no message.
      if (!file.isStopped) {
        if (event.error) showError(event.error)
        else file.rows.save(file.name)
        if (event.cut > 0)
          showError(
            t('{{count|value is|values are}} too long: the file has only their beginning.', { count: event.cut }),
          )
      }
      this.#endBeside()
    } else if (event.event === 'idle') {
      this.#file = undefined
      this.#takeIdle(event)
    }
  }

  #takeEditEvent(event: WorkbenchEvent): void {
    if (event.event === 'edited') {
      this.#edit?.settle({ rows: event.rows, warnings: event.warnings, error: event.error })
      this.#endBeside()
    } else if (event.event === 'idle') {
      this.#edit = undefined
      this.#takeIdle(event)
    }
  }

  /** A file or an edit is done: what was on screen before may still wait for its reader. */
  #endBeside(): void {
    this.#setAnswers((now) => ({ ...now, isRunning: heldResult(now) !== undefined }))
  }

  #takeIdle(event: WorkbenchEvent): void {
    // A run that was started meanwhile is not over.
    if (event.run === this.#lastRun) this.#setAnswers((now) => answersAfter(now, { ...event, run: now.run }))
  }

  #takeEnd(by: EndedBy, attempt: number): void {
    this.#dropPending()
    // The rows that the gateway kept are gone with the session.
    const over = { isRunning: false, transaction: 'none', keepsRows: false } as const
    this.#set({ isAway: false, answers: { ...this.#state.answers, ...over } })
    this.setStatus(({ isLast, notice }) => ({
      ...FIRST_STATUS,
      notice: isLast ? notice : LAST_WORDS[by](),
      isLast: true,
    }))
    if (by !== 'moved') this.#options.onSession?.(undefined, attempt)
    this.#options.onState('disconnected', attempt)
  }

  /** The outcome of an edit will not be reported. */
  #dropEdit(): void {
    this.#edit?.settle(failedEdit(t('The connection was lost: check whether the value was changed.')))
    this.#edit = undefined
  }

  /** Without a connection nothing that is pending arrives. */
  #dropPending(): void {
    this.#dropEdit()
    this.#questions.drop()
    if (this.#file && !this.#file.isOver && !this.#file.isStopped)
      showError(t('Connection lost; the file is incomplete.'))
    this.#file = undefined
    this.#set({ isExporting: false })
  }
}
