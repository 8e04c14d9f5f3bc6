import { type Draft, defineResource, type Row } from '../../define.ts'
import { CRUD } from '../../operations.ts'
import { CLOUD_ATTRS, CLOUD_LABELS } from './cloud-providers.ts'

/** Credentials of Sallyport at a cloud, to read its machines (docs/rules/xpack.md#cloud_account). */
export const cloudAccount = defineResource({
  name: 'cloud_account',
  path: '/api/v1/xpack/cloud/accounts/',
  label: 'Cloud account',
  scope: 'org',
  operations: [...CRUD, 'export'],
  permission: { list: ['org_admin'], write: ['org_admin'] },
  needsLicense: true,
  display: '{name}',
  fields: {
    id: { type: 'uuid', label: 'ID' },
    name: { type: 'string', label: 'Name', required: true, maxLength: 128, unique: 'org' },
    provider: { type: 'choice', label: 'Cloud provider', required: true, choices: CLOUD_LABELS },
    provider_display: { type: 'string', label: 'Cloud name', readOnly: true },
    attrs: { type: 'object', label: 'Attributes', required: true, shapeBy: 'provider', shapes: CLOUD_ATTRS },
    validity: { type: 'boolean', label: 'Keys work', readOnly: true },
    validity_display: { type: 'string', label: 'Keys', readOnly: true },
    comment: { type: 'text', label: 'Comment', default: '' },
    date_created: { type: 'datetime', label: 'Created', readOnly: true },
    created_by: { type: 'string', label: 'Created by', readOnly: true },
    org_id: { type: 'string', label: 'Organization', readOnly: true },
    org_name: { type: 'string', label: 'Organization name', readOnly: true },
  },
  search: ['name'],
  filters: ['name', 'provider', 'validity'],
  ordering: '*',
  defaultOrder: ['name'],
})
export type CloudAccount = Row<typeof cloudAccount>
export type CloudAccountDraft = Draft<typeof cloudAccount>
