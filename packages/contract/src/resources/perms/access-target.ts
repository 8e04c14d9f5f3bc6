import { defineResource, type Row } from '../../define.ts'
import { ACCESS_FIELDS, type AccessPath } from './access-person.ts'

/**
 * The targets on which somebody can open a session now, and by what paths: of a person, or by a
 * permission. One of `user_id` and `permission_id` must be given.
 */
export const accessTarget = defineResource({
  name: 'access_target',
  path: '/api/v1/perms/access-targets/',
  label: 'Target within reach',
  scope: 'org',
  operations: ['list', 'export'],
  permission: { list: ['org_admin'], write: [] },
  display: '{name}',
  fields: {
    id: { type: 'uuid', label: 'ID', readOnly: true },
    family: {
      type: 'choice',
      label: 'Family',
      choices: { asset: 'Asset', application: 'Application' },
      readOnly: true,
    },
    category: { type: 'string', label: 'Category', readOnly: true, nullable: true },
    name: { type: 'string', label: 'Name', readOnly: true },
    address: { type: 'string', label: 'Address', readOnly: true },
    kind: { type: 'string', label: 'Platform', readOnly: true },
    ...ACCESS_FIELDS,
    org_id: { type: 'string', label: 'Organization', readOnly: true },
    org_name: { type: 'string', label: 'Organization name', readOnly: true },
  },
  search: ['name', 'address'],
  filters: [
    { name: 'user_id', match: 'custom', hidden: true },
    { name: 'permission_id', match: 'custom', hidden: true },
    'family',
    'name',
    'address',
  ],
  ordering: ['name', 'address', 'family'],
  defaultOrder: ['name'],
  exportColumns: ['name', 'address', 'kind', 'accounts', 'ways', 'date_expired', 'org_name'],
})
export type AccessTarget = Omit<Row<typeof accessTarget>, 'paths'> & { paths: AccessPath[] }
