import { type Draft, defineResource, type Row } from '../../define.ts'

export const sessionSharing = defineResource({
  name: 'session_sharing',
  path: '/api/v1/terminal/session-sharings/',
  label: 'Session sharing',
  scope: 'org',
  operations: ['list', 'create', 'retrieve', 'update', 'partial_update', 'bulk_create', 'metadata'],
  permission: { list: ['component', 'super_admin'], write: ['component', 'super_admin'], create: ['component'] },
  display: '{session}',
  fields: {
    id: { type: 'uuid', label: 'ID' },
    verify_code: { type: 'string', label: 'Verify code', readOnly: true, maxLength: 16 },
    is_active: { type: 'boolean', label: 'Active', default: true },
    expired_time: { type: 'integer', label: 'Expired time (min)', default: 0, min: 0 },
    created_by: { type: 'string', label: 'Created by', nullable: true, maxLength: 32 },
    date_created: { type: 'datetime', label: 'Date created', readOnly: true },
    date_updated: { type: 'datetime', label: 'Date updated', readOnly: true },
    session: { type: 'ref', label: 'Session', required: true, to: 'session' },
    creator: { type: 'ref', label: 'Creator', nullable: true, to: 'user' },
    org_id: { type: 'string', label: 'Organization', readOnly: true },
    org_name: { type: 'string', label: 'Org name', readOnly: true },
  },
  search: [],
  filters: ['session', 'creator', 'is_active', 'expired_time'],
  ordering: '*',
  defaultOrder: ['-date_created'],
})
export type SessionSharing = Row<typeof sessionSharing>
export type SessionSharingDraft = Draft<typeof sessionSharing>
