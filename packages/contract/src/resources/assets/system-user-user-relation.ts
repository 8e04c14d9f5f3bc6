import { type Draft, defineResource, type Row } from '../../define.ts'
import { BULK, CRUD } from '../../operations.ts'

export const systemUserUserRelation = defineResource({
  name: 'system_user_user_relation',
  path: '/api/v1/assets/system-users-users-relations/',
  label: 'System user users',
  scope: 'org',
  operations: [...CRUD, ...BULK],
  permission: { list: ['org_admin'], write: ['org_admin'] },
  display: '{systemuser}-{user}',
  fields: {
    id: { type: 'integer', label: 'ID', readOnly: true },
    user: { type: 'ref', label: 'User', required: true, to: 'user' },
    user_display: { type: 'string', label: 'User display', readOnly: true },
    systemuser: { type: 'ref', label: 'System user', required: true, to: 'system_user' },
    systemuser_display: { type: 'string', label: 'System user name', readOnly: true },
    org_name: { type: 'string', label: 'Organization name', readOnly: true },
  },
  search: [],
  filters: ['id', 'user', 'systemuser'],
  ordering: '*',
  defaultOrder: ['id'],
})
export type SystemUserUserRelation = Row<typeof systemUserUserRelation>
export type SystemUserUserRelationDraft = Draft<typeof systemUserUserRelation>
