import { type Draft, defineResource, type Row } from '../../define.ts'
import { BULK, CRUD, FILES } from '../../operations.ts'

export const userGroup = defineResource({
  name: 'user_group',
  path: '/api/v1/users/groups/',
  label: 'User group',
  scope: 'org',
  bearsRights: true,
  operations: [...CRUD, ...BULK, ...FILES],
  permission: { list: ['org_admin'], retrieve: ['org_admin'], write: ['org_admin'] },
  display: '{name}',
  fields: {
    id: { type: 'uuid', label: 'ID' },
    name: { type: 'string', label: 'Name', required: true, maxLength: 128, unique: 'org' },
    comment: { type: 'text', label: 'Comment' },
    date_created: { type: 'datetime', label: 'Created', nullable: true, readOnly: true },
    created_by: { type: 'string', label: 'Created by', nullable: true, readOnly: true, maxLength: 100 },
    users: { type: 'refs', label: 'User', helpText: 'They have what is permitted to this group', to: 'user' },
    /** An extension: the provider that keeps the group by SCIM; empty for groups of here. */
    managed_by: { type: 'string', label: 'Managed by', readOnly: true },
    /** An extension: ids of the members whom a group mapping gave, and the sources that did; on a single row. */
    given_users: { type: 'strings', label: 'Members from outside', readOnly: true },
    given_by: { type: 'strings', label: 'Members given by', readOnly: true },
    users_amount: { type: 'integer', label: 'Number of users', readOnly: true },
    org_id: { type: 'string', label: 'Organization', readOnly: true },
    org_name: { type: 'string', label: 'Organization name', readOnly: true },
  },
  mini: ['id', 'name'],
  small: ['id', 'name', 'comment', 'date_created', 'created_by'],
  search: ['name'],
  filters: ['name'],
  ordering: ['name'],
  defaultOrder: ['name'],
})
export type UserGroup = Row<typeof userGroup>
export type UserGroupDraft = Draft<typeof userGroup>
