import { defineResource, type Row } from '../../define.ts'

export const operateLog = defineResource({
  name: 'operate_log',
  path: '/api/v1/audits/operate-logs/',
  label: 'Operation log',
  scope: 'org',
  operations: ['list', 'export'],
  permission: { list: ['org_auditor'], write: [] },
  display: '{user}',
  fields: {
    id: { type: 'uuid', label: 'ID', readOnly: true },
    user: { type: 'string', label: 'User', maxLength: 128, readOnly: true },
    action: {
      type: 'choice',
      label: 'Action',
      choices: { create: 'Create', update: 'Update', delete: 'Delete', export: 'Export', download: 'Download' },
      readOnly: true,
    },
    action_display: { type: 'string', label: 'Action', readOnly: true },
    resource_type: { type: 'string', label: 'Resource type', maxLength: 64, readOnly: true },
    resource_type_display: { type: 'string', label: 'Resource type', readOnly: true },
    resource: { type: 'string', label: 'Resource', maxLength: 128, readOnly: true },
    remote_addr: { type: 'string', label: 'Address', nullable: true, maxLength: 128, readOnly: true },
    datetime: { type: 'datetime', label: 'Time', readOnly: true },
    org_id: { type: 'string', label: 'Organization', readOnly: true },
  },
  search: ['resource'],
  filters: [
    'user',
    'action',
    'resource_type',
    'resource',
    'remote_addr',
    { name: 'date_from', match: 'custom', hidden: true },
    { name: 'date_to', match: 'custom', hidden: true },
  ],
  ordering: '*',
  defaultOrder: ['-datetime'],
})
export type OperateLog = Row<typeof operateLog>
