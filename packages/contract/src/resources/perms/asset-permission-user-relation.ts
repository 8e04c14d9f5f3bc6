import { type Draft, defineResource, type Row } from '../../define.ts'
import { BULK, CRUD } from '../../operations.ts'

export const assetPermissionUserRelation = defineResource({
  name: 'asset_permission_user_relation',
  path: '/api/v1/perms/asset-permissions-users-relations/',
  label: 'Asset permission users',
  scope: 'org',
  bearsRights: true,
  operations: [...CRUD, ...BULK],
  permission: { list: ['org_admin'], write: ['org_admin'] },
  display: '{assetpermission} {user}',
  fields: {
    id: { type: 'integer', label: 'ID', readOnly: true },
    user: { type: 'ref', label: 'User', required: true, to: 'user' },
    user_display: { type: 'string', label: 'User', readOnly: true },
    assetpermission: { type: 'ref', label: 'Asset permission', required: true, to: 'asset_permission' },
    assetpermission_display: { type: 'string', label: 'Asset permission', readOnly: true },
  },
  search: [],
  filters: ['id', 'user', 'assetpermission'],
  ordering: ['id'],
  defaultOrder: ['id'],
})
export type AssetPermissionUserRelation = Row<typeof assetPermissionUserRelation>
export type AssetPermissionUserRelationDraft = Draft<typeof assetPermissionUserRelation>
