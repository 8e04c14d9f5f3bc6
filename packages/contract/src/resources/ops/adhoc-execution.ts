import { defineResource, type Row } from '../../define.ts'
import type { StepResult } from './adhoc.ts'

/** A run of a task (docs/rules/ops.md#adhoc_execution): a record, which nobody writes. */
export const adhocExecution = defineResource({
  name: 'adhoc_execution',
  path: '/api/v1/ops/adhoc-executions/',
  label: 'Task run',
  scope: 'org',
  operations: ['list', 'retrieve'],
  permission: { list: ['org_admin'], write: ['org_admin'] },
  display: '{task_display}',
  fields: {
    id: { type: 'uuid', label: 'ID', readOnly: true },
    hosts_amount: { type: 'integer', label: 'Number of assets', readOnly: true },
    timedelta: { type: 'float', label: 'Seconds', readOnly: true, nullable: true },
    result: { type: 'string', label: 'Result', readOnly: true, nullable: true },
    summary: { type: 'string', label: 'Summary', readOnly: true, nullable: true },
    short_id: { type: 'string', label: 'Short ID', readOnly: true },
    is_finished: { type: 'boolean', label: 'Finished', readOnly: true },
    is_success: { type: 'boolean', label: 'Success', readOnly: true },
    date_start: { type: 'datetime', label: 'Started', readOnly: true },
    date_finished: { type: 'datetime', label: 'Finished at', readOnly: true, nullable: true },
    task: { type: 'ref', label: 'Task', to: 'task', readOnly: true, nullable: true },
    task_display: { type: 'string', label: 'Task name', readOnly: true },
    adhoc: { type: 'ref', label: 'Task version', to: 'adhoc', readOnly: true, nullable: true },
    adhoc_short_id: { type: 'string', label: 'Version', readOnly: true },
    stat: { type: 'object', label: 'Results', readOnly: true },
    last_success: { type: 'list', label: 'Succeeded on', readOnly: true },
    last_failure: { type: 'object', label: 'Failed on', readOnly: true },
    org_id: { type: 'string', label: 'Organization', readOnly: true },
  },
  search: [],
  filters: ['task', 'adhoc', 'is_finished', 'is_success'],
  ordering: ['date_start'],
  defaultOrder: ['-date_start'],
})
export type AdhocExecution = Row<typeof adhocExecution>

/** `stat`: on how many machines it ran, and how that went. */
export interface RunCounts {
  total: number
  success: number
  failed: number
}

/** `last_failure`: by machine, then by step. */
export type Failures = Record<string, Record<string, Omit<StepResult, 'ok'>>>
