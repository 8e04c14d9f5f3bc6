/** What the gateway answers to what a person runs, as a value. */

import {
  EXPORT_FORMATS,
  type ExportFormat,
  type ShownColumn,
  type ShownValue,
  type WorkbenchEvent,
} from '@sallyport/contract/socket/workbench.ts'

export { EXPORT_FORMATS, type ExportFormat }
export type Value = ShownValue
export type Row = readonly Value[]
export type Column = ShownColumn

/** A table that a statement brought. */
export interface ResultView {
  /** Which of the statement's results, from 1. */
  result: number
  columns: readonly Column[]
  /** A window of them: as many as a page can hold. */
  rows: readonly Row[]
  /** How many came before the window. */
  before?: number
  /** How many have come in all, if some came behind the window. */
  shown?: number
  /** The first that can be had again. */
  first?: number
  /** Rows that were let go are on their way. */
  isAsking?: boolean
  /** Of all the values in the window. */
  characters?: number
  /** More rows come when they are asked for. */
  isHeld: boolean
  /** How many there were in all, once that is known; `isCut`: of those that are not here, none can be had. */
  done?: { rows: number; isCut: boolean }
}

/** More than either is not kept in the page. */
export const WINDOW_ROWS = 100_000
const WINDOW_CHARACTERS = 64 * 1024 * 1024

/** Whether the window has no room for more. */
export const isFull = ({ rows, characters = 0 }: ResultView): boolean =>
  rows.length >= WINDOW_ROWS || characters >= WINDOW_CHARACTERS

/** How many rows have come so far, in the window or not. */
export const shownOf = ({ rows, before = 0, shown }: ResultView): number => Math.max(shown ?? 0, before + rows.length)

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
  said: readonly { kind: string; text: string }[]
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
  /** Who must confirm what runs, while they are waited for: in words that end with the address of the ticket. */
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

/** When a statement began of which is told now. A page that has come back is told again of those it has missed. */
function begunAt({ resumedSince, statements }: Answers): number {
  const now = performance.now()
  if (resumedSince === undefined) return now
  return Math.min(
    now,
    statements.reduce((sum, { milliseconds = 0 }) => sum + milliseconds, resumedSince),
  )
}

/** The answers of a session that was gone on with, before what they are is told again. */
export const resumed = (
  said: Pick<Answers, 'run' | 'isRunning' | 'database' | 'transaction' | 'keepsRows'> & { runningFor?: number },
): Answers => {
  const { runningFor, ...stands } = said
  if (!said.isRunning) return { ...stands, statements: [] }
  const runs = running(runningFor)
  return { ...stands, ...runs, resumedSince: runs.since, statements: [] }
}

/** The answers after something was told; of a run that is not shown nothing is kept. */
export function answersAfter(now: Answers, told: WorkbenchEvent): Answers {
  return told.run === now.run ? afterEvent(now, told) : now
}

/** The answers once nobody is waited for to confirm what runs. */
export const decided = (now: Answers): Answers => (now.awaits === undefined ? now : { ...now, awaits: undefined })

/** Rows that have come before say nothing of what runs now. */
export const isOfBefore = ({ event }: WorkbenchEvent): boolean => event === 'again' || event === 'gone'

function afterEvent(now: Answers, told: WorkbenchEvent): Answers {
  if (told.event === 'idle')
    return {
      ...now,
      isRunning: false,
      database: told.database,
      transaction: told.transaction,
    }
  if (told.event === 'statement')
    return {
      ...now,
      statements: [
        ...now.statements,
        {
          ...{ text: told.text, from: told.from, to: told.to },
          isPlanned: told.isPlanned,
          since: begunAt(now),
          ...{ results: [], said: [], outcome: '', isFailed: false },
        },
      ],
    }
  if (!('statement' in told)) return now
  return {
    ...now,
    statements: now.statements.map((one, at) =>
      at === told.statement ? statementAfter(one, told, now.keepsRows === true) : one,
    ),
  }
}

