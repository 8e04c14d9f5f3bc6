/**
 * A database in a page (`view=workbench`): the page says what is to be run and the gateway answers in
 * events. A file that is made of rows comes as binary frames. Every number below begins at 0 unless
 * it says otherwise; `run` and `question` are chosen by the page, each greater than the one before.
 */
import * as z from 'zod/mini'
import { dialogue, notice } from './dialogue.ts'
import { ANSWER_MAX } from './line.ts'
import { bare, json, type MessageOf } from './message.ts'
import { ROOM } from './room.ts'

/** Characters of what is run at once, of a name, and of a value that is changed. */
export const TEXT_MAX = 512 * 1024
const NAME_MAX = 256
const VALUE_MAX = 128 * 1024
/** More columns than any database has in one result. */
const COLUMNS_MAX = 65_535

/** What rows can become a file as. */
export const EXPORT_FORMATS = ['csv', 'xlsx', 'json'] as const
export type ExportFormat = (typeof EXPORT_FORMATS)[number]

const number = z.int().check(z.minimum(0))
const ofResult = { run: number, statement: number, result: number }

/** NULL, a text, or the beginning of one. */
export type ShownValue = string | null | [string]
const boundedValue = z.union([
  z.string().check(z.maxLength(TEXT_MAX)),
  z.null(),
  z.tuple([z.string().check(z.maxLength(TEXT_MAX))]),
])

/** All of a text, or the statement that stands `at` a place in it. */
const text = { run: number, text: z.string().check(z.maxLength(TEXT_MAX)), at: z.optional(number) }
const run = z.object({
  ...text,
  /** How the server would go about it is asked for, instead of what it answers. */
  isPlanned: z.optional(z.boolean()),
})
/** The statement whose rows become a file. */
const exported = z.object({ ...text, format: z.enum(EXPORT_FORMATS) })
/** Rows that were shown already: the page of them that begins at one, or ends before it. */
const again = z.union([
  z.object({ ...ofResult, from: number, to: z.optional(z.undefined()) }),
  z.object({ ...ofResult, to: number.check(z.minimum(1)), from: z.optional(z.undefined()) }),
])

/** A value of a row that is shown, and what it is to become. */
const cellEdit = z.object({
  ...ofResult,
  /** Which of the rows that were shown. */
  at: number,
  column: number,
  /** All values of the row, as they were shown. */
  row: z.array(boundedValue).check(z.maxLength(COLUMNS_MAX)),
  value: z.nullable(z.string().check(z.maxLength(VALUE_MAX))),
})
export type CellEdit = z.output<typeof cellEdit>

const name = z.string().check(z.maxLength(NAME_MAX))
const question = z.discriminatedUnion('about', [
  z.object({ about: z.literal('schemas') }),
  z.object({ about: z.literal('relations'), schema: name }),
  z.object({ about: z.literal('columns'), schema: name, relation: name }),
  /** The statement that would change a value; WORKBENCH_EDIT runs it. */
  z.object({ about: z.literal('edit'), edit: cellEdit }),
  /** Text that may follow that text. */
  z.object({ about: z.literal('completion'), before: z.string().check(z.maxLength(TEXT_MAX)), database: name }),
])
export type WorkbenchQuestion = z.output<typeof question>

export const transaction = z.enum(['none', 'open', 'failed'])
export type Transaction = z.output<typeof transaction>

/** Databases for which a page can write SQL. */
export const SQL_DIALECTS = ['mysql', 'postgresql', 'sqlserver', 'oracle'] as const
export type SqlDialect = (typeof SQL_DIALECTS)[number]

const start = z.object({
  dialect: z.enum(SQL_DIALECTS),
  /** The server's name for itself, and where statements run. */
  version: z.string(),
  database: z.string(),
  /** Rights: to change values, to take rows as a file, and whether the server can be asked for its plan. */
  mayEdit: z.boolean(),
  mayExport: z.boolean(),
  mayPlan: z.optional(z.boolean()),
  /** The gateway keeps rows for who goes back to them. */
  keepsRows: z.optional(z.boolean()),
  locked: z.optional(z.boolean()),
  transaction,
  /** In a session that goes on: the run that is shown, the newest, and their states. */
  run: z.optional(number),
  newest: z.optional(number),
  text: z.optional(z.string()),
  isRunning: z.optional(z.boolean()),
  /** Milliseconds. */
  runningFor: z.optional(z.number()),
})
export type WorkbenchStart = z.output<typeof start>

