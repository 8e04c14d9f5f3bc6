import { defineResource, type Row } from '../../define.ts'
import type { TargetFamily } from '../../target.ts'

interface Named {
  id: string
  name: string
}

/** A way by which a person reaches a target now: one permission, one end at each side of it. */
export interface AccessPath {
  /** Null in a list about a permission's targets. */
  user: Named | null
  /** The group that the permission names; null: the person. */
  user_group: Named | null
  permission: Named & { family: TargetFamily }
  /** The node that the permission names; null: the target. */
  node: Named | null
  /** Null in a list about a permission's people. */
  target: (Named & { family: TargetFamily; category: string | null }) | null
  system_users: Named[]
  /** The only databases of the server; none: all. */
  databases: string[]
  /** ISO 8601. */
  date_expired: string
}

/** What people and targets of the lists of access have. */
export const ACCESS_FIELDS = {
  accounts: { type: 'string', label: 'System users', readOnly: true },
  /** One in a line. */
  ways: { type: 'text', label: 'Paths', readOnly: true },
  date_expired: { type: 'datetime', label: 'Access ends', readOnly: true, nullable: true },
  paths: { type: 'list', label: 'Paths', readOnly: true },
} as const

/**
 * The people who can open a session now, on a target or by a permission, and by what paths. One of
 * `asset_id`, `application_id` and `permission_id` must be given.
 */
export const accessPerson = defineResource({
  name: 'access_person',
  path: '/api/v1/perms/access-people/',
  label: 'Person with access',
  scope: 'global',
  operations: ['list', 'export'],
  permission: { list: ['org_admin'], write: [] },
  display: '{name}({username})',
  fields: {
    id: { type: 'uuid', label: 'ID', readOnly: true },
    name: { type: 'string', label: 'Name', readOnly: true },
    username: { type: 'string', label: 'Username', readOnly: true },
    ...ACCESS_FIELDS,
  },
  search: ['name', 'username'],
  filters: [
    { name: 'asset_id', match: 'custom', hidden: true },
    { name: 'application_id', match: 'custom', hidden: true },
    { name: 'permission_id', match: 'custom', hidden: true },
    'name',
    'username',
  ],
  ordering: ['name', 'username'],
  defaultOrder: ['name'],
  exportColumns: ['name', 'username', 'accounts', 'ways', 'date_expired'],
})
export type AccessPerson = Omit<Row<typeof accessPerson>, 'paths'> & { paths: AccessPath[] }
