import { bigint, jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { dateCreated, dateTime, orgId } from '../../kernel/database/columns.ts'

/**
 * Background tasks that people started: state, owner and result. The work itself is a job of the
 * same id.
 */
export const opsBackgroundTask = pgTable('ops_background_task', {
  id: uuid('id').primaryKey(),
  org_id: orgId(),
  user_id: uuid('user_id'),
  name: text('name').notNull(),
  state: text('state').$type<'PENDING' | 'STARTED' | 'SUCCESS' | 'FAILURE'>().notNull().default('PENDING'),
  result: jsonb('result').$type<Record<string, unknown>>(),
  date_created: dateCreated(),
  date_started: dateTime('date_started'),
  date_finished: dateTime('date_finished'),
})

/** The output of tasks, piece by piece. */
export const opsTaskLog = pgTable('ops_task_log', {
  id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
  task: uuid('task').notNull(),
  data: text('data').notNull(),
})
