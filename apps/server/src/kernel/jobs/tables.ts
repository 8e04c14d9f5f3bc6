import { bigint, boolean, integer, pgTable, text } from 'drizzle-orm/pg-core'
import { dateTime } from '../database/columns.ts'

/** What is kept of each schedule; the rest is in the code that declares it. */
export const kernelSchedule = pgTable('kernel_schedule', {
  id: integer('id').primaryKey().generatedAlwaysAsIdentity(),
  name: text('name').notNull(),
  enabled: boolean('enabled').notNull().default(true),
  last_run_at: dateTime('last_run_at'),
  total_run_count: bigint('total_run_count', { mode: 'number' }).notNull().default(0),
})
