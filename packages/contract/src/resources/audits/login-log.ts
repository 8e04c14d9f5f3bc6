import { defineResource, type Row } from '../../define.ts'

export const loginLog = defineResource({
  name: 'login_log',
  path: '/api/v1/audits/login-logs/',
  label: 'Login log',
  scope: 'global',
  operations: ['list', 'export', 'metadata'],
  permission: { list: ['org_auditor'], write: [] },
  display: '{username}',
  fields: {
    id: { type: 'uuid', label: 'ID', readOnly: true },
    username: { type: 'string', label: 'Username', maxLength: 128, readOnly: true },
    type: { type: 'choice', label: 'Login type', choices: { W: 'Web', T: 'Terminal', U: 'Unknown' }, readOnly: true },
    type_display: { type: 'string', label: 'Type display', readOnly: true },
    ip: { type: 'string', label: 'Login ip', readOnly: true },
    city: { type: 'string', label: 'Login city', nullable: true, maxLength: 254, readOnly: true },
    user_agent: { type: 'string', label: 'User agent', nullable: true, maxLength: 254, readOnly: true },
    mfa: { type: 'choice', label: 'MFA', choices: { 0: 'Disabled', 1: 'Enabled', 2: '-' }, integer: true, default: 2, readOnly: true },
    mfa_display: { type: 'string', label: 'MFA display', readOnly: true },
    reason: { type: 'string', label: 'Reason', maxLength: 128, readOnly: true },
    reason_display: { type: 'string', label: 'Reason display', readOnly: true },
    backend: { type: 'string', label: 'Authentication backend', maxLength: 32, readOnly: true },
    backend_display: { type: 'string', label: 'Authentication backend', readOnly: true },
    // A boolean on the wire although it is offered as a choice; filter values are True and False.
    status: { type: 'choice', label: 'Status', choices: { true: 'Success', false: 'Failed' }, default: true, readOnly: true },
    status_display: { type: 'string', label: 'Status display', readOnly: true },
    datetime: { type: 'datetime', label: 'Date login', readOnly: true },
  },
  search: ['username', 'ip', 'city'],
  filters: [
    'username',
    'ip',
    'city',
    'type',
    'status',
    'mfa',
    { name: 'date_from', match: 'custom', hidden: true },
    { name: 'date_to', match: 'custom', hidden: true },
  ],
  ordering: '*',
  defaultOrder: ['-datetime', 'username'],
})
export type LoginLog = Row<typeof loginLog>
