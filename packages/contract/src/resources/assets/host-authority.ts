import { type Draft, defineResource, type Row } from '../../define.ts'
import { CRUD } from '../../operations.ts'

/** Keys whose host certificates are taken in place of a pinned host key (docs/ssh-certificates.md). */
export const hostAuthority = defineResource({
  name: 'host_authority',
  path: '/api/v1/assets/host-authorities/',
  label: 'Host authority',
  scope: 'org',
  operations: [...CRUD],
  permission: { list: ['org_admin'], write: ['org_admin'] },
  display: '{name}',
  fields: {
    id: { type: 'uuid', label: 'ID' },
    name: { type: 'string', label: 'Name', required: true, maxLength: 128, unique: 'org' },
    public_key: {
      type: 'text',
      label: 'Public key',
      helpText: 'The public key that signs host certificates, such as the file host_ca.pub',
      required: true,
    },
    fingerprint: { type: 'string', label: 'Fingerprint', readOnly: true },
    domain: {
      type: 'ref',
      label: 'Domain',
      helpText: 'It vouches for machines of this domain alone; empty is all machines',
      nullable: true,
      to: 'domain',
    },
    is_active: { type: 'boolean', label: 'Active', default: true },
    comment: { type: 'text', label: 'Comment', default: '' },
    created_by: { type: 'string', label: 'Created by', nullable: true, readOnly: true },
    date_created: { type: 'datetime', label: 'Created', readOnly: true },
    date_updated: { type: 'datetime', label: 'Updated', readOnly: true },
    org_id: { type: 'string', label: 'Organization', readOnly: true },
    org_name: { type: 'string', label: 'Organization name', readOnly: true },
  },
  search: ['name', 'comment'],
  filters: ['name', 'domain'],
  ordering: ['name', 'date_created'],
  defaultOrder: ['name'],
})
export type HostAuthority = Row<typeof hostAuthority>
export type HostAuthorityDraft = Draft<typeof hostAuthority>
