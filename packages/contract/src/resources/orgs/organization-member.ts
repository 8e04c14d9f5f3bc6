import { type Draft, defineResource, type Row } from '../../define.ts'
import { BULK, CRUD } from '../../operations.ts'

export const organizationMember = defineResource({
  name: 'organization_member',
  path: '/api/v1/orgs/org-member-relation/',
  label: 'Organization member',
  scope: 'global',
  bearsRights: true,
  operations: [...CRUD, ...BULK],
  needsLicense: true,
  permission: { list: ['super_admin', 'component'], write: ['super_admin', 'component'] },
  display: '{user}-{org}-{role}',
  fields: {
    id: { type: 'uuid', label: 'ID' },
    role: {
      type: 'choice',
      label: 'Role',
      choices: { Admin: 'Organization administrator', Auditor: 'Organization auditor', User: 'User' },
      default: 'User',
    },
    role_display: { type: 'string', label: 'Role name', readOnly: true },
    org: { type: 'ref', label: 'Organization', required: true, to: 'organization' },
    user: { type: 'ref', label: 'User', required: true, to: 'user' },
    org_display: { type: 'string', label: 'Organization name', readOnly: true },
    user_display: { type: 'string', label: 'User display', readOnly: true },
    /** An extension: the source that gave it by a group mapping; empty where somebody here did. */
    given_by: { type: 'string', label: 'Given by', readOnly: true },
  },
  search: [],
  filters: [
    { name: 'id', match: 'custom', hidden: true },
    { name: 'org_id', match: 'custom', hidden: true },
    { name: 'user_id', match: 'custom', hidden: true },
    'org',
    'user',
    'role',
  ],
  ordering: '*',
  defaultOrder: ['id'],
})
export type OrganizationMember = Row<typeof organizationMember>
export type OrganizationMemberDraft = Draft<typeof organizationMember>