export interface ShownColumn {
  name: string
  isNumber: boolean
  /** It is a column of a table. */
  isStored?: boolean | undefined
}

/** Pages of rows are taken whole: each value in them is what the gateway made it. */
const list = <Item>() => z.custom<readonly Item[]>(Array.isArray)
const ofStatement = { run: number, statement: number }
const failure = z.optional(z.string())

const event = z.discriminatedUnion('event', [
  /** A statement of a run begins: where it stands, and its beginning. */
  z.object({
    ...ofStatement,
    event: z.literal('statement'),
    of: number,
    text: z.string(),
    from: number,
    to: number,
    isPlanned: z.boolean(),
  }),
  z.object({ ...ofResult, event: z.literal('columns'), columns: list<ShownColumn>() }),
  z.object({ ...ofResult, event: z.literal('rows'), rows: list<ShownValue[]>() }),
  /** There are more rows, for who sends WORKBENCH_MORE. */
  z.object({ ...ofResult, event: z.literal('held') }),
  /** `isCut`: the rows behind those that were shown can not be had. */
  z.object({
    ...ofResult,
    event: z.literal('done'),
    rows: z.optional(z.number()),
    words: z.string(),
    isCut: z.boolean(),
  }),
  z.object({ ...ofStatement, event: z.literal('said'), kind: z.enum(['plain', 'notice', 'error']), text: z.string() }),
  z.object({ ...ofStatement, event: z.literal('over'), milliseconds: z.number(), isFailed: z.boolean() }),
  /** Rows that were shown before, the first of which has that number; or the first that can still be had. */
  z.object({ ...ofResult, event: z.literal('again'), from: number, rows: list<ShownValue[]>() }),
  z.object({ ...ofResult, event: z.literal('gone'), first: z.optional(number) }),
  /** Number of rows shown, not all of which were sent again. */
  z.object({ ...ofResult, event: z.literal('shown'), rows: number }),
  /** A value that is shown is another one now. */
  z.object({
    ...ofResult,
    event: z.literal('changed'),
    at: number,
    column: number,
    value: z.nullable(z.string()),
  }),
  /** Behind the last byte of a file. `cut`: values that are longer than what is in it. */
  z.object({ run: number, event: z.literal('exported'), rows: number, cut: number, error: failure }),
  /** What became of an edit: rows that it has found, which is none where somebody else was there before. */
  z.object({ run: number, event: z.literal('edited'), rows: number, warnings: number, error: failure }),
  /** All of a run is over, or was given up. */
  z.object({ run: number, event: z.literal('idle'), database: z.string(), transaction }),
])
export type WorkbenchEvent = z.output<typeof event>

const answer = { WORKBENCH_ANSWER: json(z.object({ text: z.optional(z.string().check(z.maxLength(ANSWER_MAX))) })) }

/** What pages of every kind of workbench say. */
export const BROWSING = {
  fromClient: {
    ...answer,
    /** What runs, or is waited for, is given up. */
    WORKBENCH_CANCEL: bare,
  },
  fromGateway: {
    ...ROOM,
    WORKBENCH_NOTICE: notice,
    WORKBENCH_ASK: dialogue.ask,
    WORKBENCH_WAIT: dialogue.wait,
    WORKBENCH_PROGRESS: dialogue.progress,
  },
} as const

export const WORKBENCH = {
  fromClient: {
    ...BROWSING.fromClient,
    WORKBENCH_RUN: json(run),
    /** The next rows of what is held. */
    WORKBENCH_MORE: bare,
    WORKBENCH_ROWS: json(again),
    WORKBENCH_EXPORT: json(exported),
    /** Runs the statement that was answered to a question about an edit. */
    WORKBENCH_EDIT: json(z.object({ run: number, question: number })),
    WORKBENCH_ASK: json(z.object({ question: number, ask: question })),
  },
  fromGateway: {
    ...BROWSING.fromGateway,
    WORKBENCH_START: json(start),
    WORKBENCH: json(event),
    WORKBENCH_REPLY: json(
      z.object({ question: number, rows: z.array(z.array(z.string())), isCut: z.boolean(), error: failure }),
    ),
    /** Nobody is waited for any more: what was held runs, or was refused. */
    WORKBENCH_DECIDED: bare,
  },
} as const

export type WorkbenchFromClient = MessageOf<typeof WORKBENCH.fromClient>
export type WorkbenchFromGateway = MessageOf<typeof WORKBENCH.fromGateway>
