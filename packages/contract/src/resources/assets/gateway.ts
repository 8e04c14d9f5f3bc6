import { type Draft, defineResource, type Row } from '../../define.ts'
import { BULK, CRUD, FILES } from '../../operations.ts'

export const gateway = defineResource({
  name: 'gateway',
  path: '/api/v1/assets/gateways/',
  label: 'Gateway',
  scope: 'org',
  operations: [...CRUD, ...BULK, ...FILES],
  permission: { list: ['org_admin', 'component'], write: ['org_admin', 'component'] },
  display: '{name}',
  fields: {
    id: { type: 'uuid', label: 'ID' },
    name: { type: 'string', label: 'Name', required: true, maxLength: 128, unique: 'org' },
    password: { type: 'string', label: 'Password', nullable: true, writeOnly: true, maxLength: 256 },
    private_key: { type: 'text', label: 'SSH private key', nullable: true, writeOnly: true },
    public_key: { type: 'text', label: 'SSH public key', nullable: true, writeOnly: true },
    passphrase: { type: 'string', label: 'Key passphrase', nullable: true, writeOnly: true, maxLength: 512 },
    username: { type: 'string', label: 'Username', maxLength: 128, pattern: '^[\\w@.-]*$' },
    ip: { type: 'string', label: 'IP', required: true, maxLength: 128 },
    port: { type: 'integer', label: 'Port', default: 22, min: 1, max: 65535 },
    protocol: { type: 'choice', label: 'Protocol', choices: { ssh: 'SSH' }, default: 'ssh' },
    is_active: { type: 'boolean', label: 'Active', default: true },
    is_connective: { type: 'boolean', label: 'Reachable' },
    date_created: { type: 'datetime', label: 'Created', readOnly: true },
    date_updated: { type: 'datetime', label: 'Updated', readOnly: true },
    created_by: { type: 'string', label: 'Created by', nullable: true },
    comment: { type: 'string', label: 'Comment', nullable: true, maxLength: 128 },
    domain: { type: 'ref', label: 'Domain', required: true, to: 'domain' },
    org_id: { type: 'string', label: 'Organization', readOnly: true },
    org_name: { type: 'string', label: 'Organization name', readOnly: true },
  },
  mini: ['id', 'name'],
  search: ['name', 'username', 'ip'],
  filters: [{ name: 'domain__name', match: 'custom', hidden: true }, 'name', 'username', 'ip', 'domain'],
  ordering: '*',
  defaultOrder: ['name'],
})
export type Gateway = Row<typeof gateway>
export type GatewayDraft = Draft<typeof gateway>
