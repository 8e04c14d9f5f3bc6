import { defineResource, type Row } from '../../define.ts'

/**
 * Assets that a person may use. Also listed for one user, one group and one node: see
 * domains/perms/granted/granted-assets.ts.
 */
export const grantedAsset = defineResource({
  name: 'granted_asset',
  path: '/api/v1/perms/users/assets/',
  label: 'My asset',
  scope: 'self',
  operations: ['list'],
  permission: { list: ['authenticated'], write: [] },
  display: '{hostname}({ip})',
  fields: {
    id: { type: 'uuid', label: 'ID', readOnly: true },
    hostname: { type: 'string', label: 'Hostname', readOnly: true },
    ip: { type: 'string', label: 'IP', readOnly: true },
    protocols: { type: 'strings', label: 'Protocols', readOnly: true },
    os: { type: 'string', label: 'OS', readOnly: true, nullable: true },
    domain: { type: 'ref', label: 'Domain', to: 'domain', readOnly: true, nullable: true },
    platform: { type: 'ref', label: 'Platform', to: 'platform', by: 'name', readOnly: true },
    comment: { type: 'text', label: 'Comment', readOnly: true },
    org_id: { type: 'string', label: 'Organization', readOnly: true },
    is_active: { type: 'boolean', label: 'Active', readOnly: true },
    org_name: { type: 'string', label: 'Organization name', readOnly: true },
  },
  search: ['hostname', 'ip', 'comment'],
  filters: ['hostname', 'ip', 'id', 'comment'],
  ordering: '*',
  defaultOrder: ['hostname'],
})
export type GrantedAsset = Row<typeof grantedAsset>
