import { bigint, boolean, doublePrecision, integer, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { createdBy, dateCreated, dateTime, dateUpdated, id, orgId } from '../../../kernel/database/columns.ts'
import { periodicColumns } from '../../../kernel/jobs/row-schedules.ts'

export const accountsGatherTask = pgTable('accounts_gather_task', {
  id: id(),
  org_id: orgId(),
  name: text('name').notNull(),
  ...periodicColumns(),
  date_last_sync: dateTime('date_last_sync'),
  comment: text('comment').notNull().default(''),
  created_by: createdBy(),
  date_created: dateCreated(),
  date_updated: dateUpdated(),
})

export const accountsGatherTaskNode = pgTable(
  'accounts_gather_task_node',
  { task_id: uuid('task_id').notNull(), node_id: uuid('node_id').notNull() },
  ({ task_id, node_id }) => [primaryKey({ columns: [task_id, node_id] })],
)

/** Its id is that of its background task. */
export const accountsGatherExecution = pgTable('accounts_gather_execution', {
  id: uuid('id').primaryKey(),
  org_id: orgId(),
  task: uuid('task').notNull(),
  date_start: dateTime('date_start').notNull().defaultNow(),
  timedelta: doublePrecision('timedelta'),
  success: boolean('success').notNull().default(false),
  reason: text('reason').notNull().default(''),
  assets_amount: integer('assets_amount').notNull().default(0),
  failed_amount: integer('failed_amount').notNull().default(0),
  new_amount: integer('new_amount').notNull().default(0),
  changed_amount: integer('changed_amount').notNull().default(0),
  vanished_amount: integer('vanished_amount').notNull().default(0),
})

/** An authorized key: its type and body as one text, and its comment. */
export interface StoredKey {
  key: string
  comment: string
}

export const accountsGatheredUser = pgTable('accounts_gathered_user', {
  id: id(),
  org_id: orgId(),
  asset: uuid('asset').notNull(),
  username: text('username').notNull(),
  present: boolean('present').notNull().default(true),
  ip_last_login: text('ip_last_login').notNull().default(''),
  date_last_login: dateTime('date_last_login'),
  uid: bigint('uid', { mode: 'number' }),
  home: text('home').notNull().default(''),
  shell: text('shell').notNull().default(''),
  is_admin: boolean('is_admin').notNull().default(false),
  keys: jsonb('keys').$type<StoredKey[]>(),
  change: text('change').notNull().default(''),
  date_changed: dateTime('date_changed'),
  date_created: dateCreated(),
  date_updated: dateUpdated(),
})
