import type { CapacityFigures, CapacityMachine, CapacityState } from '@sallyport/contract/resources/monitor/capacity.ts'
import type { AlarmKind, StorageKind } from '@sallyport/contract/resources/monitor/system-monitor.ts'
import { boolean, date, doublePrecision, integer, jsonb, pgTable, smallint, text, uuid } from 'drizzle-orm/pg-core'
import { dateTime, id } from '../../kernel/database/columns.ts'

/** Measurements of a node or (null) of the installation. */
export const monitorSample = pgTable('monitor_sample', {
  node: uuid('node'),
  at: dateTime('at').notNull(),
  /** That it covers: 1 as measured, 15 as rolled up. */
  minutes: smallint('minutes').notNull(),
  figures: jsonb('figures').$type<Record<string, number>>().notNull(),
  /** The highest of what was rolled up. */
  peaks: jsonb('peaks').$type<Record<string, number>>(),
})

export const monitorAlarm = pgTable('monitor_alarm', {
  id: id(),
  kind: text('kind').$type<AlarmKind>().notNull(),
  /** The node or storage that it is about; empty of what is the installation's. */
  subject: text('subject').notNull().default(''),
  /** What that is called. */
  name: text('name').notNull().default(''),
  /** The worst while it lasts. */
  value: doublePrecision('value'),
  limit_value: doublePrecision('limit_value'),
  date_opened: dateTime('date_opened').notNull(),
  /** When what it is about was last seen to be wrong. */
  date_seen: dateTime('date_seen').notNull(),
  date_closed: dateTime('date_closed'),
})

/** Whether each storage outside answers. */
export const monitorStorage = pgTable('monitor_storage', {
  id: uuid('id').primaryKey(),
  kind: text('kind').$type<StorageKind>().notNull(),
  name: text('name').notNull(),
  is_away: boolean('is_away').notNull(),
  fault: text('fault').notNull().default(''),
  answer: text('answer').notNull().default(''),
  date_since: dateTime('date_since').notNull(),
  date_checked: dateTime('date_checked').notNull(),
})

/** Measurements of what a node carries (docs/capacity.md). */
export const monitorCapacity = pgTable('monitor_capacity', {
  id: id(),
  node: uuid('node').notNull(),
  node_name: text('node_name').notNull(),
  state: text('state').$type<CapacityState>().notNull().default('waiting'),
  /** A code of `FAULTS`, or what disk, store or database said. */
  fault: text('fault').notNull().default(''),
  asked_by: text('asked_by').notNull(),
  rounds: smallint('rounds').notNull().default(3),
  is_canceled: boolean('is_canceled').notNull().default(false),
  done: integer('done').notNull().default(0),
  total: integer('total').notNull().default(0),
  figures: jsonb('figures').$type<CapacityFigures>().notNull().default({}),
  machine: jsonb('machine').$type<CapacityMachine>(),
  date_asked: dateTime('date_asked').notNull().defaultNow(),
  date_seen: dateTime('date_seen').notNull().defaultNow(),
  date_finished: dateTime('date_finished'),
})

/** The busiest minute of each day on a node. */
export const monitorCapacityDay = pgTable('monitor_capacity_day', {
  node: uuid('node').notNull(),
  /** `2026-11-29`, by the clock of the server. */
  day: date('day').notNull(),
  sessions: integer('sessions').notNull().default(0),
  opened: integer('opened').notNull().default(0),
  commands: doublePrecision('commands').notNull().default(0),
  percent: doublePrecision('percent'),
})
