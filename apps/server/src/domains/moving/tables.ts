import type { MoveState, MoveTask } from '@sallyport/contract/resources/moving/jumpserver-move.ts'
import { bigint, boolean, integer, jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { bytes, dateTime, id } from '../../kernel/database/columns.ts'
import type { Fault, MoveOutcome } from './order.ts'

/** Runs that the page has begun. */
export const movingRun = pgTable('moving_run', {
  id: id(),
  task: text('task').$type<MoveTask>().notNull(),
  state: text('state').$type<MoveState>().notNull().default('running'),
  node: uuid('node').notNull(),
  node_name: text('node_name').notNull(),
  asked_by: text('asked_by').notNull(),
  /** Never with a password. */
  source: text('source').notNull().default(''),
  version: text('version').notNull().default(''),
  /** English label of the part that is under way. */
  stage: text('stage').notNull().default(''),
  stages_done: integer('stages_done').notNull().default(0),
  stages: integer('stages').notNull().default(0),
  rows: bigint('rows', { mode: 'number' }).notNull().default(0),
  fault: jsonb('fault').$type<Fault>(),
  result: jsonb('result').$type<MoveOutcome>().notNull().default({}),
  /** Packed. */
  report: bytes('report'),
  differences: bytes('differences'),
  is_stopped: boolean('is_stopped').notNull().default(false),
  date_started: dateTime('date_started').notNull().defaultNow(),
  /** When the node was last at it. */
  date_seen: dateTime('date_seen').notNull().defaultNow(),
  date_finished: dateTime('date_finished'),
})
