import { defineResource, type Row } from '../../define.ts'

export const terminalTask = defineResource({
  name: 'terminal_task',
  path: '/api/v1/terminal/tasks/',
  label: 'Task',
  scope: 'global',
  operations: ['list', 'create', 'retrieve', 'update', 'partial_update', 'destroy', 'bulk_update', 'bulk_destroy'],
  permission: { list: ['org_admin', 'component'], write: ['org_admin', 'component'] },
  display: '{name} {args}',
  fields: {
    id: { type: 'uuid', label: 'ID' },
    name: { type: 'choice', label: 'Name', required: true, choices: { kill_session: 'Terminate session' } },
    args: { type: 'string', label: 'Arguments', required: true, maxLength: 1024 },
    kwargs: { type: 'object', label: 'Named arguments', default: {} },
    is_finished: { type: 'boolean', label: 'Finished', default: false },
    date_created: { type: 'datetime', label: 'Created', readOnly: true },
    date_finished: { type: 'datetime', label: 'Finished at', nullable: true },
    terminal: { type: 'ref', label: 'Terminal', to: 'terminal', nullable: true },
  },
  search: [],
  filters: ['is_finished'],
  ordering: ['date_created'],
  defaultOrder: ['date_created'],
})
export type TerminalTask = Row<typeof terminalTask>
