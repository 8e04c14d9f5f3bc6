import { type Draft, defineResource, type Row } from '../../define.ts'
import { BULK, CRUD } from '../../operations.ts'

export const assetPermissionAssetRelation = defineResource({
  name: 'asset_permission_asset_relation',
  path: '/api/v1/perms/asset-permissions-assets-relations/',
  label: 'Asset permission assets',
  scope: 'org',
  bearsRights: true,
  operations: [...CRUD, ...BULK],
  permission: { list: ['org_admin'], write: ['org_admin'] },
  display: '{assetpermission} {asset}',
  fields: {
    id: { type: 'integer', label: 'ID', readOnly: true },
    asset: { type: 'ref', label: 'Asset', required: true, to: 'asset' },
    asset_display: { type: 'string', label: 'Asset', readOnly: true },
    assetpermission: { type: 'ref', label: 'Asset permission', required: true, to: 'asset_permission' },
    assetpermission_display: { type: 'string', label: 'Asset permission', readOnly: true },
  },
  search: [],
  filters: ['id', 'asset', 'assetpermission'],
  ordering: ['id'],
  defaultOrder: ['id'],
})
export type AssetPermissionAssetRelation = Row<typeof assetPermissionAssetRelation>
export type AssetPermissionAssetRelationDraft = Draft<typeof assetPermissionAssetRelation>
