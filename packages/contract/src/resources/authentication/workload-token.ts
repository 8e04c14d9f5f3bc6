import { defineResource, type Row } from '../../define.ts'

/** A short token that a workload was given for the one of its provider. An extension: the contract has none. */
export const workloadToken = defineResource({
  name: 'workload_token',
  path: '/api/v1/authentication/workload-tokens/',
  label: 'Workload token',
  scope: 'org',
  operations: ['list', 'retrieve', 'destroy'],
  permission: { list: ['org_admin'], write: ['org_admin'] },
  display: '{subject}',
  fields: {
    id: { type: 'uuid', label: 'ID', readOnly: true },
    identity: { type: 'ref', label: 'Service identity', to: 'service_identity', readOnly: true },
    rule: { type: 'ref', label: 'Trust rule', to: 'trust_rule', readOnly: true },
    subject: { type: 'string', label: 'Subject of the token', readOnly: true },
    remote_addr: { type: 'string', label: 'Address', readOnly: true },
    date_last_used: { type: 'datetime', label: 'Last used', nullable: true, readOnly: true },
    date_expired: { type: 'datetime', label: 'Expires', readOnly: true },
    date_created: { type: 'datetime', label: 'Created', readOnly: true },
    org_id: { type: 'string', label: 'Organization', readOnly: true },
    org_name: { type: 'string', label: 'Organization name', readOnly: true },
  },
  mini: ['id', 'subject'],
  search: ['subject', 'remote_addr'],
  filters: ['identity', 'rule'],
  ordering: ['date_created', 'date_expired'],
  defaultOrder: ['-date_created'],
})
export type WorkloadToken = Row<typeof workloadToken>
