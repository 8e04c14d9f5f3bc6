import { type Draft, defineResource, type Row } from '../../define.ts'

export const adhocExecution = defineResource({
  name: 'adhoc_execution',
  path: '/api/v1/ops/adhoc-executions/',
  label: 'Execution',
  scope: 'global',
  operations: ['list', 'create', 'retrieve', 'update', 'partial_update', 'destroy', 'metadata'],
  permission: { list: ['org_admin'], write: ['org_admin'] },
  display: '{task_display}',
  fields: {
    id: { type: 'uuid', label: 'ID' },
    hosts_amount: { type: 'integer', label: 'Host amount', default: 0 },
    timedelta: { type: 'float', label: 'Time', nullable: true, default: 0 },
    result: { type: 'string', label: 'Adhoc raw result', nullable: true },
    summary: { type: 'string', label: 'Adhoc result summary', nullable: true },
    short_id: { type: 'string', label: 'Short ID', readOnly: true },
    is_finished: { type: 'boolean', label: 'Is finished', default: false },
    is_success: { type: 'boolean', label: 'Is success', default: false },
    date_start: { type: 'datetime', label: 'Start time', readOnly: true },
    date_finished: { type: 'datetime', label: 'End time', nullable: true },
    task: { type: 'ref', label: 'Task', nullable: true, to: 'task' },
    task_display: { type: 'string', label: 'Task display', maxLength: 128, default: '' },
    adhoc: { type: 'ref', label: 'Task version', nullable: true, to: 'adhoc' },
    adhoc_short_id: { type: 'string', label: 'Adhoc short ID', readOnly: true },
    stat: { type: 'object', label: 'Stat', readOnly: true },
    last_success: { type: 'strings', label: 'Last success', readOnly: true },
    last_failure: { type: 'object', label: 'Last failure', readOnly: true },
  },
  search: [],
  filters: ['task', 'adhoc'],
  ordering: '*',
  defaultOrder: ['-date_start'],
})
export type AdhocExecution = Row<typeof adhocExecution>
export type AdhocExecutionDraft = Draft<typeof adhocExecution>
