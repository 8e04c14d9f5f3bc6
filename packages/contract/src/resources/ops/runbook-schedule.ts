import { defineResource, type Row } from '../../define.ts'
import { CRUD } from '../../operations.ts'
import { BATCH_HOSTS_MAX } from './command-execution.ts'

/**
 * A run of a runbook at times, as a batch command of the schedule's author: with the rights that
 * they have then, and as long as the steps are those that they looked at. Administrators of the
 * organization see those of others, switch them off and delete them; what runs, and when, its author
 * alone says.
 */
export const runbookSchedule = defineResource({
  name: 'runbook_schedule',
  path: '/api/v1/ops/runbook-schedules/',
  label: 'Runbook schedule',
  scope: 'self',
  operations: [...CRUD],
  permission: { list: ['authenticated'], write: ['authenticated'] },
  display: '{runbook}',
  fields: {
    id: { type: 'uuid', label: 'ID', readOnly: true },
    runbook: { type: 'ref', label: 'Runbook', to: 'runbook', required: true },
    /** Owner of the schedule, as people read them. */
    author: { type: 'string', label: 'Author', named: true, readOnly: true },
    /** It is the caller's own. */
    is_own: { type: 'boolean', label: 'Own', readOnly: true },
    run_as: { type: 'ref', label: 'System user', to: 'system_user', required: true },
    run_as_display: { type: 'string', label: 'System user name', named: true, readOnly: true },
    hosts: { type: 'refs', label: 'Assets', to: 'asset', required: true, minItems: 1, maxItems: BATCH_HOSTS_MAX },
    /** By variable. */
    values: { type: 'object', label: 'Values', default: {} },
    /** Version of the runbook that its author looked at: other steps do not run. A change may name the one that was looked at. */
    version: { type: 'integer', label: 'Version', readOnly: true },
    /** The runbook has been changed since: nothing runs until the schedule is saved again. */
    is_outdated: { type: 'boolean', label: 'Runbook changed', readOnly: true },
    is_periodic: { type: 'boolean', label: 'Runs by itself', default: true },
    crontab: {
      type: 'string',
      label: 'By the clock',
      helpText: 'Minute, hour, day, month, weekday, such as 0 3 * * 1 for Mondays at 3; it counts before the hours',
      nullable: true,
      maxLength: 128,
    },
    interval: { type: 'integer', label: 'Every so many hours', nullable: true, min: 1, max: 65_535 },
    date_next_run: { type: 'datetime', label: 'Next run', readOnly: true, nullable: true },
    date_last_run: { type: 'datetime', label: 'Last run', readOnly: true, nullable: true },
    /** Its last run; null where nothing has run yet, or why is in `error`. */
    last_execution: { type: 'string', label: 'Batch command', readOnly: true, nullable: true },
    /** Why nothing ran the last time; empty where it did. */
    error: { type: 'string', label: 'Why it did not run', readOnly: true },
    date_created: { type: 'datetime', label: 'Created', readOnly: true },
    date_updated: { type: 'datetime', label: 'Updated', readOnly: true },
  },
  search: [],
  filters: ['runbook'],
  ordering: ['date_created', 'date_last_run'],
  defaultOrder: ['-date_created'],
})
export type RunbookSchedule = Row<typeof runbookSchedule>
