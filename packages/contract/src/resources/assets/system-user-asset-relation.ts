import { type Draft, defineResource, type Row } from '../../define.ts'
import { BULK, CRUD, FILES } from '../../operations.ts'

export const systemUserAssetRelation = defineResource({
  name: 'system_user_asset_relation',
  path: '/api/v1/assets/system-users-assets-relations/',
  label: 'System user assets',
  scope: 'org',
  operations: [...CRUD, ...BULK, ...FILES],
  permission: { list: ['org_admin'], write: ['org_admin'] },
  display: '{systemuser}-{asset}',
  fields: {
    id: { type: 'uuid', label: 'ID' },
    asset: { type: 'ref', label: 'Asset', required: true, to: 'asset' },
    asset_display: { type: 'string', label: 'Asset hostname', readOnly: true },
    systemuser: { type: 'ref', label: 'System user', to: 'system_user', required: true },
    systemuser_display: { type: 'string', label: 'System user name', readOnly: true },
    connectivity: {
      type: 'choice',
      label: 'Connectivity',
      choices: { unknown: 'Unknown', ok: 'Ok', failed: 'Failed' },
      default: 'unknown',
    },
    date_verified: { type: 'datetime', label: 'Verified', nullable: true },
    org_id: { type: 'string', label: 'Organization', readOnly: true },
    org_name: { type: 'string', label: 'Organization name', readOnly: true },
  },
  search: [],
  filters: ['id', 'asset', 'systemuser'],
  ordering: '*',
  defaultOrder: ['id'],
})
export type SystemUserAssetRelation = Row<typeof systemUserAssetRelation>
export type SystemUserAssetRelationDraft = Draft<typeof systemUserAssetRelation>
