import { type Draft, defineResource, type Row } from '../../define.ts'
import { CRUD } from '../../operations.ts'

/**
 * An identity provider that keeps people and groups of an organization here by SCIM. An extension:
 * the contract has none.
 */
export const scimProvider = defineResource({
  name: 'scim_provider',
  path: '/api/v1/scim/providers/',
  label: 'SCIM provider',
  scope: 'org',
  operations: [...CRUD],
  permission: { list: ['super_admin'], write: ['super_admin'] },
  display: '{name}',
  fields: {
    id: { type: 'uuid', label: 'ID', readOnly: true },
    name: { type: 'string', label: 'Name', required: true, maxLength: 64, unique: 'global' },
    source: {
      type: 'choice',
      label: 'People sign in with',
      choices: { openid: 'OpenID', saml2: 'SAML2', cas: 'CAS', ldap: 'LDAP/AD', radius: 'Radius' },
      default: 'openid',
    },
    on_delete: {
      type: 'choice',
      label: 'When a person is deleted there',
      choices: { deactivate: 'Deactivate the person', delete: 'Delete the person' },
      default: 'deactivate',
    },
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
    comment: { type: 'text', label: 'Comment' },
    /** Where the provider sends its requests. */
    url: { type: 'string', label: 'Address for the provider', readOnly: true },
    date_token: { type: 'datetime', label: 'Token made', nullable: true, readOnly: true },
    date_last_used: { type: 'datetime', label: 'Last used', nullable: true, readOnly: true },
    people_amount: { type: 'integer', label: 'Number of users', readOnly: true },
    groups_amount: { type: 'integer', label: 'Number of user groups', readOnly: true },
    created_by: { type: 'string', label: 'Created by', nullable: true, readOnly: true, maxLength: 30 },
    date_created: { type: 'datetime', label: 'Created', readOnly: true },
    org_id: { type: 'string', label: 'Organization', readOnly: true },
    org_name: { type: 'string', label: 'Organization name', readOnly: true },
  },
  mini: ['id', 'name'],
  search: ['name'],
  filters: ['name', 'source', 'is_active'],
  ordering: ['name', 'date_created'],
  defaultOrder: ['name'],
})
export type ScimProvider = Row<typeof scimProvider>
export type ScimProviderDraft = Draft<typeof scimProvider>
