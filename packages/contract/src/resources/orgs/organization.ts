import { type Draft, defineResource, type Row } from '../../define.ts'
import { CRUD } from '../../operations.ts'

export const organization = defineResource({
  name: 'organization',
  path: '/api/v1/orgs/orgs/',
  label: 'Organization',
  scope: 'global',
  operations: [...CRUD, 'bulk_create', 'bulk_update', 'export'],
  permission: { list: ['super_admin', 'component'], write: ['super_admin', 'component'] },
  display: '{name}',
  fields: {
    id: { type: 'uuid', label: 'ID' },
    name: { type: 'string', label: 'Name', required: true, maxLength: 128, unique: 'global' },
    resource_statistics: {
      type: 'object',
      label: 'Resource statistics',
      readOnly: true,
      fields: {
        users_amount: { type: 'integer', label: 'Users amount' },
        groups_amount: { type: 'integer', label: 'Groups amount' },
        assets_amount: { type: 'integer', label: 'Assets amount' },
        nodes_amount: { type: 'integer', label: 'Nodes amount' },
        admin_users_amount: { type: 'integer', label: 'Admin users amount' },
        system_users_amount: { type: 'integer', label: 'System users amount' },
        domains_amount: { type: 'integer', label: 'Domains amount' },
        gateways_amount: { type: 'integer', label: 'Gateways amount' },
        applications_amount: { type: 'integer', label: 'Applications amount' },
        asset_perms_amount: { type: 'integer', label: 'Asset perms amount' },
        app_perms_amount: { type: 'integer', label: 'App perms amount' },
      },
    },
    is_default: { type: 'boolean', label: 'Is default', readOnly: true },
    is_root: { type: 'boolean', label: 'Is root', readOnly: true },
    date_created: { type: 'datetime', label: 'Date created', nullable: true, readOnly: true },
    comment: { type: 'text', label: 'Comment', default: '' },
    created_by: { type: 'string', label: 'Created by', nullable: true, readOnly: true, maxLength: 32 },
    users: { type: 'refs', label: 'Users', to: 'user' },
    admins: { type: 'refs', label: 'Admins', to: 'user' },
    auditors: { type: 'refs', label: 'Auditors', to: 'user' },
  },
  search: ['name', 'comment'],
  filters: ['name'],
  ordering: ['name'],
  defaultOrder: ['name'],
})
export type Organization = Row<typeof organization>
export type OrganizationDraft = Draft<typeof organization>
