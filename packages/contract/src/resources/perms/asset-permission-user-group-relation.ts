import { type Draft, defineResource, type Row } from '../../define.ts'
import { BULK, CRUD } from '../../operations.ts'

export const assetPermissionUserGroupRelation = defineResource({
  name: 'asset_permission_user_group_relation',
  path: '/api/v1/perms/asset-permissions-user-groups-relations/',
  label: 'Asset permission user groups',
  scope: 'org',
  bearsRights: true,
  operations: [...CRUD, ...BULK],
  permission: { list: ['org_admin'], write: ['org_admin'] },
  display: '{assetpermission} {usergroup}',
  fields: {
    id: { type: 'integer', label: 'ID', readOnly: true },
    usergroup: { type: 'ref', label: 'User group', required: true, to: 'user_group' },
    usergroup_display: { type: 'string', label: 'User group', readOnly: true },
    assetpermission: { type: 'ref', label: 'Asset permission', required: true, to: 'asset_permission' },
    assetpermission_display: { type: 'string', label: 'Asset permission', readOnly: true },
  },
  search: [],
  filters: ['id', 'usergroup', 'assetpermission'],
  ordering: ['id'],
  defaultOrder: ['id'],
})
export type AssetPermissionUserGroupRelation = Row<typeof assetPermissionUserGroupRelation>
export type AssetPermissionUserGroupRelationDraft = Draft<typeof assetPermissionUserGroupRelation>
