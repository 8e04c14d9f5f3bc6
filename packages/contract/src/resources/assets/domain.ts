import { type Draft, defineResource, type Row } from '../../define.ts'
import { BULK, CRUD, FILES } from '../../operations.ts'

export const domain = defineResource({
  name: 'domain',
  path: '/api/v1/assets/domains/',
  label: 'Domain',
  scope: 'org',
  operations: [...CRUD, ...BULK, ...FILES],
  permission: { list: ['org_admin', 'component'], write: ['org_admin', 'component'] },
  display: '{name}',
  fields: {
    id: { type: 'uuid', label: 'ID' },
    name: { type: 'string', label: 'Name', required: true, maxLength: 128, unique: 'org' },
    comment: { type: 'text', label: 'Comment', default: '' },
    date_created: { type: 'datetime', label: 'Created', readOnly: true },
    asset_count: { type: 'integer', label: 'Number of assets', readOnly: true },
    assets: {
      type: 'refs',
      label: 'Assets',
      helpText: 'They are reached through the gateways of this domain, which are added afterwards',
      to: 'asset',
    },
    application_count: { type: 'integer', label: 'Number of applications', readOnly: true },
    gateway_count: { type: 'integer', label: 'Number of gateways', readOnly: true },
    org_id: { type: 'string', label: 'Organization', readOnly: true },
    org_name: { type: 'string', label: 'Organization name', readOnly: true },
  },
  mini: ['id', 'name'],
  search: ['name'],
  filters: ['name', { name: 'gateway', match: 'custom', hidden: true }],
  ordering: ['name'],
  defaultOrder: ['name'],
})
export type Domain = Row<typeof domain>
export type DomainDraft = Draft<typeof domain>
