/** The gateway's answers to a person's statements, as a value. */

import type { WorkbenchEvent } from '@sallyport/contract/socket/workbench.ts'
import {
  emptiedAt,
  type ResultView,
  shownOf,
  withoutRows,
  withRows,
  withRowsAgain,
  withValue,
} from '../grid/result-view.ts'

export interface StatementView {
  /** Its beginning; it stands from one place to another in what was run. */
  text: string
  from: number
  to: number
  /** It was not run: what it brought is how the server would. */
  isPlanned: boolean
  /** When it began, by the page's own clock; none once it is not what runs. */
  since?: number
  results: readonly ResultView[]
  messages: readonly { kind: string; text: string }[]
  /** Rows that it changed, or what the server calls it. */
  outcome: string
  /** Once it is over. */
  milliseconds?: number
  isFailed: boolean
}

export interface Answers {
  /** The run that is shown; 0 before the first. */
  run: number
  isRunning: boolean
  statements: readonly StatementView[]
  /** Where statements run. */
  database: string
  transaction: 'none' | 'open' | 'failed'
  /** The gateway keeps rows that the window lets go. */
  keepsRows?: boolean
  /** Since when what runs has run, or its next rows were asked for; by the page's own clock. */
  since?: number
  /** When a run began that this page has come back to. */
  resumedSince?: number | undefined
  /** Reviewers of the running statement, while they are waited for: in words that end with the address of the ticket. */
  awaits?: string | undefined
}

export const NO_ANSWERS: Answers = { run: 0, isRunning: false, statements: [], database: '', transaction: 'none' }

type OfKind<Event extends WorkbenchEvent['event']> = Extract<WorkbenchEvent, { event: Event }>

/** The answers after a run has begun: those of the one before it go. */
export const begun = (now: Answers, run: number): Answers => ({
  ...now,
  run,
  ...running(),
  resumedSince: undefined,
  awaits: undefined,
  statements: [],
})

/** Something begins to run: `milliseconds` ago. */
export const running = (milliseconds = 0): Required<Pick<Answers, 'isRunning' | 'since'>> => ({
  isRunning: true,
  since: performance.now() - milliseconds,
})

/** Something begins to run of which no statement is shown. */
export const runningBeside = (now: Answers): Answers => ({
  ...now,
  ...running(),
  statements: now.statements.map(({ since: _, ...one }) => one),
})

/** Since when what runs has run; undefined while nothing does, or it waits for who reads. */
export const runningSince = (now: Answers): number | undefined =>
  now.isRunning && !heldResult(now) ? now.since : undefined

/** The same of the statement that runs now. */
export const statementSince = (now: Answers): number | undefined =>
  runningSince(now) === undefined ? undefined : now.statements.at(-1)?.since

/** Start of the statement in the news. A page that has come back gets those again that it has missed. */
function begunAt({ resumedSince, statements }: Answers): number {
  const now = performance.now()
  if (resumedSince === undefined) return now
  return Math.min(
    now,
    statements.reduce((sum, { milliseconds = 0 }) => sum + milliseconds, resumedSince),
  )
}

/** The answers of a resumed session, before they are sent again. */
export const resumed = (
  messages: Pick<Answers, 'run' | 'isRunning' | 'database' | 'transaction' | 'keepsRows'> & { runningFor?: number },
): Answers => {
  const { runningFor, ...stands } = messages
  if (!messages.isRunning) return { ...stands, statements: [] }
  const runs = running(runningFor)
  return { ...stands, ...runs, resumedSince: runs.since, statements: [] }
}

/** The answers after a message; nothing is kept of a run that is not shown. */
export function answersAfter(now: Answers, news: WorkbenchEvent): Answers {
  return news.run === now.run ? afterEvent(now, news) : now
}

/** The answers once nobody is waited for to confirm what runs. */
export const decided = (now: Answers): Answers => (now.awaits === undefined ? now : { ...now, awaits: undefined })

/** Rows that have come before say nothing of what runs now. */
export const isOfEarlierRows = ({ event }: WorkbenchEvent): boolean => event === 'again' || event === 'gone'

