import { defineResource, type Row } from '../../define.ts'

/** Work of the server on machines, by name (docs/rules/ops.md#task). */
export const task = defineResource({
  name: 'task',
  path: '/api/v1/ops/tasks/',
  label: 'Task',
  scope: 'org',
  operations: [
    'list',
    'create',
    'retrieve',
    'update',
    'partial_update',
    'destroy',
    'bulk_update',
    'bulk_destroy',
    'export',
  ],
  permission: { list: ['org_admin'], write: ['org_admin'] },
  display: '{name}',
  fields: {
    id: { type: 'uuid', label: 'ID', readOnly: true },
    name: { type: 'string', label: 'Name', required: true, maxLength: 128, unique: 'org' },
    display_name: { type: 'string', label: 'Task name', readOnly: true },
    interval: { type: 'integer', label: 'Every so many hours', default: 24, nullable: true },
    crontab: { type: 'string', label: 'By the clock', nullable: true, maxLength: 128 },
    is_periodic: { type: 'boolean', label: 'Runs by itself', default: false },
    is_deleted: { type: 'boolean', label: 'Deleted', readOnly: true },
    date_created: { type: 'datetime', label: 'Created', readOnly: true },
    date_updated: { type: 'datetime', label: 'Updated', readOnly: true },
    comment: { type: 'text', label: 'Comment', default: '' },
    latest_execution: { type: 'object', label: 'Last run', readOnly: true, nullable: true },
    summary: { type: 'object', label: 'Runs', readOnly: true },
    contents: { type: 'list', label: 'Steps', readOnly: true },
    org_id: { type: 'string', label: 'Organization', readOnly: true },
    org_name: { type: 'string', label: 'Organization name', readOnly: true },
  },
  search: ['name'],
  filters: ['name', { name: 'is_finished', match: 'custom', type: 'boolean', label: 'Finished' }],
  ordering: '*',
  defaultOrder: ['-date_updated'],
})
export type Task = Row<typeof task>
