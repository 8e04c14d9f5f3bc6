import { defineResource, type Row } from '../../define.ts'

const fields = {
  id: { type: 'uuid', label: 'ID', readOnly: true },
  browser: { type: 'string', label: 'Browser', readOnly: true },
  system: { type: 'string', label: 'Operating system', readOnly: true },
  user_agent: { type: 'string', label: 'User agent', readOnly: true },
  remote_addr: { type: 'string', label: 'Remote addr', readOnly: true },
  city: { type: 'string', label: 'City', readOnly: true },
  date_created: { type: 'datetime', label: 'Signed in', readOnly: true },
  /** To the minute. */
  date_last_seen: { type: 'datetime', label: 'Last seen', readOnly: true },
  /** The browser that asks. */
  is_current: { type: 'boolean', label: 'This browser', readOnly: true },
} as const

const shared = {
  label: 'Sign-in',
  operations: ['list', 'destroy', 'metadata'],
  display: '{remote_addr}',
  fields,
  search: [],
  filters: [],
  ordering: ['date_created', 'date_last_seen'],
  defaultOrder: ['-date_last_seen', '-date_created'],
} as const

/** The browsers in which the caller is signed in; deleting a row signs that one out. An extension of ours: the contract has no such list. */
export const signIn = defineResource({
  name: 'sign_in',
  ...shared,
  path: '/api/v1/authentication/sessions/',
  scope: 'self',
  permission: { list: ['authenticated'], write: ['authenticated'] },
})
export type SignIn = Row<typeof signIn>

/** The same of another person, for who administers or audits an organisation that they belong to. */
export const userSignIn = defineResource({
  name: 'user_sign_in',
  ...shared,
  path: '/api/v1/users/users/:user_id/sessions/',
  scope: 'global',
  permission: { list: ['org_auditor'], write: ['org_admin'] },
})
