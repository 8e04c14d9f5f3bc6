import { defineResource, type Row } from '../../define.ts'

/** A step of a task as people read it. */
export interface TaskStep {
  name: string
  action: { module: string; args: string }
}

/** What became of a step on one machine. */
export interface StepResult {
  ok: boolean
  changed?: boolean
  msg?: string
  cmd?: string
  stdout?: string
  stderr?: string
  rc?: number | null
  delta?: string
}

/**
 * A version of a task: on which machines, with which steps, as whom (docs/rules/ops.md#adhoc). The
 * server alone makes them; people say how its steps switch the user.
 */
export const adhoc = defineResource({
  name: 'adhoc',
  path: '/api/v1/ops/adhoc/',
  label: 'Task version',
  scope: 'org',
  operations: ['list', 'retrieve', 'update', 'partial_update', 'destroy'],
  permission: { list: ['org_admin'], write: ['org_admin'] },
  display: '{id}',
  fields: {
    id: { type: 'uuid', label: 'ID', readOnly: true },
    tasks: { type: 'list', label: 'Steps', readOnly: true },
    pattern: { type: 'string', label: 'Pattern', readOnly: true },
    options: { type: 'string', label: 'Options', readOnly: true },
    run_as: { type: 'string', label: 'Runs as', named: true, readOnly: true, nullable: true },
    become: { type: 'string', label: 'Way to switch', nullable: true, writeOnly: true, maxLength: 1024 },
    become_display: { type: 'string', label: 'Switches to', named: true, readOnly: true },
    short_id: { type: 'string', label: 'Version', readOnly: true },
    run_as_admin: { type: 'boolean', label: 'Runs as admin user', readOnly: true },
    date_created: { type: 'datetime', label: 'Created', readOnly: true },
    task: { type: 'ref', label: 'Task', to: 'task', readOnly: true },
    hosts: { type: 'refs', label: 'Assets', to: 'asset', readOnly: true },
    latest_execution: { type: 'object', label: 'Last run', readOnly: true, nullable: true },
    created_by: { type: 'string', label: 'Created by', named: true, readOnly: true, nullable: true },
    run_times: { type: 'integer', label: 'Runs', readOnly: true },
    task_name: { type: 'string', label: 'Task name', readOnly: true },
    org_id: { type: 'string', label: 'Organization', readOnly: true },
  },
  search: [],
  filters: [{ name: 'task', match: 'custom' }],
  ordering: ['date_created'],
  defaultOrder: ['-date_created'],
})
export type Adhoc = Row<typeof adhoc>
