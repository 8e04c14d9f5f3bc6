import { type Draft, defineResource, type Row } from '../../define.ts'

export const adhoc = defineResource({
  name: 'adhoc',
  path: '/api/v1/ops/adhoc/',
  label: 'Task version',
  scope: 'global',
  operations: ['list', 'create', 'retrieve', 'update', 'partial_update', 'destroy', 'metadata'],
  permission: { list: ['org_admin'], write: ['org_admin'] },
  display: '{id}',
  fields: {
    id: { type: 'uuid', label: 'ID' },
    tasks: { type: 'list', label: 'Tasks', required: true },
    pattern: { type: 'string', label: 'Pattern', maxLength: 64, default: '{}' },
    options: { type: 'string', label: 'Options', maxLength: 1024 },
    run_as: { type: 'string', label: 'Username', nullable: true, maxLength: 64 },
    become: { type: 'string', label: 'Become', nullable: true, writeOnly: true },
    become_display: { type: 'string', label: 'Become display', readOnly: true },
    short_id: { type: 'string', label: 'Short ID', readOnly: true },
    run_as_admin: { type: 'boolean', label: 'Run as admin', default: false },
    date_created: { type: 'datetime', label: 'Date created', readOnly: true },
    task: { type: 'ref', label: 'Task', required: true, to: 'task' },
    hosts: { type: 'refs', label: 'Host', required: true, to: 'asset' },
    latest_execution: { type: 'object', label: 'Latest execution', nullable: true, readOnly: true },
    created_by: { type: 'string', label: 'Created by', nullable: true, maxLength: 64 },
    run_times: { type: 'integer', label: 'Run times', readOnly: true },
    task_name: { type: 'string', label: 'Task name', readOnly: true },
  },
  search: [],
  filters: [{ name: 'task', match: 'custom', hidden: true }],
  ordering: '*',
  defaultOrder: ['-date_created'],
})
export type Adhoc = Row<typeof adhoc>
export type AdhocDraft = Draft<typeof adhoc>
