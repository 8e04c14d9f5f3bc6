import { type Draft, defineResource, type Row } from '../../define.ts'
import { BULK, CRUD } from '../../operations.ts'

export const applicationPermissionUserRelation = defineResource({
  name: 'application_permission_user_relation',
  path: '/api/v1/perms/application-permissions-users-relations/',
  label: 'Application permission users',
  scope: 'org',
  bearsRights: true,
  operations: [...CRUD, ...BULK],
  permission: { list: ['org_admin'], write: ['org_admin'] },
  display: '{applicationpermission} {user}',
  fields: {
    id: { type: 'integer', label: 'ID', readOnly: true },
    user: { type: 'ref', label: 'User', required: true, to: 'user' },
    user_display: { type: 'string', label: 'User', readOnly: true },
    applicationpermission: {
      type: 'ref',
      label: 'Application permission',
      required: true,
      to: 'application_permission',
    },
    applicationpermission_display: { type: 'string', label: 'Application permission', readOnly: true },
  },
  search: [],
  filters: ['id', 'user', 'applicationpermission'],
  ordering: ['id'],
  defaultOrder: ['id'],
})
export type ApplicationPermissionUserRelation = Row<typeof applicationPermissionUserRelation>
export type ApplicationPermissionUserRelationDraft = Draft<typeof applicationPermissionUserRelation>
