import { type Draft, defineResource, type Row } from '../../define.ts'
import { CRUD } from '../../operations.ts'

export const userGroupRelation = defineResource({
  name: 'user_group_relation',
  path: '/api/v1/users/users-groups-relations/',
  label: 'User and group relation',
  scope: 'global',
  bearsRights: true,
  operations: [...CRUD, 'bulk_create', 'bulk_destroy'],
  permission: { list: ['org_admin'], write: ['org_admin'] },
  display: '{usergroup}-{user}',
  fields: {
    id: { type: 'integer', label: 'ID', readOnly: true },
    user: { type: 'ref', label: 'User', required: true, to: 'user' },
    user_display: { type: 'string', label: 'User display', readOnly: true },
    usergroup: { type: 'ref', label: 'User group', required: true, to: 'user_group' },
    usergroup_display: { type: 'string', label: 'User group name', readOnly: true },
    /** An extension: the source that gave it by a group mapping; empty where somebody here did. */
    given_by: { type: 'string', label: 'Given by', readOnly: true },
  },
  search: [],
  filters: ['id', 'user', 'usergroup'],
  ordering: '*',
  defaultOrder: ['id'],
})
export type UserGroupRelation = Row<typeof userGroupRelation>
export type UserGroupRelationDraft = Draft<typeof userGroupRelation>
