import { type Draft, defineResource, type Row } from '../../define.ts'
import { CRUD } from '../../operations.ts'

export const accessKey = defineResource({
  name: 'access_key',
  path: '/api/v1/authentication/access-keys/',
  label: 'API Key',
  scope: 'self',
  operations: [...CRUD],
  permission: { list: ['authenticated'], write: ['authenticated'] },
  display: '{id}',
  fields: {
    id: { type: 'uuid', label: 'AccessKeyID', readOnly: true },
    secret: { type: 'uuid', label: 'AccessKeySecret', readOnly: true },
    is_active: { type: 'boolean', label: 'Active', default: true },
    date_created: { type: 'datetime', label: 'Created', readOnly: true },
    ip_group: {
      type: 'strings',
      label: 'Addresses',
      helpText: 'Where requests may come from: addresses, networks and ranges; * is everywhere',
      minItems: 1,
      maxItems: 100,
      default: ['*'],
    },
    date_last_used: { type: 'datetime', label: 'Last used', nullable: true, readOnly: true },
  },
  search: ['id'],
  filters: [],
  ordering: ['id', 'is_active', 'date_created'],
  defaultOrder: ['-date_created'],
})
export type AccessKey = Row<typeof accessKey>
export type AccessKeyDraft = Draft<typeof accessKey>
