import { type Draft, defineResource, type Row } from '../../define.ts'

export const commandExecution = defineResource({
  name: 'command_execution',
  path: '/api/v1/ops/command-executions/',
  label: 'Batch command',
  scope: 'self',
  operations: ['list', 'create', 'retrieve', 'update', 'partial_update', 'destroy', 'metadata'],
  permission: { list: ['authenticated'], write: ['authenticated'] },
  display: '{command}',
  fields: {
    id: { type: 'uuid', label: 'ID' },
    command: { type: 'text', label: 'Command', required: true },
    result: { type: 'object', label: 'Result', readOnly: true },
    log_url: { type: 'string', label: 'Log url', readOnly: true },
    is_finished: { type: 'boolean', label: 'Is finished', readOnly: true },
    date_created: { type: 'datetime', label: 'Date created', readOnly: true },
    date_finished: { type: 'datetime', label: 'Date finished', nullable: true, readOnly: true },
    run_as: { type: 'ref', label: 'Run as', required: true, to: 'system_user' },
    hosts: { type: 'refs', label: 'Hosts', required: true, to: 'asset' },
  },
  search: [],
  filters: [],
  ordering: '*',
  defaultOrder: ['-date_created'],
})
export type CommandExecution = Row<typeof commandExecution>
export type CommandExecutionDraft = Draft<typeof commandExecution>
