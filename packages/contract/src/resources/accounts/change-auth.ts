/** What plans that change secrets share, whatever the accounts are of (docs/rules/accounts.md). */
import { PERIODIC_FIELDS } from './periodic.ts'

/** Lengths that a plan may ask of a generated password. */
export const PASSWORD_LENGTH = { min: 6, max: 30, default: 30 } as const

export const PASSWORD_STRATEGIES = {
  custom: 'Custom password',
  random_one: 'Same random password',
  random_all: 'Different random passwords',
} as const

export const TRIGGERS = { manual: 'By hand', timing: 'By schedule' } as const

export const CHANGE_STEPS = {
  ready: 'Ready',
  preflight_check: 'Preflight check',
  change_auth: 'Change auth',
  verify_auth: 'Verify auth',
  keep_auth: 'Keep auth',
  finished: 'Finished',
} as const
export type ChangeStep = keyof typeof CHANGE_STEPS

/** How it stands with one account in a run. */
export const CHANGE_STATES = {
  waiting: 'Waiting',
  running: 'Running',
  succeeded: 'Succeeded',
  failed: 'Failed',
  unknown: 'Not known yet',
  skipped: 'Skipped',
} as const
export type ChangeState = keyof typeof CHANGE_STATES

const text = (label: string) => ({ type: 'string', label, readOnly: true }) as const

export const passwordFields = {
  password_strategy: {
    type: 'choice',
    label: 'Password strategy',
    helpText: 'One that you type, one random for all, or another random one for each',
    choices: PASSWORD_STRATEGIES,
    default: 'custom',
  },
  password_strategy_display: text('Password strategy'),
  password: { type: 'string', label: 'Password', writeOnly: true, nullable: true, maxLength: 256 },
} as const

export const timerFields = {
  ...PERIODIC_FIELDS,
  run_times: { type: 'integer', label: 'Runs', readOnly: true },
} as const

export const planFields = {
  recipients: {
    type: 'refs',
    label: 'Recipient',
    helpText: 'Each gets the results by mail, in a file that opens with their own password for files',
    to: 'user',
    maxItems: 100,
  },
  comment: { type: 'text', label: 'Comment' },
  date_created: { type: 'datetime', label: 'Created', readOnly: true },
  date_updated: { type: 'datetime', label: 'Updated', readOnly: true },
  created_by: { type: 'string', label: 'Created by', readOnly: true, nullable: true },
  org_id: text('Organization'),
  org_name: text('Organization name'),
} as const

export const executionFields = {
  plan_snapshot: { type: 'object', label: 'Plan snapshot', readOnly: true },
  result_summary: { type: 'object', label: 'Result', readOnly: true },
  password_strategy: { type: 'choice', label: 'Password strategy', choices: PASSWORD_STRATEGIES, readOnly: true },
  password_strategy_display: text('Password strategy'),
  timedelta: { type: 'float', label: 'Duration', readOnly: true },
  trigger: { type: 'choice', label: 'Trigger mode', choices: TRIGGERS, readOnly: true },
  trigger_display: text('Trigger mode'),
  /** Everything was tried but the change. */
  is_rehearsal: { type: 'boolean', label: 'Dry run', readOnly: true },
  is_finished: { type: 'boolean', label: 'Finished', readOnly: true },
  date_start: { type: 'datetime', label: 'Started', readOnly: true },
  recipients: { type: 'list', label: 'Recipient', readOnly: true },
  org_id: text('Organization'),
  org_name: text('Organization name'),
} as const

export const subtaskFields = {
  state: { type: 'choice', label: 'State', choices: CHANGE_STATES, readOnly: true },
  step: { type: 'choice', label: 'Step', choices: CHANGE_STEPS, readOnly: true },
  is_success: { type: 'boolean', label: 'Success', readOnly: true },
  reason: text('Reason'),
  reason_display: text('Reason'),
  timedelta: { type: 'float', label: 'Duration', readOnly: true },
  date_start: { type: 'datetime', label: 'Started', readOnly: true, nullable: true },
} as const

export const subtaskFilters = [
  { name: 'plan_execution_id', match: 'custom', hidden: true },
  { name: 'account_id', match: 'custom', hidden: true },
  'state',
] as const
