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
    user: { type: 'string', label: 'User', required: true, maxLength: 128 },
    remote_addr: { type: 'string', label: 'Address', nullable: true, maxLength: 128 },
    asset: { type: 'string', label: 'Asset', required: true, maxLength: 1024 },
    system_user: { type: 'string', label: 'System user', required: true, maxLength: 128 },
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
    date_start: { type: 'datetime', label: 'Starts', readOnly: true },
  },
  search: ['user', 'asset', 'system_user', 'filename'],
  filters: [
    'user',
    'asset',
    'system_user',
    'filename',
    { name: 'date_from', match: 'custom', hidden: true },
    { name: 'date_to', match: 'custom', hidden: true },
  ],
  ordering: '*',
  defaultOrder: ['-date_start'],
})
export type FtpLog = Row<typeof ftpLog>
export type FtpLogDraft = Draft<typeof ftpLog>
