import { defineResource, type Row } from '../../define.ts'

export const passwordChangeLog = defineResource({
  name: 'password_change_log',
  path: '/api/v1/audits/password-change-logs/',
  label: 'Password change',
  scope: 'global',
  operations: ['list', 'export'],
  permission: { list: ['org_auditor'], write: [] },
  display: '{user}',
  fields: {
    id: { type: 'uuid', label: 'ID', readOnly: true },
    user: { type: 'string', label: 'User', named: true, maxLength: 128, readOnly: true },
    change_by: { type: 'string', label: 'Changed by', named: true, maxLength: 128, readOnly: true },
    remote_addr: { type: 'string', label: 'Address', nullable: true, maxLength: 128, readOnly: true },
    datetime: { type: 'datetime', label: 'Time', readOnly: true },
    /** An extension, like all that follow. */
    user_id: { type: 'uuid', label: 'User ID', nullable: true, readOnly: true },
    change_by_id: { type: 'uuid', label: 'Changed by, ID', nullable: true, readOnly: true },
    sign_in_id: { type: 'uuid', label: 'Sign-in ID', nullable: true, readOnly: true },
    on_behalf_of: { type: 'string', label: 'On behalf of', named: true, nullable: true, readOnly: true },
    /** An extension: the product that an import brought it from. */
    arrived_from: { type: 'string', label: 'Imported from', nullable: true, readOnly: true },
  },
  exportColumns: ['id', 'user', 'change_by', 'remote_addr', 'datetime'],
  search: ['user', 'change_by', 'remote_addr'],
  filters: [
    'user',
    'change_by',
    'remote_addr',
    { name: 'date_from', match: 'custom', hidden: true },
    { name: 'date_to', match: 'custom', hidden: true },
  ],
  ordering: '*',
  defaultOrder: ['-datetime'],
})
export type PasswordChangeLog = Row<typeof passwordChangeLog>
