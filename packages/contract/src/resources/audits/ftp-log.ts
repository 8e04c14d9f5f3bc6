import { type Draft, defineResource, type Row } from '../../define.ts'

export const ftpLog = defineResource({
  name: 'ftp_log',
  path: '/api/v1/audits/ftp-logs/',
  label: 'File transfer',
  scope: 'org',
  operations: ['list', 'create', 'export'],
  permission: { list: ['org_auditor', 'component'], write: ['component'] },
  display: '{user} {operate} {filename}',
  fields: {
    id: { type: 'uuid', label: 'ID' },
    user: { type: 'string', label: 'User', named: true, required: true, maxLength: 128 },
    remote_addr: { type: 'string', label: 'Address', nullable: true, maxLength: 128 },
    asset: { type: 'string', label: 'Asset', named: true, required: true, maxLength: 1024 },
    system_user: { type: 'string', label: 'System user', named: true, required: true, maxLength: 128 },
    org_id: { type: 'string', label: 'Organization', maxLength: 36 },
    operate: {
      type: 'choice',
      label: 'Action',
      required: true,
      choices: {
        Delete: 'Delete',
        Upload: 'Upload',
        Download: 'Download',
        Rmdir: 'Rmdir',
        Rename: 'Rename',
        Mkdir: 'Mkdir',
        Symlink: 'Symlink',
      },
    },
    filename: { type: 'string', label: 'File name', required: true, maxLength: 1024 },
    operate_display: { type: 'string', label: 'Action name', readOnly: true },
    is_success: { type: 'boolean', label: 'Success', default: true },
    date_start: { type: 'datetime', label: 'Started', readOnly: true },
    /** An extension, like all that follow; null of components. */
    user_id: { type: 'uuid', label: 'User ID', nullable: true, readOnly: true },
    asset_id: { type: 'uuid', label: 'Asset ID', nullable: true, readOnly: true },
    /** The session through whose terminal the file went; files need none. */
    session_id: { type: 'uuid', label: 'Session ID', nullable: true, readOnly: true },
    sign_in_id: { type: 'uuid', label: 'Sign-in ID', nullable: true, readOnly: true },
    on_behalf_of: { type: 'string', label: 'On behalf of', named: true, nullable: true, readOnly: true },
    /** An extension: the product that an import brought it from. */
    arrived_from: { type: 'string', label: 'Imported from', nullable: true, readOnly: true },
  },
  exportColumns: [
    'id',
    'user',
    'remote_addr',
    'asset',
    'system_user',
    'org_id',
    'operate',
    'filename',
    'operate_display',
    'is_success',
    'date_start',
  ],
  search: ['user', 'asset', 'system_user', 'filename'],
  filters: [
    'user',
    'asset',
    'system_user',
    'filename',
    'sign_in_id',
    { name: 'session_id', hidden: true },
    { name: 'date_from', match: 'custom', hidden: true },
    { name: 'date_to', match: 'custom', hidden: true },
  ],
  ordering: '*',
  defaultOrder: ['-date_start'],
})
export type FtpLog = Row<typeof ftpLog>
export type FtpLogDraft = Draft<typeof ftpLog>
