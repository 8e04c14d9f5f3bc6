import { defineResource, type Row } from '../../define.ts'

/** What became of a connection that was to be forwarded. */
export const FORWARDED_OUTCOMES = {
  open: 'In progress',
  closed: 'Closed',
  ended: 'Cut off',
  refused: 'Refused',
  failed: 'Failed',
} as const
export type ForwardedOutcome = keyof typeof FORWARDED_OUTCOMES

/** Connections forwarded through SSH: their ends and sizes, never their content. */
export const forwardedConnection = defineResource({
  name: 'forwarded_connection',
  path: '/api/v1/terminal/forwarded-connections/',
  label: 'Forwarded connection',
  scope: 'org',
  operations: ['list', 'export'],
  permission: { list: ['org_auditor'], write: ['org_auditor'] },
  display: '{user} {destination}',
  fields: {
    id: { type: 'uuid', label: 'ID', readOnly: true },
    user: { type: 'string', label: 'User', named: true, readOnly: true },
    asset: { type: 'string', label: 'Asset', named: true, readOnly: true },
    system_user: { type: 'string', label: 'System user', named: true, readOnly: true },
    destination: { type: 'string', label: 'Destination', readOnly: true },
    outcome: { type: 'choice', label: 'Outcome', choices: FORWARDED_OUTCOMES, readOnly: true },
    outcome_display: { type: 'string', label: 'Outcome name', readOnly: true },
    reason: { type: 'string', label: 'Reason', nullable: true, readOnly: true },
    bytes_sent: { type: 'integer', label: 'Bytes sent', readOnly: true },
    bytes_received: { type: 'integer', label: 'Bytes received', readOnly: true },
    date_start: { type: 'datetime', label: 'Started', readOnly: true },
    date_end: { type: 'datetime', label: 'Ended', nullable: true, readOnly: true },
    remote_addr: { type: 'string', label: 'Address', nullable: true, readOnly: true },
    user_id: { type: 'uuid', label: 'User ID', readOnly: true },
    asset_id: { type: 'uuid', label: 'Asset ID', readOnly: true },
    /** Null of one that was refused before there was a session. */
    session_id: { type: 'uuid', label: 'Session ID', nullable: true, readOnly: true },
    sign_in_id: { type: 'uuid', label: 'Sign-in ID', nullable: true, readOnly: true },
    on_behalf_of: { type: 'string', label: 'On behalf of', named: true, nullable: true, readOnly: true },
    org_id: { type: 'string', label: 'Organization', readOnly: true },
    org_name: { type: 'string', label: 'Organization name', readOnly: true },
  },
  search: ['user', 'asset', 'destination'],
  filters: [
    'user',
    'asset',
    'system_user',
    'destination',
    'outcome',
    { name: 'session_id', hidden: true },
    { name: 'date_from', match: 'custom', hidden: true },
    { name: 'date_to', match: 'custom', hidden: true },
  ],
  ordering: ['date_start', 'bytes_sent', 'bytes_received'],
  defaultOrder: ['-date_start'],
})
export type ForwardedConnection = Row<typeof forwardedConnection>
