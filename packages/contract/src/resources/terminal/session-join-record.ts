import { defineResource, type Row } from '../../define.ts'

/**
 * People who joined a shared session, or tried to. POST is a route of its own, which stores refused
 * attempts as well.
 */
export const sessionJoinRecord = defineResource({
  name: 'session_join_record',
  path: '/api/v1/terminal/session-join-records/',
  label: 'Session join record',
  scope: 'org',
  operations: ['list', 'retrieve', 'update', 'partial_update', 'export'],
  // Auditors too: they see the tab (docs/rules/terminal.md#session_join_record).
  permission: { list: ['component', 'org_auditor'], write: ['component'] },
  display: '{joiner_display}',
  fields: {
    id: { type: 'uuid', label: 'ID', readOnly: true },
    joiner_display: { type: 'string', label: 'Joiner', named: true, readOnly: true },
    verify_code: { type: 'string', label: 'Code', readOnly: true, maxLength: 16 },
    date_joined: { type: 'datetime', label: 'Joined', readOnly: true },
    date_left: { type: 'datetime', label: 'Left at', nullable: true },
    remote_addr: { type: 'string', label: 'Address', nullable: true, maxLength: 128 },
    login_from: {
      type: 'choice',
      label: 'Connected through',
      choices: { ST: 'SSH Terminal', RT: 'RDP Terminal', WT: 'Web Terminal' },
      default: 'WT',
    },
    is_success: { type: 'boolean', label: 'Success', readOnly: true },
    reason: { type: 'string', label: 'Reason', default: '-', nullable: true, maxLength: 1024 },
    is_finished: { type: 'boolean', label: 'Finished', default: false },
    created_by: { type: 'string', label: 'Created by', nullable: true, maxLength: 32, readOnly: true },
    date_created: { type: 'datetime', label: 'Created', readOnly: true },
    date_updated: { type: 'datetime', label: 'Updated', readOnly: true },
    session: { type: 'ref', label: 'Session', to: 'session', nullable: true, readOnly: true },
    sharing: { type: 'ref', label: 'Session sharing', to: 'session_sharing', readOnly: true },
    joiner: { type: 'ref', label: 'Joiner', to: 'user', nullable: true, readOnly: true },
    org_id: { type: 'string', label: 'Organization', readOnly: true },
    org_name: { type: 'string', label: 'Organization name', readOnly: true },
  },
  search: [],
  filters: ['sharing', 'session', 'joiner', 'date_joined', 'date_left', 'login_from', 'is_success', 'is_finished'],
  ordering: ['date_joined'],
  defaultOrder: ['-date_joined'],
})
export type SessionJoinRecord = Row<typeof sessionJoinRecord>