function afterEvent(now: Answers, news: WorkbenchEvent): Answers {
  if (news.event === 'idle')
    return {
      ...now,
      isRunning: false,
      database: news.database,
      transaction: news.transaction,
    }
  if (news.event === 'statement')
    return {
      ...now,
      statements: [
        ...now.statements,
        {
          ...{ text: news.text, from: news.from, to: news.to },
          isPlanned: news.isPlanned,
          since: begunAt(now),
          ...{ results: [], messages: [], outcome: '', isFailed: false },
        },
      ],
    }
  if (!('statement' in news)) return now
  return {
    ...now,
    statements: now.statements.map((one, at) =>
      at === news.statement ? statementAfter(one, news, now.keepsRows === true) : one,
    ),
  }
}

function statementAfter(
  now: StatementView,
  news: Extract<WorkbenchEvent, { statement: number }>,
  keepsRows: boolean,
): StatementView {
  const result = (change: (one: ResultView) => ResultView) => ({
    ...now,
    results: now.results.map((one) => ('result' in news && one.result === news.result ? change(one) : one)),
  })
  switch (news.event) {
    case 'columns': {
      const { columns, result } = news
      return { ...now, results: [...now.results, { result, columns, rows: [], isHeld: false }] }
    }
    case 'rows':
      return result((one) => withRows(one, news.rows, keepsRows))
    case 'again':
      return result((one) => withRowsAgain(one, news))
    case 'gone':
      return result((one) => withoutRows(one, news))
    case 'shown':
      return result((one) => ({
        ...one,
        shown: news.rows,
        ...(one.done ? { done: { ...one.done, isCut: one.done.rows > news.rows } } : {}),
      }))
    case 'changed':
      return result((one) => ({ ...one, rows: withValue(one, news) }))
    case 'held':
      return result((one) => ({ ...one, isHeld: true }))
    case 'done': {
      const isTable = now.results.some((one) => one.result === news.result)
      if (!isTable) return { ...now, outcome: outcomeOf(news) }
      return result((one) => ({
        ...one,
        isHeld: false,
        done: { rows: news.rows ?? one.rows.length, isCut: news.isCut },
      }))
    }
    case 'said':
      return { ...now, messages: [...now.messages, { kind: news.kind, text: news.text }] }
    case 'over':
      return { ...now, milliseconds: news.milliseconds, isFailed: news.isFailed }
    default:
      return now
  }
}

/** In the server's own words; MySQL has none for most statements. */
const outcomeOf = ({ words, rows }: OfKind<'done'>) => words || String(rows ?? '')

/** The table that more rows can be asked for. */
export const heldResult = ({ statements }: Answers): ResultView | undefined =>
  statements.flatMap(({ results }) => results).find(({ isHeld }) => isHeld)

/** The answers once more rows were asked for. */
export const asked = (now: Answers): Answers => ({
  ...now,
  statements: now.statements.map((one) => ({
    ...one,
    results: one.results.map((result) => (result.isHeld ? { ...result, isHeld: false } : result)),
  })),
})

/** The answers once the loaded rows have made room for those behind them. */
export const movedOn = (now: Answers): Answers => ({
  ...now,
  statements: now.statements.map((one) => ({
    ...one,
    results: one.results.map((result) => (result.isHeld ? emptiedAt(result, shownOf(result)) : result)),
  })),
})

/** A result among the answers. */
export interface ResultPlace {
  statement: number
  result: number
}

/** The answers once rows next to the window are on their way, which have come before. */
export const askedAgain = (now: Answers, place: ResultPlace): Answers =>
  withResult(now, place, (result) => ({ ...result, isAsking: true }))

/** The answers once the window is to begin with another row. */
export const movedTo = (now: Answers, place: ResultPlace, from: number): Answers =>
  withResult(now, place, (result) => emptiedAt(result, from))

const withResult = (now: Answers, place: ResultPlace, change: (one: ResultView) => ResultView): Answers => ({
  ...now,
  statements: now.statements.map((one, at) =>
    at === place.statement
      ? { ...one, results: one.results.map((result) => (result.result === place.result ? change(result) : result)) }
      : one,
  ),
})
