import { type Draft, defineResource, type Row } from '../../define.ts'
import { BULK, CRUD } from '../../operations.ts'

export const assetPermissionSystemUserRelation = defineResource({
  name: 'asset_permission_system_user_relation',
  path: '/api/v1/perms/asset-permissions-system-users-relations/',
  label: 'Asset permission system users',
  scope: 'org',
  bearsRights: true,
  operations: [...CRUD, ...BULK],
  permission: { list: ['org_admin'], write: ['org_admin'] },
  display: '{assetpermission} {systemuser}',
  fields: {
    id: { type: 'integer', label: 'ID', readOnly: true },
    systemuser: { type: 'ref', label: 'System user', required: true, to: 'system_user' },
    systemuser_display: { type: 'string', label: 'System user', readOnly: true },
    assetpermission: { type: 'ref', label: 'Asset permission', required: true, to: 'asset_permission' },
    assetpermission_display: { type: 'string', label: 'Asset permission', readOnly: true },
  },
  search: [],
  filters: ['id', 'systemuser', 'assetpermission'],
  ordering: ['id'],
  defaultOrder: ['id'],
})
export type AssetPermissionSystemUserRelation = Row<typeof assetPermissionSystemUserRelation>
export type AssetPermissionSystemUserRelationDraft = Draft<typeof assetPermissionSystemUserRelation>
