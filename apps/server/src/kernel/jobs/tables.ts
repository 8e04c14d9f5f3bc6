import { sql } from 'drizzle-orm'
import { bigint, boolean, integer, jsonb, pgTable, text } from 'drizzle-orm/pg-core'
import { dateTime, id } from '../database/columns.ts'

/** The stored state of each schedule; the rest is in the code that declares it. */
export const kernelSchedule = pgTable('kernel_schedule', {
  id: integer('id').primaryKey().generatedAlwaysAsIdentity(),
  name: text('name').notNull(),
  enabled: boolean('enabled').notNull().default(true),
  last_run_at: dateTime('last_run_at'),
  total_run_count: bigint('total_run_count', { mode: 'number' }).notNull().default(0),
})

/** Background jobs: what waits, what runs, and what ended in the last week. */
export const kernelJob = pgTable('kernel_job', {
  id: id(),
  queue: text('queue').notNull(),
  data: jsonb('data').$type<object>().notNull(),
  owner: text('owner'),
  state: text('state').$type<'waiting' | 'running' | 'done' | 'failed' | 'cancelled'>().notNull().default('waiting'),
  tries: integer('tries').notNull().default(0),
  date_created: dateTime('date_created').notNull().default(sql`now()`),
  date_due: dateTime('date_due').notNull().default(sql`now()`),
  date_start: dateTime('date_start'),
  date_heard: dateTime('date_heard'),
  date_finished: dateTime('date_finished'),
  error: text('error').notNull().default(''),
})
