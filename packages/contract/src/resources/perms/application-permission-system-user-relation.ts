import { type Draft, defineResource, type Row } from '../../define.ts'
import { BULK, CRUD } from '../../operations.ts'

export const applicationPermissionSystemUserRelation = defineResource({
  name: 'application_permission_system_user_relation',
  path: '/api/v1/perms/application-permissions-system-users-relations/',
  label: 'Application permission system users',
  scope: 'org',
  bearsRights: true,
  operations: [...CRUD, ...BULK],
  permission: { list: ['org_admin'], write: ['org_admin'] },
  display: '{applicationpermission} {systemuser}',
  fields: {
    id: { type: 'integer', label: 'ID', readOnly: true },
    systemuser: { type: 'ref', label: 'System user', required: true, to: 'system_user' },
    systemuser_display: { type: 'string', label: 'System user', readOnly: true },
    applicationpermission: {
      type: 'ref',
      label: 'Application permission',
      required: true,
      to: 'application_permission',
    },
    applicationpermission_display: { type: 'string', label: 'Application permission', readOnly: true },
  },
  search: [],
  filters: ['id', 'systemuser', 'applicationpermission'],
  ordering: ['id'],
  defaultOrder: ['id'],
})
export type ApplicationPermissionSystemUserRelation = Row<typeof applicationPermissionSystemUserRelation>
export type ApplicationPermissionSystemUserRelationDraft = Draft<typeof applicationPermissionSystemUserRelation>
