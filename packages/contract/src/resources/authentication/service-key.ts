import { type Draft, defineResource, type Row } from '../../define.ts'
import { CRUD } from '../../operations.ts'

/** A key of a service identity. An extension: the contract has none. */
export const serviceKey = defineResource({
  name: 'service_key',
  path: '/api/v1/authentication/service-keys/',
  label: 'Service key',
  scope: 'org',
  operations: [...CRUD],
  permission: { list: ['org_admin'], write: ['org_admin'] },
  display: '{name} (…{ending})',
  fields: {
    id: { type: 'uuid', label: 'ID', readOnly: true },
    identity: { type: 'ref', label: 'Service identity', to: 'service_identity', required: true },
    name: {
      type: 'string',
      label: 'Name',
      helpText: 'Where the key is kept, such as build server 2027',
      required: true,
      maxLength: 64,
    },
    is_active: { type: 'boolean', label: 'Active', default: true },
    date_expired: { type: 'datetime', label: 'Expires', nullable: true, default: 'now+365' },
    /** Answered by the call that makes it, and never again. */
    token: { type: 'string', label: 'Key value', nullable: true, readOnly: true },
    ending: { type: 'string', label: 'Ends with', readOnly: true },
    date_last_used: { type: 'datetime', label: 'Last used', nullable: true, readOnly: true },
    last_addr: { type: 'string', label: 'Last address', readOnly: true },
    created_by: { type: 'string', label: 'Created by', nullable: true, readOnly: true, maxLength: 30 },
    date_created: { type: 'datetime', label: 'Created', readOnly: true },
    org_id: { type: 'string', label: 'Organization', readOnly: true },
    org_name: { type: 'string', label: 'Organization name', readOnly: true },
  },
  mini: ['id', 'name'],
  search: ['name', 'ending'],
  filters: ['identity', 'name', 'is_active'],
  ordering: ['name', 'date_created', 'date_last_used'],
  defaultOrder: ['-date_created'],
})
export type ServiceKey = Row<typeof serviceKey>
export type ServiceKeyDraft = Draft<typeof serviceKey>
