import { type Draft, defineResource, type Row } from '../../define.ts'
import { BULK, CRUD, FILES } from '../../operations.ts'
import { PROTOCOL_CHOICES } from './protocols.ts'

export const adminUser = defineResource({
  name: 'admin_user',
  path: '/api/v1/assets/admin-users/',
  label: 'Admin user',
  scope: 'org',
  operations: [...CRUD, ...BULK, ...FILES],
  permission: { list: ['org_admin'], write: ['org_admin'] },
  display: '{name}({username})',
  fields: {
    id: { type: 'uuid', label: 'ID' },
    name: { type: 'string', label: 'Name', required: true, maxLength: 128, unique: 'org' },
    username: { type: 'string', label: 'Username', maxLength: 128 },
    password: { type: 'string', label: 'Password', nullable: true, writeOnly: true, maxLength: 256 },
    public_key: { type: 'text', label: 'SSH public key', nullable: true, writeOnly: true },
    private_key: {
      type: 'text',
      label: 'SSH private key',
      helpText: 'The private part, as ssh-keygen writes it, such as the file id_ed25519',
      nullable: true,
      writeOnly: true,
    },
    passphrase: {
      type: 'string',
      label: 'Key passphrase',
      helpText: 'Only for a key that is encrypted with one',
      nullable: true,
      writeOnly: true,
      maxLength: 512,
    },
    cmd_filters: { type: 'refs', label: 'Command filter', to: 'command_filter' },
    assets_amount: { type: 'integer', label: 'Number of assets', readOnly: true },
    applications_amount: { type: 'integer', label: 'Number of applications', readOnly: true },
    nodes: { type: 'refs', label: 'Nodes', to: 'node' },
    type: { type: 'choice', label: 'Type', choices: { common: 'Common user', admin: 'Admin user' }, default: 'admin' },
    protocol: { type: 'choice', label: 'Protocol', choices: PROTOCOL_CHOICES, default: 'ssh' },
    priority: {
      type: 'integer',
      label: 'Priority',
      helpText: 'Smaller numbers come first',
      min: 1,
      max: 100,
      default: 81,
    },
    sftp_root: { type: 'string', label: 'SFTP root', maxLength: 128, default: 'tmp' },
    ssh_key_fingerprint: { type: 'string', label: 'SSH key fingerprint', readOnly: true },
    date_created: { type: 'datetime', label: 'Created', readOnly: true },
    date_updated: { type: 'datetime', label: 'Updated', readOnly: true },
    comment: { type: 'text', label: 'Comment', default: '' },
    created_by: { type: 'string', label: 'Created by', nullable: true, readOnly: true },
    org_id: { type: 'string', label: 'Organization', readOnly: true },
    org_name: { type: 'string', label: 'Organization name', readOnly: true },
  },
  search: ['name', 'username'],
  filters: ['name', 'username'],
  ordering: ['name'],
  defaultOrder: ['name'],
})
export type AdminUser = Row<typeof adminUser>
export type AdminUserDraft = Draft<typeof adminUser>
