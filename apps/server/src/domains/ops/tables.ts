import type { StepResult, TaskStep } from '@sallyport/contract/resources/ops/adhoc.ts'
import type { HostState } from '@sallyport/contract/resources/ops/command-execution.ts'
import type { RunbookStep, RunbookVariable } from '@sallyport/contract/resources/ops/runbook.ts'
import { sql } from 'drizzle-orm'
import { bigint, boolean, integer, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { createdBy, dateCreated, dateTime, dateUpdated, id, orgId, sealed } from '../../kernel/database/columns.ts'
import type { Language } from '../../kernel/i18n/translate.ts'
import { periodicColumns } from '../../kernel/jobs/row-schedules.ts'
import type { RunInputs } from './run-inputs.ts'

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

/** One command on many machines. */
export const opsCommandExecution = pgTable('ops_command_execution', {
  id: id(),
  org_id: orgId(),
  user: uuid('user_id').notNull(),
  /** Name(username) at that time. */
  user_display: text('user').notNull().default(''),
  remote_addr: text('remote_addr').notNull().default(''),
  /** For whom a service identity or an agent ran it. */
  on_behalf_of: text('on_behalf_of'),
  /** The sign-in of the agent that began it. */
  sign_in_source: text('sign_in_source'),
  sign_in_key: text('sign_in_key'),
  run_as: uuid('run_as').notNull(),
  run_as_display: text('run_as_display').notNull().default(''),
  command: text('command').notNull(),
  /** The runbook whose steps it runs. */
  runbook: uuid('runbook'),
  /** The runbook's name at that time, and its version. */
  runbook_display: text('runbook_display').notNull().default(''),
  /** What its machines get besides the text. */
  handed: jsonb('handed').$type<RunInputs>(),
  /** Why nothing ran anywhere. */
  error: text('error').notNull().default(''),
  is_finished: boolean('is_finished').notNull().default(false),
  date_created: dateCreated(),
  /** When a worker took it up; null before. */
  date_start: dateTime('date_start'),
  date_finished: dateTime('date_finished'),
})

/** What became of it on one of them. */
export const opsCommandExecutionHost = pgTable(
  'ops_command_execution_host',
  {
    id: bigint('id', { mode: 'number' }).notNull().generatedAlwaysAsIdentity(),
    commandexecution: uuid('execution').notNull(),
    asset: uuid('asset').notNull(),
    /** Host name at that time. */
    name: text('name').notNull().default(''),
    /** What runs there, where it differs by machine. */
    command: text('command'),
    state: text('state').$type<HostState>().notNull().default('waiting'),
    /** Exit code. */
    code: integer('code'),
    stdout: text('stdout').notNull().default(''),
    stderr: text('stderr').notNull().default(''),
    /** There was more output than is kept. */
    is_cut: boolean('is_cut').notNull().default(false),
    /** Why it was skipped, or failed before the command ran. */
    error: text('error').notNull().default(''),
    milliseconds: integer('milliseconds'),
    /** By which others were asked to confirm it; null where no rule wanted that. */
    ticket: uuid('ticket'),
    /** The same on machines that answered alike; empty where nothing was written. */
    output: text('output').generatedAlwaysAs(
      sql`CASE WHEN code IS NULL AND stdout = '' AND stderr = '' THEN ''
        ELSE md5(stdout || E'\n--\n' || stderr || CASE WHEN is_cut THEN '+' ELSE '' END) END`,
    ),
  },
  ({ commandexecution, asset }) => [primaryKey({ columns: [commandexecution, asset] })],
)

/** Commands by name that are run again and again. */
export const opsRunbook = pgTable('ops_runbook', {
  id: id(),
  org_id: orgId(),
  name: text('name').notNull(),
  steps: jsonb('steps').$type<RunbookStep[]>().notNull(),
  variables: jsonb('variables').$type<RunbookVariable[]>().notNull().default([]),
  comment: text('comment').notNull().default(''),
  version: integer('version').notNull().default(0),
  created_by: createdBy(),
  date_created: dateCreated(),
  date_updated: dateUpdated(),
})

/** Steps and variables as they were, the current ones among them. */
export const opsRunbookVersion = pgTable(
  'ops_runbook_version',
  {
    runbook: uuid('runbook').notNull(),
    version: integer('version').notNull(),
    steps: jsonb('steps').$type<RunbookStep[]>().notNull(),
    variables: jsonb('variables').$type<RunbookVariable[]>().notNull(),
    created_by: createdBy(),
    date_created: dateCreated(),
  },
  ({ runbook, version }) => [primaryKey({ columns: [runbook, version] })],
)

/** Files that steps put on machines. */
export const opsRunbookFile = pgTable('ops_runbook_file', {
  id: id(),
  org_id: orgId(),
  name: text('name').notNull(),
  size: integer('size').notNull(),
  sha256: text('sha256').notNull(),
  /** In base64. */
  content_sealed: sealed('content_sealed').notNull(),
  created_by: createdBy(),
  date_created: dateCreated(),
})

/** Runs of a runbook at times. */
export const opsRunbookSchedule = pgTable('ops_runbook_schedule', {
  id: id(),
  org_id: orgId(),
  user_id: uuid('user_id').notNull(),
  runbook: uuid('runbook').notNull(),
  /** Version of the runbook, when its author looked at it. */
  version: integer('version').notNull(),
  run_as: uuid('run_as').notNull(),
  values: jsonb('values').$type<Record<string, string>>().notNull().default({}),
  /** From where, and in which language, it was saved. */
  remote_addr: text('remote_addr').notNull().default(''),
  language: text('language').$type<Language>().notNull().default('en'),
  ...periodicColumns(),
  date_last_run: dateTime('date_last_run'),
  /** The job that began the last run: a job that is taken up again begins no second one. */
  last_job: uuid('last_job'),
  last_execution: uuid('last_execution'),
  /** Why nothing ran the last time. */
  error: text('error').notNull().default(''),
  date_created: dateCreated(),
  date_updated: dateUpdated(),
})

/** Its machines. */
export const opsRunbookScheduleHost = pgTable(
  'ops_runbook_schedule_host',
  { schedule: uuid('schedule').notNull(), asset: uuid('asset').notNull() },
  ({ schedule, asset }) => [primaryKey({ columns: [schedule, asset] })],
)

/** What machines write while it runs there, piece by piece; gone once the run is over. */
export const opsCommandOutput = pgTable('ops_command_output', {
  id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
  execution: uuid('execution').notNull(),
  asset: uuid('asset').notNull(),
  stream: text('stream').$type<'stdout' | 'stderr'>().notNull(),
  data: text('data').notNull(),
})

/** A kind of work of the server on machines; its name and organization identify it. */
export const opsTask = pgTable('ops_task', {
  id: id(),
  org_id: orgId(),
  name: text('name').notNull(),
  is_periodic: boolean('is_periodic').notNull().default(false),
  crontab: text('crontab'),
  interval: integer('interval').default(24),
  date_next_run: dateTime('date_next_run'),
  comment: text('comment').notNull().default(''),
  runs: integer('runs').notNull().default(0),
  successes: integer('successes').notNull().default(0),
  latest_execution: uuid('latest_execution'),
  created_by: createdBy(),
  date_created: dateCreated(),
  date_updated: dateUpdated(),
})

/** A version of a task: on which machines, with which steps, as whom. */
export const opsAdhoc = pgTable('ops_adhoc', {
  id: id(),
  org_id: orgId(),
  task: uuid('task').notNull(),
  /** The work, as `taskKind` has declared it, and what it needs to know besides the machines. */
  kind: text('kind').notNull(),
  data: jsonb('data').$type<Record<string, unknown>>().notNull().default({}),
  /** Steps as people read them. */
  tasks: jsonb('tasks').$type<TaskStep[]>().notNull().default([]),
  pattern: text('pattern').notNull().default('all'),
  options: text('options').notNull().default(''),
  run_as: text('run_as'),
  run_as_admin: boolean('run_as_admin').notNull().default(false),
  become_display: text('become_display').notNull().default(''),
  /** How the steps switch to that user, where people said so, with the password. */
  become_sealed: sealed('become_sealed'),
  created_by: createdBy(),
  date_created: dateCreated(),
})

/** Machines of a version. */
export const opsAdhocHost = pgTable(
  'ops_adhoc_host',
  { adhoc: uuid('adhoc').notNull(), asset: uuid('asset').notNull() },
  ({ adhoc, asset }) => [primaryKey({ columns: [adhoc, asset] })],
)

/** A run of a version. */
export const opsAdhocExecution = pgTable('ops_adhoc_execution', {
  /** The id of the background task as well, by which its output is read. */
  id: uuid('id').primaryKey(),
  org_id: orgId(),
  task: uuid('task'),
  adhoc: uuid('adhoc'),
  task_display: text('task_display').notNull().default(''),
  hosts_amount: integer('hosts_amount').notNull().default(0),
  is_finished: boolean('is_finished').notNull().default(false),
  is_success: boolean('is_success').notNull().default(false),
  date_start: dateTime('date_start').notNull().defaultNow(),
  date_finished: dateTime('date_finished'),
})

/** One machine's part of a run, stored once it is over there. */
export const opsAdhocExecutionHost = pgTable(
  'ops_adhoc_execution_host',
  {
    execution: uuid('execution').notNull(),
    asset: uuid('asset').notNull(),
    name: text('name').notNull().default(''),
    is_success: boolean('is_success').notNull(),
    results: jsonb('results').$type<Record<string, StepResult>>().notNull().default({}),
  },
  ({ execution, asset }) => [primaryKey({ columns: [execution, asset] })],
)
