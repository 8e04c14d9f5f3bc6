import type { AlarmKind, StorageKind } from '@sallyport/contract/resources/monitor/system-monitor.ts'
import { boolean, doublePrecision, jsonb, pgTable, smallint, text, uuid } from 'drizzle-orm/pg-core'
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
