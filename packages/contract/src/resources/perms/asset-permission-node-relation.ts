import { type Draft, defineResource, type Row } from '../../define.ts'
import { BULK, CRUD } from '../../operations.ts'

export const assetPermissionNodeRelation = defineResource({
  name: 'asset_permission_node_relation',
  path: '/api/v1/perms/asset-permissions-nodes-relations/',
  label: 'Asset permission nodes',
  scope: 'org',
  bearsRights: true,
  operations: [...CRUD, ...BULK],
  permission: { list: ['org_admin'], write: ['org_admin'] },
  display: '{assetpermission} {node}',
  fields: {
    id: { type: 'integer', label: 'ID', readOnly: true },
    node: { type: 'ref', label: 'Node', required: true, to: 'node' },
    node_display: { type: 'string', label: 'Node', readOnly: true },
    assetpermission: { type: 'ref', label: 'Asset permission', required: true, to: 'asset_permission' },
    assetpermission_display: { type: 'string', label: 'Asset permission', readOnly: true },
  },
  search: [],
  filters: ['id', 'node', 'assetpermission'],
  ordering: ['id'],
  defaultOrder: ['id'],
})
export type AssetPermissionNodeRelation = Row<typeof assetPermissionNodeRelation>
export type AssetPermissionNodeRelationDraft = Draft<typeof assetPermissionNodeRelation>
