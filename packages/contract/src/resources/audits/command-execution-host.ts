import { defineResource, type Row } from '../../define.ts'

/** The machines of batch commands (docs/rules/audits.md#command_execution_host). */
export const commandExecutionHost = defineResource({
  name: 'command_execution_host',
  path: '/api/v1/audits/command-executions-hosts-relations/',
  label: 'Batch command host',
  // The organization of its run, which the mount compares.
  scope: 'global',
  operations: ['list', 'retrieve'],
  permission: { list: ['org_auditor'], write: [] },
  display: '{name}',
  fields: {
    id: { type: 'integer', label: 'ID', readOnly: true },
    asset: { type: 'ref', label: 'Asset', to: 'asset', readOnly: true },
    asset_display: { type: 'string', label: 'Host', readOnly: true },
    commandexecution: { type: 'ref', label: 'Batch command log', to: 'command_execution_log', readOnly: true },
  },
  search: [],
  filters: ['id', 'asset', 'commandexecution'],
  ordering: [],
  defaultOrder: ['id'],
})
export type CommandExecutionHost = Row<typeof commandExecutionHost>
