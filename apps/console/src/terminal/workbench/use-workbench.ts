import type { SentMessageOf } from '@sallyport/contract/socket/message.ts'
import { WORKBENCH, type WorkbenchEvent, type WorkbenchStart } from '@sallyport/contract/socket/workbench.ts'
import { useEffect, useRef, useState } from 'react'
import { showError } from '../../design/feedback.tsx'
import { t } from '../../lib/i18n.ts'
import type { EndedBy, StartedSession } from '../screen/session-line.ts'
import type { SocketTarget } from '../screen/socket.ts'
import { FIRST_STATUS, type Status, statusHandlers } from '../session/desktop/desktop-status.ts'
import { CLOSED_WORDS } from '../session/notice.ts'
import { type LineOf, openOwnLine } from '../session/own-line.ts'
import { NOT_SHARED } from '../session/room.ts'
import type { TabState } from '../tabs/tabs.ts'
import {
  type Answers,
  answersAfter,
  asked,
  askedAgain,
  begun,
  decided,
  type ExportFormat,
  heldResult,
  isOfBefore,
  movedOn,
  movedTo,
  NO_ANSWERS,
  type ResultPlace,
  type Row,
  resumed,
  running,
  runningBeside,
  type StatementView,
} from './answers.ts'
import { GrowingFile } from './growing-file.ts'
import { rowsFileName } from './rows-file-name.ts'
import type { SqlDialect } from './sql-dialect.ts'
import type { RowsWanted } from './use-row-window.ts'

/** The size of a terminal, which the gateway wants of everybody. */
const NO_TERMINAL = { cols: 80, rows: 24 }
/** The gateway takes no longer text (`workbench-messages.ts`). */
export const TEXT_MAX = 512 * 1024

const LAST_WORDS: Readonly<Record<EndedBy, () => string>> = {
  ...CLOSED_WORDS,
  moved: () => t('You work on in another window.'),
}

export interface WorkbenchOptions {
  target: SocketTarget
  /** A new number is a new session. */
  attempt: number
  /** The session that this attempt goes on with. */
  resume?: string | undefined
  onState: (state: TabState, attempt: number) => void
  onSession?: (sessionId: string | undefined, attempt: number) => void
  /** Whose session it is, and on what. */
  onStarted?: (session: StartedSession) => void
}

/** What the gateway says of the database once it is there. */
export interface Started {
  dialect: SqlDialect
  version: string
  /** Whether values may be changed where they are shown. */
  mayEdit: boolean
  /** Whether rows may be taken as a file. */
  mayExport: boolean
  /** Whether the server can be asked how it would run a statement. */
  mayPlan?: boolean
  /** Whether the gateway keeps rows for who goes back to them. */
  keepsRows?: boolean
}

type Question = Extract<SentMessageOf<typeof WORKBENCH.fromClient>, { type: 'WORKBENCH_ASK' }>['data']['ask']

/** What is asked of the database beside what is run. */
export type Ask = (about: Question) => Promise<{ rows: string[][]; isCut: boolean }>

/** A value among the answers, and the row that it is in. */
export interface CellPlace extends ResultPlace {
  /** Which of the rows, as they came. */
  at: number
  column: number
  row: Row
}
/** A statement that waits to be run. */
export interface PlannedEdit {
  question: number
  text: string
}
export interface EditOutcome {
  /** Rows that it found; none where the row was changed meanwhile. */
  rows: number
  warnings: number
  error?: string | undefined
}

const failedEdit = (error: string): EditOutcome => ({ rows: 0, warnings: 0, error })

