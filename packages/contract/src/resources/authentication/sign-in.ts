import { defineResource, type Row } from '../../define.ts'

/** What somebody can be signed in with. */
const SIGN_IN_KINDS = {
  browser: 'Browser',
  token: 'API token',
  private_token: 'Private token',
  ssh: 'SSH connection',
  /** A terminal opened by such a token. */
  connection_token: 'Connection token',
  database: 'Database client',
  desktop: 'Desktop client',
  /** A confirmation in a browser that holds on for a key at an address. */
  browser_hold: 'Confirmed key',
  /** A program that the person has connected, which then signs in by itself. */
  agent: 'Connected agent',
} as const

const fields = {
  id: { type: 'uuid', label: 'ID', readOnly: true },
  kind: { type: 'choice', label: 'Type', choices: SIGN_IN_KINDS, readOnly: true },
  kind_display: { type: 'string', label: 'Type', readOnly: true },
  browser: { type: 'string', label: 'Browser', readOnly: true },
  system: { type: 'string', label: 'Operating system', readOnly: true },
  user_agent: { type: 'string', label: 'User agent', readOnly: true },
  /** For a private token, where it was last used; empty until then. */
  remote_addr: { type: 'string', label: 'Address', readOnly: true },
  city: { type: 'string', label: 'City', readOnly: true },
  date_created: { type: 'datetime', label: 'Signed in', readOnly: true },
  /** To the minute; null for a private token that was never used. */
  date_last_seen: { type: 'datetime', label: 'Last seen', nullable: true, readOnly: true },
  /** The end of a confirmation that holds for a key, and of a connected agent; null for the others. */
  date_expired: { type: 'datetime', label: 'Valid until', nullable: true, readOnly: true },
  /** Whether the call came with it. */
  is_current: { type: 'boolean', label: 'This browser', readOnly: true },
} as const

const shared = {
  label: 'Sign-in',
  operations: ['list', 'destroy'],
  display: '{remote_addr}',
  fields,
  search: [],
  filters: ['kind'],
  ordering: ['kind', 'remote_addr', 'date_created', 'date_last_seen'],
  defaultOrder: ['-date_last_seen', '-date_created'],
} as const

/**
 * The caller's sign-ins: browsers, bearer tokens, the private token, SSH connections, connected agents.
 * Deleting a row signs out there. An extension: the contract has no such list.
 */
export const signIn = defineResource({
  name: 'sign_in',
  ...shared,
  path: '/api/v1/authentication/sessions/',
  scope: 'self',
  permission: { list: ['authenticated'], write: ['authenticated'] },
})
export type SignIn = Row<typeof signIn>

/**
 * The same for another person, for administrators and auditors of an organization that this person
 * belongs to.
 */
export const userSignIn = defineResource({
  name: 'user_sign_in',
  ...shared,
  path: '/api/v1/users/users/:user_id/sessions/',
  scope: 'global',
  permission: { list: ['org_auditor'], write: ['org_admin'] },
})

/** The same for everybody in an organization. */
export const orgSignIn = defineResource({
  name: 'org_sign_in',
  ...shared,
  path: '/api/v1/audits/sign-ins/',
  scope: 'global',
  permission: { list: ['org_auditor'], write: ['org_admin'] },
  fields: {
    user: { type: 'string', label: 'User', named: true, readOnly: true },
    user_id: { type: 'uuid', label: 'User ID', readOnly: true },
    ...fields,
  },
  search: ['user', 'remote_addr', 'user_agent'],
  filters: ['user', 'user_id', 'remote_addr', 'kind'],
  ordering: ['user', ...shared.ordering],
})
export type OrgSignIn = Row<typeof orgSignIn>
