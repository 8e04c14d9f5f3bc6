import { type Draft, defineResource, type Row } from '../../define.ts'
import { CRUD } from '../../operations.ts'

export const organization = defineResource({
  name: 'organization',
  path: '/api/v1/orgs/orgs/',
  label: 'Organization',
  scope: 'global',
  operations: [...CRUD, 'bulk_create', 'bulk_update', 'export'],
  needsLicense: true,
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
        users_amount: { type: 'integer', label: 'Number of users' },
        groups_amount: { type: 'integer', label: 'Number of user groups' },
        assets_amount: { type: 'integer', label: 'Number of assets' },
        nodes_amount: { type: 'integer', label: 'Number of nodes' },
        admin_users_amount: { type: 'integer', label: 'Number of admin users' },
        system_users_amount: { type: 'integer', label: 'Number of system users' },
        domains_amount: { type: 'integer', label: 'Number of domains' },
        gateways_amount: { type: 'integer', label: 'Number of gateways' },
        applications_amount: { type: 'integer', label: 'Number of applications' },
        asset_perms_amount: { type: 'integer', label: 'Number of asset permissions' },
        app_perms_amount: { type: 'integer', label: 'Number of application permissions' },
      },
    },
    is_default: { type: 'boolean', label: 'Default', readOnly: true },
    is_root: { type: 'boolean', label: 'Root organization', readOnly: true },
    date_created: { type: 'datetime', label: 'Created', nullable: true, readOnly: true },
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
