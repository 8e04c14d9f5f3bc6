import type { ChangeState, ChangeStep } from '@sallyport/contract/resources/accounts/change-auth.ts'
import { boolean, integer, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { createdBy, dateCreated, dateTime, dateUpdated, id, orgId, sealed } from '../../kernel/database/columns.ts'
import { periodicColumns } from '../../kernel/jobs/row-schedules.ts'

/** What plans are about: the accounts of one user name on assets, or those of system users on applications. */
export type PlanFamily = 'asset' | 'application'

/** Plans: the accounts whose secrets are changed, the new secrets and the times. */
export const accountsChangePlan = pgTable('accounts_change_plan', {
  id: id(),
  org_id: orgId(),
  family: text('family').$type<PlanFamily>().notNull(),
  name: text('name').notNull(),
  /** For plans for assets. */
  username: text('username').notNull().default(''),
  /** For plans for applications. */
  category: text('category').notNull().default(''),
  type: text('type').notNull().default(''),
  is_password: boolean('is_password').notNull().default(true),
  password_strategy: text('password_strategy').$type<PasswordStrategy>().notNull().default('custom'),
  password_sealed: sealed('password_sealed'),
  password_rules: jsonb('password_rules').$type<Record<string, unknown>>().notNull().default({}),
  is_ssh_key: boolean('is_ssh_key').notNull().default(false),
  ssh_key_strategy: text('ssh_key_strategy').notNull().default('add'),
  private_key_sealed: sealed('private_key_sealed'),
  public_key: text('public_key').notNull().default(''),
  ...periodicColumns(),
  run_times: integer('run_times').notNull().default(0),
  comment: text('comment').notNull().default(''),
  created_by: createdBy(),
  date_created: dateCreated(),
  date_updated: dateUpdated(),
})

export type PasswordStrategy = 'custom' | 'random_one' | 'random_all'

export const accountsChangePlanAsset = pgTable(
  'accounts_change_plan_asset',
  { plan: uuid('plan').notNull(), asset: uuid('asset').notNull() },
  ({ plan, asset }) => [primaryKey({ columns: [plan, asset] })],
)
export const accountsChangePlanNode = pgTable(
  'accounts_change_plan_node',
  { plan: uuid('plan').notNull(), node: uuid('node').notNull() },
  ({ plan, node }) => [primaryKey({ columns: [plan, node] })],
)
export const accountsChangePlanApp = pgTable(
  'accounts_change_plan_app',
  { plan: uuid('plan').notNull(), app: uuid('app').notNull() },
  ({ plan, app }) => [primaryKey({ columns: [plan, app] })],
)
export const accountsChangePlanSystemUser = pgTable(
  'accounts_change_plan_system_user',
  { plan: uuid('plan').notNull(), system_user: uuid('system_user').notNull() },
  ({ plan, system_user }) => [primaryKey({ columns: [plan, system_user] })],
)
export const accountsChangePlanRecipient = pgTable(
  'accounts_change_plan_recipient',
  { plan: uuid('plan').notNull(), user: uuid('user').notNull() },
  ({ plan, user }) => [primaryKey({ columns: [plan, user] })],
)

/** One run of a plan, with its orders; its id is the job's. */
export const accountsChangeExecution = pgTable('accounts_change_execution', {
  id: id(),
  org_id: orgId(),
  family: text('family').$type<PlanFamily>().notNull(),
  plan: uuid('plan').notNull(),
  plan_snapshot: jsonb('plan_snapshot').$type<Record<string, unknown>>().notNull(),
  /** The password of all, where it is the same. */
  password_sealed: sealed('password_sealed'),
  private_key_sealed: sealed('private_key_sealed'),
  trigger: text('trigger').$type<'manual' | 'timing'>().notNull().default('manual'),
  /** Everything but the change. */
  is_rehearsal: boolean('is_rehearsal').notNull().default(false),
  is_finished: boolean('is_finished').notNull().default(false),
  date_start: dateTime('date_start').notNull().defaultNow(),
  date_finished: dateTime('date_finished'),
})

/** What became of one account in a run. */
export const accountsChangeTask = pgTable('accounts_change_task', {
  id: id(),
  org_id: orgId(),
  family: text('family').$type<PlanFamily>().notNull(),
  execution: uuid('execution').notNull(),
  asset: uuid('asset'),
  app: uuid('app'),
  system_user: uuid('system_user'),
  /** The account whose secret it is, once it is known. */
  account: uuid('account'),
  username: text('username').notNull().default(''),
  /** Place in the run; the account with which others are changed comes last. */
  place: integer('place').notNull().default(0),
  state: text('state').$type<ChangeState>().notNull().default('waiting'),
  step: text('step').$type<ChangeStep>().notNull().default('ready'),
  /** A `Reason` of rotation-error.ts; empty where nothing is wrong. */
  reason: text('reason').notNull().default(''),
  /** The target's own words. */
  detail: text('detail').notNull().default(''),
  date_start: dateTime('date_start'),
  milliseconds: integer('milliseconds'),
  /** When both secrets are tried next, while nobody knows which one the target has. */
  date_next_probe: dateTime('date_next_probe'),
  probes: integer('probes').notNull().default(0),
})
