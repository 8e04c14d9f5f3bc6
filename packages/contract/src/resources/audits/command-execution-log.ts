import { defineResource, type Row } from '../../define.ts'

/** Batch commands of all people of the organization (docs/rules/audits.md#command_execution_log). */
export const commandExecutionLog = defineResource({
  name: 'command_execution_log',
  path: '/api/v1/audits/command-execution-logs/',
  label: 'Batch command log',
  scope: 'org',
  operations: ['list', 'export'],
  permission: { list: ['org_auditor'], write: [] },
  display: '{command}',
  fields: {
    id: { type: 'uuid', label: 'ID', readOnly: true },
    run_as: { type: 'ref', label: 'System user', to: 'system_user', readOnly: true },
    command: { type: 'string', label: 'Command', readOnly: true },
    is_finished: { type: 'boolean', label: 'Finished', readOnly: true },
    user: { type: 'ref', label: 'User', to: 'user', nullable: true, readOnly: true },
    date_start: { type: 'datetime', label: 'Started', nullable: true, readOnly: true },
    result: { type: 'object', label: 'Result', readOnly: true },
    is_success: { type: 'boolean', label: 'Success', readOnly: true },
    org_id: { type: 'string', label: 'Organization', readOnly: true },
    hosts: { type: 'refs', label: 'Assets', to: 'asset', readOnly: true },
    /** Machines as they are called now; those that are gone by their name of then. */
    hosts_display: { type: 'strings', label: 'Asset names', readOnly: true },
    /** Both as they were called then. */
    run_as_display: { type: 'string', label: 'System user name', named: true, readOnly: true },
    user_display: { type: 'string', label: 'User name', named: true, readOnly: true },
    /** An extension: for whom a service identity or an agent ran it. */
    on_behalf_of: { type: 'string', label: 'On behalf of', named: true, nullable: true, readOnly: true },
  },
  search: ['command', 'user_display', 'run_as_display'],
  filters: [
    { name: 'user__name', match: 'custom', label: 'User' },
    { name: 'user__username', match: 'custom', label: 'Username' },
    'command',
    { name: 'run_as__name', match: 'custom', label: 'System user' },
    { name: 'run_as__username', match: 'custom', label: 'System username' },
    'is_finished',
    { name: 'date_from', match: 'custom', hidden: true },
    { name: 'date_to', match: 'custom', hidden: true },
  ],
  ordering: '*',
  // Ids grow with time.
  defaultOrder: ['-id'],
})
export type CommandExecutionLog = Row<typeof commandExecutionLog>
