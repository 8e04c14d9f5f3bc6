import { type Draft, defineResource, type Row } from '../../define.ts'
import { BULK, CRUD } from '../../operations.ts'

export const applicationPermissionUserGroupRelation = defineResource({
  name: 'application_permission_user_group_relation',
  path: '/api/v1/perms/application-permissions-user-groups-relations/',
  label: 'Application permission user groups',
  scope: 'org',
  bearsRights: true,
  operations: [...CRUD, ...BULK],
  permission: { list: ['org_admin'], write: ['org_admin'] },
  display: '{applicationpermission} {usergroup}',
  fields: {
    id: { type: 'integer', label: 'ID', readOnly: true },
    usergroup: { type: 'ref', label: 'User group', required: true, to: 'user_group' },
    usergroup_display: { type: 'string', label: 'User group', readOnly: true },
    applicationpermission: {
      type: 'ref',
      label: 'Application permission',
      required: true,
      to: 'application_permission',
    },
    applicationpermission_display: { type: 'string', label: 'Application permission', readOnly: true },
  },
  search: [],
  filters: ['id', 'usergroup', 'applicationpermission'],
  ordering: ['id'],
  defaultOrder: ['id'],
})
export type ApplicationPermissionUserGroupRelation = Row<typeof applicationPermissionUserGroupRelation>
export type ApplicationPermissionUserGroupRelationDraft = Draft<typeof applicationPermissionUserGroupRelation>
