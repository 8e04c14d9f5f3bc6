import { type Draft, defineResource, type Row } from '../../define.ts'
import { CRUD } from '../../operations.ts'

/** Kinds of stores outside that accounts may take their secret from (docs/secret-sources.md). */
export const SECRET_SOURCE_KINDS = { vault: 'Vault or OpenBao', http: 'HTTP API' } as const
export type SecretSourceKind = keyof typeof SECRET_SOURCE_KINDS

/**
 * A store of secrets outside of Sallyport. Accounts name it instead of having a secret of their own;
 * it is asked when somebody connects. An extension: the contract has none.
 */
export const secretSource = defineResource({
  name: 'secret_source',
  path: '/api/v1/assets/secret-sources/',
  label: 'Secret source',
  scope: 'org',
  operations: [...CRUD],
  permission: { list: ['org_admin'], write: ['org_admin'] },
  display: '{name}',
  fields: {
    id: { type: 'uuid', label: 'ID', readOnly: true },
    name: { type: 'string', label: 'Name', required: true, maxLength: 128, unique: 'org' },
    kind: { type: 'choice', label: 'Kind', choices: SECRET_SOURCE_KINDS, default: 'vault' },
    address: {
      type: 'string',
      label: 'Address of the source',
      helpText: 'With https, such as https://vault.example.com:8200; http only on this machine',
      required: true,
      maxLength: 512,
    },
    namespace: {
      type: 'string',
      label: 'Namespace',
      helpText: 'Only where the store has namespaces, such as team/ops',
      maxLength: 256,
      default: '',
    },
    engine: {
      type: 'string',
      label: 'Secrets engine',
      helpText: 'Where the engine KV version 2 is mounted',
      maxLength: 128,
      default: 'secret',
    },
    authentication: {
      type: 'choice',
      label: 'Authentication',
      choices: { token: 'Token', approle: 'AppRole' },
      default: 'token',
    },
    token: { type: 'text', label: 'Token', nullable: true, writeOnly: true, maxLength: 8192 },
    role_id: { type: 'string', label: 'Role ID', maxLength: 256, default: '' },
    secret_id: { type: 'string', label: 'Secret ID', nullable: true, writeOnly: true, maxLength: 1024 },
    ca_certificate: {
      type: 'text',
      label: 'CA certificate',
      helpText: 'PEM text of the authority of its certificate; empty: those that this server trusts',
      maxLength: 65_536,
      default: '',
    },
    timeout: {
      type: 'integer',
      label: 'Time limit',
      helpText: 'Seconds after which a connection is given up',
      min: 1,
      max: 30,
      default: 5,
    },
    accounts_amount: { type: 'integer', label: 'Number of accounts', readOnly: true },
    comment: { type: 'text', label: 'Comment', default: '' },
    created_by: { type: 'string', label: 'Created by', nullable: true, readOnly: true },
    date_created: { type: 'datetime', label: 'Created', readOnly: true },
    date_updated: { type: 'datetime', label: 'Updated', readOnly: true },
    org_id: { type: 'string', label: 'Organization', readOnly: true },
    org_name: { type: 'string', label: 'Organization name', readOnly: true },
  },
  mini: ['id', 'name'],
  search: ['name', 'address'],
  filters: ['name', 'kind'],
  ordering: ['name', 'date_created'],
  defaultOrder: ['name'],
})
export type SecretSource = Row<typeof secretSource>
export type SecretSourceDraft = Draft<typeof secretSource>
