import { type Draft, defineResource, type Row } from '../../define.ts'
import { BULK, CRUD, FILES } from '../../operations.ts'

export const commandFilter = defineResource({
  name: 'command_filter',
  path: '/api/v1/assets/cmd-filters/',
  label: 'Command filter',
  scope: 'org',
  bearsRights: true,
  operations: [...CRUD, ...BULK, ...FILES],
  permission: { list: ['org_admin'], write: ['org_admin'] },
  display: '{name}',
  fields: {
    id: { type: 'uuid', label: 'ID' },
    name: { type: 'string', label: 'Name', required: true, maxLength: 64, unique: 'org' },
    org_id: { type: 'string', label: 'Organization', readOnly: true },
    org_name: { type: 'string', label: 'Organization name', readOnly: true },
    is_active: { type: 'boolean', label: 'Active', default: true },
    date_created: { type: 'datetime', label: 'Created', readOnly: true },
    date_updated: { type: 'datetime', label: 'Updated', readOnly: true },
    comment: { type: 'text', label: 'Comment', default: '' },
    created_by: { type: 'string', label: 'Created by', maxLength: 128, default: '' },
    rules: { type: 'refs', label: 'Rules', readOnly: true, to: 'command_filter_rule' },
    users: { type: 'refs', label: 'User', to: 'user' },
    user_groups: { type: 'refs', label: 'User group', to: 'user_group' },
    system_users: { type: 'refs', label: 'System user', to: 'system_user' },
    assets: { type: 'refs', label: 'Asset', to: 'asset' },
    applications: { type: 'refs', label: 'Application', to: 'application' },
  },
  mini: ['id', 'name'],
  search: ['name'],
  filters: ['name'],
  ordering: '*',
  defaultOrder: ['name'],
})
export type CommandFilter = Row<typeof commandFilter>
export type CommandFilterDraft = Draft<typeof commandFilter>