function statementAfter(
  now: StatementView,
  told: Extract<WorkbenchEvent, { statement: number }>,
  keepsRows: boolean,
): StatementView {
  const result = (change: (one: ResultView) => ResultView) => ({
    ...now,
    results: now.results.map((one) => ('result' in told && one.result === told.result ? change(one) : one)),
  })
  switch (told.event) {
    case 'columns': {
      const { columns, result } = told
      return { ...now, results: [...now.results, { result, columns, rows: [], isHeld: false }] }
    }
    case 'rows':
      return result((one) => withRows(one, told.rows, keepsRows))
    case 'again':
      return result((one) => withRowsAgain(one, told))
    case 'gone':
      return result((one) => withoutRows(one, told))
    case 'shown':
      return result((one) => ({
        ...one,
        shown: told.rows,
        ...(one.done ? { done: { ...one.done, isCut: one.done.rows > told.rows } } : {}),
      }))
    case 'changed':
      return result((one) => ({ ...one, rows: withValue(one, told) }))
    case 'held':
      return result((one) => ({ ...one, isHeld: true }))
    case 'done': {
      const isTable = now.results.some((one) => one.result === told.result)
      if (!isTable) return { ...now, outcome: outcomeOf(told) }
      return result((one) => ({
        ...one,
        isHeld: false,
        done: { rows: told.rows ?? one.rows.length, isCut: told.isCut },
      }))
    }
    case 'said':
      return { ...now, said: [...now.said, { kind: told.kind, text: told.text }] }
    case 'over':
      return { ...now, milliseconds: told.milliseconds, isFailed: told.isFailed }
    default:
      return now
  }
}

/** Rows that have just come. Behind a window that has moved back they wait where they are kept. */
function withRows(now: ResultView, rows: readonly Row[], keepsRows: boolean): ResultView {
  const shown = shownOf(now)
  if ((now.before ?? 0) + now.rows.length < shown) return { ...now, shown: shown + rows.length }
  const longer = longerBy(now, [...now.rows, ...rows], rows)
  return keepsRows ? withinWindow(longer, 'above') : longer
}

/** Rows that came once before, next to those of the window; others are not wanted any more. */
function withRowsAgain(now: ResultView, { from, rows }: OfKind<'again'>): ResultView {
  const { before = 0 } = now
  const asked = { ...now, shown: shownOf(now), isAsking: false }
  if (from === before + now.rows.length) return withinWindow(longerBy(asked, [...now.rows, ...rows], rows), 'above')
  if (from + rows.length !== before) return asked
  return withinWindow({ ...longerBy(asked, [...rows, ...now.rows], rows), before: from }, 'below')
}

/** What was asked for is not kept any more: the window goes on with the first that is. */
function withoutRows(now: ResultView, told: OfKind<'gone'>): ResultView {
  const shown = shownOf(now)
  const first = told.first ?? shown
  const { before = 0, rows } = now
  const isApart = before + rows.length < first
  return { ...now, shown, first, isAsking: false, ...(isApart ? { rows: [], characters: 0, before: first } : {}) }
}

const charactersOf = (row: Row): number =>
  row.reduce<number>((sum, value) => sum + ((Array.isArray(value) ? value[0] : value)?.length ?? 0), 0)

function longerBy(now: ResultView, rows: readonly Row[], added: readonly Row[]): ResultView {
  return { ...now, rows, characters: added.reduce((sum, row) => sum + charactersOf(row), now.characters ?? 0) }
}

/** Lets go of what is too much, at one end of the window. */
function withinWindow(now: ResultView, end: 'above' | 'below'): ResultView {
  const { rows, before = 0 } = now
  let { characters = 0 } = now
  let gone = 0
  const isTooLong = () => rows.length - gone > WINDOW_ROWS || (characters > WINDOW_CHARACTERS && gone < rows.length - 1)
  for (; isTooLong(); gone++) characters -= charactersOf(rows[end === 'above' ? gone : rows.length - 1 - gone] as Row)
  if (!gone) return now
  const shown = shownOf(now)
  return end === 'above'
    ? { ...now, shown, rows: rows.slice(gone), characters, before: before + gone }
    : { ...now, shown, rows: rows.slice(0, -gone), characters }
}

/** Rows that are not here stay so. */
function withValue({ rows, before = 0 }: ResultView, { at, column, value }: OfKind<'changed'>): readonly Row[] {
  const place = at - before
  const row = place < 0 ? undefined : rows[place]
  return row ? rows.with(place, row.with(column, value)) : rows
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

const emptiedAt = (result: ResultView, before: number): ResultView => ({
  ...result,
  ...{ rows: [], characters: 0, before, shown: shownOf(result) },
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
