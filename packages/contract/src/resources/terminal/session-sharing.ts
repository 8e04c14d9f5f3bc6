import { defineResource, type Row } from '../../define.ts'

/**
 * A link and a code by which others join a running session. POST is a route of its own: only
 * components make them.
 */
export const sessionSharing = defineResource({
  name: 'session_sharing',
  path: '/api/v1/terminal/session-sharings/',
  label: 'Session sharing',
  scope: 'org',
  operations: ['list', 'retrieve', 'update', 'partial_update'],
  permission: { list: ['component', 'super_admin'], write: ['component'] },
  display: '{id}',
  fields: {
    id: { type: 'uuid', label: 'ID', readOnly: true },
    verify_code: { type: 'string', label: 'Code', readOnly: true, maxLength: 16 },
    is_active: { type: 'boolean', label: 'Active', default: true },
    expired_time: { type: 'integer', label: 'Expires after (minutes)', default: 0, min: 0, max: 525600 },
    action_permission: {
      type: 'choice',
      label: 'Action permission',
      choices: { writable: 'Read and write', readonly: 'Read only' },
      default: 'readonly',
    },
    created_by: { type: 'string', label: 'Created by', maxLength: 32, nullable: true, readOnly: true },
    date_created: { type: 'datetime', label: 'Created', readOnly: true },
    date_updated: { type: 'datetime', label: 'Updated', readOnly: true },
    session: { type: 'ref', label: 'Session', to: 'session', readOnly: true },
    creator: { type: 'ref', label: 'Creator', to: 'user', nullable: true, readOnly: true },
    org_id: { type: 'string', label: 'Organization', readOnly: true },
    org_name: { type: 'string', label: 'Organization name', readOnly: true },
  },
  search: [],
  filters: ['session', 'creator', 'is_active', 'expired_time'],
  ordering: ['date_created'],
  defaultOrder: ['-date_created'],
})
export type SessionSharing = Row<typeof sessionSharing>
