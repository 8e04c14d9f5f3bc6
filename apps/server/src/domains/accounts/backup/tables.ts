import { boolean, doublePrecision, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { createdBy, dateCreated, dateTime, dateUpdated, id, orgId } from '../../../kernel/database/columns.ts'
import { periodicColumns } from '../../../kernel/jobs/row-schedules.ts'

export const accountsBackupPlan = pgTable('accounts_backup_plan', {
  id: id(),
  org_id: orgId(),
  name: text('name').notNull(),
  ...periodicColumns(),
  types: text('types').array().notNull(),
  comment: text('comment').notNull().default(''),
  created_by: createdBy(),
  date_created: dateCreated(),
  date_updated: dateUpdated(),
})

export const accountsBackupPlanRecipient = pgTable(
  'accounts_backup_plan_recipient',
  { plan_id: uuid('plan_id').notNull(), user_id: uuid('user_id').notNull() },
  ({ plan_id, user_id }) => [primaryKey({ columns: [plan_id, user_id] })],
)

/** A plan as it was when it ran. */
export interface PlanSnapshot {
  name: string
  is_periodic: boolean
  interval: number | null
  crontab: string | null
  org_id: string
  created_by: string | null
  types: string[]
  /** By their id: display, and whether they have a file password. */
  recipients: Record<string, [display: string, hasPassword: boolean]>
}

/** Its id is that of its background task. */
export const accountsBackupExecution = pgTable('accounts_backup_execution', {
  id: uuid('id').primaryKey(),
  org_id: orgId(),
  plan: uuid('plan').notNull(),
  plan_snapshot: jsonb('plan_snapshot').$type<PlanSnapshot>().notNull(),
  trigger: text('trigger').$type<'manual' | 'timing'>().notNull(),
  date_start: dateTime('date_start').notNull().defaultNow(),
  timedelta: doublePrecision('timedelta'),
  is_success: boolean('is_success').notNull().default(false),
  reason: text('reason').notNull().default(''),
})
