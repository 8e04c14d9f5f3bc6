import { defineResource, type Row } from '../../define.ts'

const roles = {
  type: 'multichoice',
  label: 'Organization roles',
  choices: { Admin: 'Organization administrator', Auditor: 'Organization auditor', User: 'User' },
  readOnly: true,
} as const
/** Name(username), as it was then. */
const invited_by = { type: 'string', label: 'Invited by', named: true, readOnly: true } as const
const date_created = { type: 'datetime', label: 'Created', readOnly: true } as const
const date_expired = { type: 'datetime', label: 'Valid until', readOnly: true } as const

/**
 * People whom the organization's administrators have invited, and who are no members until they
 * accept. An extension: in the contract an invitation is a membership.
 */
export const organizationInvitation = defineResource({
  name: 'organization_invitation',
  path: '/api/v1/orgs/invitations/',
  label: 'Organization invitation',
  scope: 'org',
  operations: ['list'],
  permission: { list: ['org_admin'], write: ['org_admin'] },
  display: '{user_display}',
  fields: {
    id: { type: 'uuid', label: 'ID', readOnly: true },
    user: { type: 'ref', label: 'User', to: 'user', readOnly: true },
    user_display: { type: 'string', label: 'User display', named: true, readOnly: true },
    roles,
    status: {
      type: 'choice',
      label: 'Status',
      choices: { pending: 'Pending', declined: 'Declined' },
      readOnly: true,
    },
    status_display: { type: 'string', label: 'Status', readOnly: true },
    invited_by,
    date_created,
    date_expired,
    org_id: { type: 'string', label: 'Organization', readOnly: true },
    org_name: { type: 'string', label: 'Organization name', readOnly: true },
  },
  search: ['invited_by'],
  filters: ['status'],
  ordering: ['date_created', 'date_expired'],
  defaultOrder: ['-date_created'],
})
export type OrganizationInvitation = Row<typeof organizationInvitation>

/** Where the caller is invited to. */
export const ownInvitation = defineResource({
  name: 'own_invitation',
  path: '/api/v1/orgs/own-invitations/',
  label: 'Organization invitation',
  scope: 'self',
  operations: ['list'],
  permission: { list: ['authenticated'], write: ['authenticated'] },
  display: '{organization}',
  fields: {
    id: { type: 'uuid', label: 'ID', readOnly: true },
    organization: { type: 'string', label: 'Organization', readOnly: true },
    roles,
    invited_by,
    date_created,
    date_expired,
  },
  search: [],
  filters: [],
  ordering: ['date_created', 'date_expired'],
  defaultOrder: ['-date_created'],
})
export type OwnInvitation = Row<typeof ownInvitation>
