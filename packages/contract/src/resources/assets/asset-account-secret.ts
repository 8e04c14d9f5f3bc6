import { defineResource, type Row } from '../../define.ts'
import { assetAccount } from './asset-account.ts'

/**
 * Asset accounts with their secrets in clear, behind a fresh second factor; each look leaves a row
 * (docs/rules/accounts.md#asset_account_secret).
 */
export const assetAccountSecret = defineResource({
  name: 'asset_account_secret',
  path: '/api/v1/assets/account-secrets/',
  label: 'Asset account secret',
  scope: 'org',
  operations: ['list', 'retrieve', 'export'],
  needsLicense: true,
  permission: { list: ['org_admin'], write: [] },
  display: assetAccount.display,
  fields: {
    ...assetAccount.fields,
    password: { type: 'string', label: 'Password', readOnly: true },
    private_key: { type: 'text', label: 'SSH private key', readOnly: true },
    public_key: { type: 'text', label: 'SSH public key', readOnly: true },
  },
  mini: ['id', 'username', 'ip', 'hostname', 'platform', 'protocols', 'version'],
  search: [],
  filters: [
    { name: 'username', match: 'custom' },
    { name: 'ip', match: 'custom' },
    { name: 'hostname', match: 'custom' },
    { name: 'node', match: 'custom', hidden: true },
    'asset',
    'systemuser',
    { name: 'id', match: 'exact', hidden: true },
  ],
  ordering: assetAccount.ordering,
  defaultOrder: ['id'],
  exportColumns: [
    'hostname',
    'ip',
    'platform',
    'protocols',
    'username',
    'password',
    'private_key',
    'public_key',
    'date_created',
    'date_updated',
    'version',
    'kept_in',
  ],
})
export type AssetAccountSecret = Row<typeof assetAccountSecret>
