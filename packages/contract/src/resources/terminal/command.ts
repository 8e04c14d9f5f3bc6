import { defineResource, type Row } from '../../define.ts'

export const command = defineResource({
  name: 'command',
  path: '/api/v1/terminal/commands/',
  label: 'Command',
  scope: 'org',
  // POST is a route of its own: it takes batches of components and answers plain text
  // (domains/terminal/command.ts).
  operations: ['list', 'export'],
  permission: { list: ['org_auditor', 'component'], write: ['component'] },
  display: '{input}',
  fields: {
    id: { type: 'uuid', label: 'ID', readOnly: true },
    user: { type: 'string', label: 'User', named: true, required: true },
    asset: { type: 'string', label: 'Asset', named: true, required: true, maxLength: 128 },
    system_user: { type: 'string', label: 'System user', named: true, required: true, maxLength: 64 },
    input: { type: 'string', label: 'Command', required: true, maxLength: 128 },
    output: { type: 'text', label: 'Output', required: true, blank: true, maxLength: 1024 },
    session: { type: 'string', label: 'Session ID', required: true, maxLength: 36 },
    risk_level: {
      type: 'choice',
      label: 'Risk level',
      choices: { 0: 'Ordinary', 5: 'Dangerous' },
      integer: true,
      default: 0,
    },
    risk_level_display: { type: 'string', label: 'Risk level name', readOnly: true },
    rule: { type: 'uuid', label: 'Rule ID', nullable: true, readOnly: true },
    rule_filter: { type: 'string', label: 'Command filter', nullable: true, readOnly: true },
    // Null once the rule is deleted: `rule_filter` still has the name that its filter had then.
    rule_filter_id: { type: 'uuid', label: 'Command filter ID', nullable: true, readOnly: true },
    ticket: { type: 'uuid', label: 'Ticket ID', nullable: true, readOnly: true },
    org_id: { type: 'string', label: 'Organization', maxLength: 36, default: '', nullable: true },
    timestamp: { type: 'integer', label: 'Timestamp', required: true, max: 253402300799 },
    remote_addr: { type: 'string', label: 'Address', readOnly: true },
    // Set for a statement of a database; null for other commands. Its text whole: `{id}/statement/`.
    statement_length: { type: 'integer', label: 'Length of the statement', nullable: true, readOnly: true },
    database: { type: 'string', label: 'Database', nullable: true, readOnly: true },
    milliseconds: { type: 'float', label: 'Milliseconds', nullable: true, readOnly: true },
    rows: { type: 'integer', label: 'Rows', nullable: true, readOnly: true },
  },
  search: [],
  filters: [
    { name: 'command_storage_id', match: 'custom', hidden: true },
    { name: 'session_id', match: 'custom', hidden: true },
    'session',
    { name: 'user', match: 'startsWith' },
    'asset',
    'system_user',
    // A search looks through the whole text of a statement.
    { name: 'input', match: 'custom' },
    'risk_level',
    // Others were asked about it, whatever they decided.
    { name: 'confirmed', match: 'custom', type: 'boolean', label: 'Asked for confirmation' },
    { name: 'date_from', match: 'custom', hidden: true },
    { name: 'date_to', match: 'custom', hidden: true },
  ],
  ordering: ['timestamp'],
  defaultOrder: ['-timestamp'],
})
export type Command = Row<typeof command>
