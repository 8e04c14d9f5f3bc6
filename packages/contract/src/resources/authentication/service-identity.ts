import { CALL_AREAS } from '../../call-areas.ts'
import { type Draft, defineResource, type Row } from '../../define.ts'
import { CRUD } from '../../operations.ts'

/**
 * A machine or script that calls by keys of its own, with a person who answers for it. An extension:
 * the contract has none.
 */
export const serviceIdentity = defineResource({
  name: 'service_identity',
  path: '/api/v1/authentication/service-identities/',
  label: 'Service identity',
  scope: 'org',
  operations: [...CRUD],
  permission: { list: ['org_admin'], write: ['org_admin'] },
  display: '{name}({username})',
  fields: {
    /** That of its user, who is given permissions, groups and roles. */
    id: { type: 'uuid', label: 'ID', readOnly: true },
    name: { type: 'string', label: 'Name', required: true, maxLength: 64, unique: 'org' },
    username: {
      type: 'string',
      label: 'Username',
      helpText: 'Its name in logs and sessions, such as svc.deploy',
      required: true,
      maxLength: 64,
      pattern: '^[a-z0-9][a-z0-9._-]*$',
      unique: 'global',
    },
    owner: {
      type: 'ref',
      label: 'Owner',
      helpText: 'Answers for it: it stops when this person is disabled, expires or is deleted',
      to: 'user',
      required: true,
    },
    owner_display: { type: 'string', label: 'Owner', named: true, readOnly: true },
    purpose: {
      type: 'string',
      label: 'Purpose',
      helpText: 'What it does, and where it runs',
      required: true,
      maxLength: 256,
    },
    org_roles: {
      type: 'multichoice',
      label: 'Organization roles',
      nullable: true,
      choices: { Admin: 'Organization administrator', Auditor: 'Organization auditor', User: 'User' },
      default: ['User'],
    },
    reads: {
      type: 'multichoice',
      label: 'May read',
      choices: CALL_AREAS,
      default: [],
    },
    writes: {
      type: 'multichoice',
      label: 'May change',
      helpText: 'Reading is included',
      choices: CALL_AREAS,
      default: [],
    },
    limits_targets: {
      type: 'boolean',
      label: 'Only some targets',
      helpText: 'It reaches the targets below alone, and makes only calls that are about targets',
      default: false,
    },
    nodes: { type: 'refs', label: 'Nodes', to: 'node', helpText: 'With the assets in and below them' },
    assets: { type: 'refs', label: 'Assets', to: 'asset' },
    applications: { type: 'refs', label: 'Applications', to: 'application' },
    ip_group: {
      type: 'strings',
      label: 'Addresses',
      helpText: 'Where requests may come from: addresses, networks and ranges; * is everywhere',
      minItems: 1,
      maxItems: 100,
      default: ['*'],
    },
    is_active: { type: 'boolean', label: 'Active', default: true },
    date_expired: { type: 'datetime', label: 'Expires', nullable: true },
    state: {
      type: 'choice',
      label: 'State',
      choices: {
        active: 'Active',
        disabled: 'Disabled',
        expired: 'Expired',
        owner_gone: 'Stopped: its owner was deleted',
        owner_disabled: 'Stopped: its owner is disabled',
        owner_expired: 'Stopped: the account of its owner has expired',
      },
      readOnly: true,
    },
    keys_amount: { type: 'integer', label: 'Valid keys', readOnly: true },
    date_last_used: { type: 'datetime', label: 'Last used', nullable: true, readOnly: true },
    created_by: { type: 'string', label: 'Created by', nullable: true, readOnly: true, maxLength: 30 },
    date_created: { type: 'datetime', label: 'Created', readOnly: true },
    org_id: { type: 'string', label: 'Organization', readOnly: true },
    org_name: { type: 'string', label: 'Organization name', readOnly: true },
  },
  mini: ['id', 'name', 'username'],
  search: ['name', 'username', 'purpose'],
  filters: ['name', 'username', 'owner', 'is_active'],
  ordering: ['name', 'username', 'date_created'],
  defaultOrder: ['name'],
})
export type ServiceIdentity = Row<typeof serviceIdentity>
export type ServiceIdentityDraft = Draft<typeof serviceIdentity>