/** The session of a workbench: what is run, what was answered, and what else the gateway has said. */
export function useWorkbench(options: WorkbenchOptions) {
  const { attempt } = options
  const line = useRef<LineOf<typeof WORKBENCH>>(undefined)
  const questions = useRef(
    new Map<number, (reply: { rows: string[][]; isCut: boolean; error?: string | undefined }) => void>(),
  )
  const numbers = useRef({ run: 0, question: 0 })
  /** What was run, as it was sent. */
  const ran = useRef('')
  /** Name of the application, for names of files. */
  const application = useRef('')
  const file = useRef<{ run: number; name: string; rows: GrowingFile; isStopped: boolean; isOver: boolean }>(undefined)
  const edit = useRef<{ run: number; settle: (outcome: EditOutcome) => void }>(undefined)
  const [status, setStatus] = useState<Status>(FIRST_STATUS)
  const [started, setStarted] = useState<Started>()
  const [answers, setAnswers] = useState<Answers>(NO_ANSWERS)
  const [isAway, setAway] = useState(false)
  const [isExporting, setExporting] = useState(false)
  const latest = useRef(options)
  latest.current = options

  const fileTold = (told: WorkbenchEvent) => {
    if (told.event === 'exported' && file.current) {
      const { name, rows, isStopped } = file.current
      file.current.isOver = true
      setExporting(false)
      // Half a file looks like a whole one. Who stopped it is not told that it was.
      if (!isStopped) {
        if (told.error) showError(told.error)
        else rows.save(name)
        if (told.cut > 0)
          showError(
            t('{{count|value is|values are}} too long: the file has only their beginning.', {
              count: told.cut,
            }),
          )
      }
      setAnswers((now) => ({ ...now, isRunning: heldResult(now) !== undefined }))
    } else if (told.event === 'idle') {
      file.current = undefined
      // A run that was begun behind it is not over.
      if (told.run === numbers.current.run) setAnswers((now) => answersAfter(now, { ...told, run: now.run }))
    }
  }
  const editTold = (told: WorkbenchEvent) => {
    if (told.event === 'edited') {
      edit.current?.settle({ rows: told.rows, warnings: told.warnings, error: told.error })
      setAnswers((now) => ({ ...now, isRunning: heldResult(now) !== undefined }))
    } else if (told.event === 'idle') {
      edit.current = undefined
      if (told.run === numbers.current.run) setAnswers((now) => answersAfter(now, { ...told, run: now.run }))
    }
  }
  /** What becomes of an edit is not told any more. */
  const editGone = () => {
    edit.current?.settle(failedEdit(t('The connection was lost: check whether the value was changed.')))
    edit.current = undefined
  }
  /** Without a line nothing that is under way comes here. */
  const lineGone = () => {
    editGone()
    for (const answer of questions.current.values()) answer({ rows: [], isCut: false, error: t('Not connected') })
    questions.current.clear()
    if (file.current && !file.current.isOver && !file.current.isStopped)
      showError(t('The connection was lost before the file was whole.'))
    file.current = undefined
    setExporting(false)
  }
  const start = ({ run, newest = 0, text = '', isRunning = false, ...said }: WorkbenchStart) => {
    setStarted(said)
    // Its number may be that of what is run next.
    editGone()
    if (run === undefined)
      setAnswers((now) => ({ ...now, database: said.database, keepsRows: said.keepsRows === true }))
    else {
      if (numbers.current.run > newest) showError(t('What you ran last did not arrive: it was not run.'))
      numbers.current.run = newest
      ran.current = text
      setAnswers(resumed({ ...said, run, isRunning }))
      // What runs is a file that nobody takes any more.
      if (isRunning && newest !== run)
        file.current = { run: newest, name: '', rows: new GrowingFile(), isStopped: true, isOver: false }
    }
    latest.current.onState('connected', attempt)
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new line for a new attempt, and for nothing else
  useEffect(() => {
    setStatus(FIRST_STATUS)
    setAnswers((now) => ({ ...now, isRunning: false, transaction: 'none' }))
    const ofStatus = statusHandlers(setStatus)
    const opened = openOwnLine(WORKBENCH, latest.current, {
      size: () => NO_TERMINAL,
      onOutput: (bytes) => typeof bytes !== 'string' && file.current?.rows.add(bytes),
      onSession(session) {
        application.current = session.asset
        latest.current.onStarted?.(session)
        latest.current.onSession?.(session.id, attempt)
      },
      onError: (text) => setStatus((now) => ({ ...now, notice: text, isLast: true })),
      onLost() {
        lineGone()
        setAway(true)
      },
      onBack: () => setAway(false),
      onRefused: () => {},
      onInputLost: () => {},
      on: {
        ...NOT_SHARED,
        WORKBENCH(told) {
          if (!isOfBefore(told)) setAnswers(decided)
          if (told.run === file.current?.run) fileTold(told)
          else if (told.run === edit.current?.run) editTold(told)
          else {
            // What was on screen ends before its file begins: what can be stopped is the file.
            const isRunning = file.current?.isOver === false
            setAnswers((now) => ({ ...answersAfter(now, told), ...(isRunning ? { isRunning } : {}) }))
          }
        },
        WORKBENCH_REPLY({ question, ...reply }) {
          questions.current.get(question)?.(reply)
          questions.current.delete(question)
        },
        WORKBENCH_START(said) {
          start(said)
          ofStatus.start(said)
        },
        WORKBENCH_DECIDED: () => setAnswers(decided),
        WORKBENCH_NOTICE(said) {
          // The notice fades, and nobody would know any more why nothing comes.
          if (said.code === 'held') setAnswers((now) => ({ ...now, awaits: said.text }))
          ofStatus.notice(said)
        },
        WORKBENCH_ASK: ofStatus.ask,
        WORKBENCH_WAIT: ofStatus.wait,
        WORKBENCH_PROGRESS: ofStatus.progress,
        TERMINAL_LOCK: ofStatus.lock,
      },
      onClosed(by) {
        lineGone()
        setAway(false)
        // What it kept is gone with it.
        setAnswers((now) => ({ ...now, isRunning: false, transaction: 'none', keepsRows: false }))
        setStatus((now) => ({ ...FIRST_STATUS, notice: now.isLast ? now.notice : LAST_WORDS[by](), isLast: true }))
        if (by !== 'moved') latest.current.onSession?.(undefined, attempt)
        latest.current.onState('disconnected', attempt)
      },
    })
    line.current = opened.line
    return () => {
      line.current = undefined
      setAway(false)
      opened.end()
    }
  }, [attempt])

  return {
    status,
    setStatus,
    started,
    answers,
    /** The line is broken just now. */
    isAway,
    /** A file is on its way. */
    isExporting,
    /** Runs all of a text, or the statement at a place in it; or asks how each would be run. */
    run(text: string, { at, isPlanned = false }: { at?: number | undefined; isPlanned?: boolean } = {}) {
      const run = ++numbers.current.run
      ran.current = text
      setAnswers((now) => begun(now, run))
      line.current?.message('WORKBENCH_RUN', { run, text, at, isPlanned })
    },
    /** Runs one of its statements again, into a file. */
    export({ from, to }: Pick<StatementView, 'from' | 'to'>, format: ExportFormat) {
      const run = ++numbers.current.run
      const text = ran.current.slice(from, to)
      const name = rowsFileName({ application: application.current, statement: text, format })
      file.current = { run, name, rows: new GrowingFile(), isStopped: false, isOver: false }
      setExporting(true)
      setAnswers(runningBeside)
      line.current?.message('WORKBENCH_EXPORT', { run, text, format })
    },
    /** The statement that would change a value; runs nothing. Rejects with the reason where there is none. */
    async planEdit({ row, ...place }: CellPlace, value: string | null): Promise<PlannedEdit> {
      const question = numbers.current.question + 1
      const { rows } = await this.ask({ about: 'edit', edit: { run: answers.run, ...place, row: [...row], value } })
      return { question, text: rows[0]?.[0] ?? '' }
    },
    /** Runs it. */
    edit: ({ question }: PlannedEdit) =>
      new Promise<EditOutcome>((settle) => {
        if (!line.current || isAway) return settle(failedEdit(t('Not connected')))
        const run = ++numbers.current.run
        edit.current = { run, settle }
        setAnswers(runningBeside)
        line.current?.message('WORKBENCH_EDIT', { run, question })
      }),
    /** The next rows; `isInstead`: in place of those that are loaded, so that any number can be looked through. */
    more(isInstead = false) {
      if (!heldResult(answers)) return
      setAnswers((now) => ({ ...asked(isInstead ? movedOn(now) : now), ...running() }))
      line.current?.message('WORKBENCH_MORE')
    },
    /** Rows that have come before: those that end before one, or begin with it. */
    again(place: ResultPlace, wanted: RowsWanted) {
      setAnswers((now) => askedAgain(now, place))
      line.current?.message('WORKBENCH_ROWS', { run: answers.run, ...place, ...wanted })
    },
    /** The window is to begin with that row: its rows are asked for as they come into view. */
    moveTo: (place: ResultPlace, from: number) => setAnswers((now) => movedTo(now, place, from)),
    cancel() {
      if (file.current) file.current.isStopped = true
      line.current?.message('WORKBENCH_CANCEL')
    },
    answer(text: string | undefined) {
      setStatus((now) => ({ ...now, question: undefined }))
      line.current?.message('WORKBENCH_ANSWER', text === undefined ? {} : { text })
    },
    ask: (ask: Question) =>
      new Promise<{ rows: string[][]; isCut: boolean }>((resolve, reject) => {
        const question = ++numbers.current.question
        if (!line.current || isAway) return reject(new Error(t('Not connected')))
        questions.current.set(question, ({ error, ...reply }) => (error ? reject(new Error(error)) : resolve(reply)))
        line.current.message('WORKBENCH_ASK', { question, ask })
      }),
  }
}
