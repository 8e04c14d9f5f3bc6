import { defineResource, type Row } from '../../define.ts'

/**
 * Periodic work of the server, and whether it runs (docs/rules/ops.md#celery_period_task;
 * ours are all of them, with their times).
 */
export const celeryPeriodTask = defineResource({
  name: 'celery_period_task',
  path: '/api/v1/ops/celery/period-tasks/',
  label: 'Periodic job',
  scope: 'global',
  operations: ['list', 'retrieve', 'partial_update'],
  permission: { list: ['super_admin'], write: ['super_admin'] },
  display: '{name}',
  fields: {
    id: { type: 'integer', label: 'ID', readOnly: true },
    name: { type: 'string', label: 'Name', readOnly: true },
    task: { type: 'string', label: 'Queue', readOnly: true },
    description: { type: 'string', label: 'Description', readOnly: true },
    enabled: { type: 'boolean', label: 'Switched on', default: true },
    is_essential: { type: 'boolean', label: 'Always on', readOnly: true },
    crontab: { type: 'string', label: 'By the clock', readOnly: true },
    next_run_at: { type: 'datetime', label: 'Next run', readOnly: true, nullable: true },
    last_run_at: { type: 'datetime', label: 'Last run', readOnly: true, nullable: true },
    total_run_count: { type: 'integer', label: 'Runs', readOnly: true },
  },
  search: ['name'],
  filters: ['enabled'],
  ordering: ['name', 'last_run_at', 'total_run_count'],
  defaultOrder: ['name'],
})
export type CeleryPeriodTask = Row<typeof celeryPeriodTask>
