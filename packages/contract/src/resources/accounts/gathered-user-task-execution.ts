import { defineResource, type Row } from '../../define.ts'

/**
 * Runs of tasks that gather users (docs/rules/accounts.md#gathered_user_task_execution). A POST
 * with `task` starts one.
 */
export const gatheredUserTaskExecution = defineResource({
  name: 'gathered_user_task_execution',
  path: '/api/v1/xpack/gathered-user/task-executions/',
  label: 'Gathering run',
  scope: 'org',
  operations: ['list', 'retrieve'],
  permission: { list: ['org_admin'], write: ['org_admin'] },
  needsLicense: true,
  display: '{id}',
  fields: {
    id: { type: 'uuid', label: 'ID', readOnly: true },
    task: { type: 'ref', label: 'Task', to: 'gathered_user_task', required: true },
    date_start: { type: 'datetime', label: 'Started', readOnly: true },
    timedelta: { type: 'float', label: 'Duration', nullable: true, readOnly: true },
    success: { type: 'boolean', label: 'Success', readOnly: true },
    /** An extension, like all that follow. */
    reason: { type: 'string', label: 'Reason', readOnly: true },
    assets_amount: { type: 'integer', label: 'Assets', readOnly: true },
    failed_amount: { type: 'integer', label: 'Assets not read', readOnly: true },
    new_amount: { type: 'integer', label: 'New accounts', readOnly: true },
    changed_amount: { type: 'integer', label: 'Changed accounts', readOnly: true },
    vanished_amount: { type: 'integer', label: 'Vanished accounts', readOnly: true },
  },
  search: [],
  filters: ['task'],
  ordering: '*',
  defaultOrder: ['-date_start'],
})
export type GatheredUserTaskExecution = Row<typeof gatheredUserTaskExecution>
