import { type Draft, defineResource, type Row } from '../../define.ts'

/** How many keys of an organization may certify or still be trusted at the same time. */
export const MAX_LIVE_AUTHORITIES = 3

/**
 * Keys of an organization that certify its logins on machines (docs/ssh-certificates.md). The newest
 * certifies; earlier ones are still accepted where the newest is not there yet, until they are retired.
 */
export const sshAuthority = defineResource({
  name: 'ssh_authority',
  path: '/api/v1/assets/ssh-authorities/',
  label: 'SSH certificate authority',
  scope: 'org',
  operations: ['list', 'create', 'retrieve', 'update', 'partial_update'],
  permission: { list: ['org_admin'], write: ['org_admin'] },
  display: 'v{version}',
  fields: {
    id: { type: 'uuid', label: 'ID' },
    version: { type: 'integer', label: 'Version', readOnly: true },
    state: {
      type: 'choice',
      label: 'State',
      choices: { current: 'Current', retiring: 'Still trusted', retired: 'Retired' },
      readOnly: true,
    },
    public_key: { type: 'text', label: 'Public key', readOnly: true },
    fingerprint: { type: 'string', label: 'Fingerprint', readOnly: true },
    source_addresses: {
      type: 'strings',
      label: 'Source addresses',
      maxItems: 64,
      helpText:
        'Addresses and networks from which machines see Sallyport and its SSH gateways, such as 10.0.0.0/24: certificates are good from there alone; empty is anywhere',
    },
    assets_amount: { type: 'integer', label: 'Number of assets', readOnly: true },
    date_retired: { type: 'datetime', label: 'Date retired', nullable: true, readOnly: true },
    comment: { type: 'text', label: 'Comment', default: '' },
    created_by: { type: 'string', label: 'Created by', nullable: true, readOnly: true },
    date_created: { type: 'datetime', label: 'Created', readOnly: true },
    date_updated: { type: 'datetime', label: 'Updated', readOnly: true },
    org_id: { type: 'string', label: 'Organization', readOnly: true },
    org_name: { type: 'string', label: 'Organization name', readOnly: true },
  },
  search: ['comment', 'public_key'],
  filters: [],
  ordering: ['version', 'date_created'],
  defaultOrder: ['-version'],
})
export type SshAuthority = Row<typeof sshAuthority>
export type SshAuthorityDraft = Draft<typeof sshAuthority>
