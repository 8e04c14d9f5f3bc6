import { type Draft, defineResource, type Row } from '../../define.ts'
import { BULK, CRUD, FILES } from '../../operations.ts'
import { SECRET_REFERENCE } from './secret-reference.ts'

/**
 * An account on an asset and its secret: linked to a system user, whose user name and
 * secrets it has until it gets its own, or free, with a user name alone
 * (docs/rules/accounts.md#asset_account).
 */
export const assetAccount = defineResource({
  name: 'asset_account',
  path: '/api/v1/assets/accounts/',
  label: 'Asset account',
  scope: 'org',
  operations: [...CRUD, ...BULK, ...FILES],
  needsLicense: true,
  permission: { list: ['org_admin'], write: ['org_admin'] },
  display: '{username}',
  fields: {
    id: { type: 'uuid', label: 'ID' },
    username: { type: 'string', label: 'Username', required: true, blank: true, maxLength: 128 },
    ip: { type: 'string', label: 'IP', readOnly: true },
    hostname: { type: 'string', label: 'Hostname', readOnly: true },
    platform: { type: 'string', label: 'Platform', readOnly: true },
    protocols: { type: 'string', label: 'Protocols', readOnly: true },
    version: { type: 'integer', label: 'Version', default: 1, min: 1 },
    password: { type: 'string', label: 'Password', nullable: true, writeOnly: true, maxLength: 256 },
    private_key: {
      type: 'text',
      label: 'SSH private key',
      helpText: 'The private part, as ssh-keygen writes it, such as the file id_ed25519',
      nullable: true,
      writeOnly: true,
    },
    public_key: { type: 'text', label: 'SSH public key', nullable: true, writeOnly: true },
    passphrase: {
      type: 'string',
      label: 'Key password',
      helpText: 'Only for a key that is encrypted with one',
      nullable: true,
      writeOnly: true,
      maxLength: 512,
    },
    ...SECRET_REFERENCE,
    date_created: { type: 'datetime', label: 'Created', readOnly: true },
    date_updated: { type: 'datetime', label: 'Updated', readOnly: true },
    connectivity: {
      type: 'choice',
      label: 'Connectivity',
      choices: { unknown: 'Unknown', ok: 'Ok', failed: 'Failed' },
      default: 'unknown',
    },
    date_verified: { type: 'datetime', label: 'Verified', nullable: true },
    comment: { type: 'text', label: 'Comment' },
    asset: { type: 'ref', label: 'Asset', required: true, to: 'asset' },
    systemuser: { type: 'ref', label: 'System user', nullable: true, to: 'system_user' },
    systemuser_display: { type: 'string', label: 'System user name', readOnly: true },
    org_id: { type: 'string', label: 'Organization', readOnly: true },
    org_name: { type: 'string', label: 'Organization name', readOnly: true },
  },
  mini: ['id', 'username', 'ip', 'hostname', 'platform', 'protocols', 'version'],
  // The mount searches user name, address and host name, and the system user's user name.
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
  ordering: ['version', 'connectivity', 'date_verified', 'date_created', 'date_updated'],
  defaultOrder: ['id'],
})
export type AssetAccount = Row<typeof assetAccount>
export type AssetAccountDraft = Draft<typeof assetAccount>
