/** What can't be written into its log does not happen: neither a change nor a sign-in. */
import { DEFAULT_ORG_ID } from '@sallyport/contract/constants.ts'
import type { ResourceDefinition } from '@sallyport/contract/define.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ADMIN_PASSWORD, type Answer, type Caller, openTestServer, PASSWORD, type TestServer } from '../server.ts'
import { draftOf, isWrittenByPeople, makeOneOfEach, type OneOfEach, ofOrganizations } from './one-of-each.ts'

/** Rows that jobs change at their own times, or that count what is refused. */
const OF_THEIR_OWN = new Set([
  'kernel_node',
  'kernel_secret_key_holder',
  'terminal_terminal',
  'authentication_bearer_token',
  'authentication_failure',
  'kernel_row_count',
  'audits_chain',
  'monitor_sample',
  'monitor_alarm',
  'monitor_storage',
])

let server: TestServer
let administrator: Caller
let person: Caller
let rows: OneOfEach

beforeAll(async () => {
  // Without the jobs, which seal the logs by the clock.
  server = await openTestServer({ SALLYPORT_ROLES: 'api,gateway' })
  administrator = await server.aPerson('administrator', { orgRoles: ['Admin'] })
  person = await server.aPerson('somebody')
  rows = await makeOneOfEach(server, administrator)
  await server.kernel.pool.query(`
    CREATE FUNCTION refuse_row() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'the log takes nothing'; END $$;
    CREATE TRIGGER refuse BEFORE INSERT ON audits_operate_log EXECUTE FUNCTION refuse_row();
    CREATE TRIGGER refuse BEFORE INSERT ON audits_login_log EXECUTE FUNCTION refuse_row();`)
})
afterAll(() => server?.close())

/** How many rows each table has, and what they add up to. */
async function contents(): Promise<Record<string, string>> {
  const { pool } = server.kernel
  const { rows: tables } = await pool.query<{ name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1",
  )
  const each = tables
    .filter(({ name }) => !OF_THEIR_OWN.has(name))
    .map(
      ({ name }) =>
        `SELECT '${name}' AS name, count(*) || ' ' || coalesce(sum(hashtextextended(t::text, 0)::numeric), 0) AS sum FROM ${name} t`,
    )
  const { rows: sums } = await pool.query<{ name: string; sum: string }>(each.join(' UNION ALL '))
  return Object.fromEntries(sums.map(({ name, sum }) => [name, sum]))
}

async function refusesWithoutTrace(work: () => Promise<Answer>): Promise<void> {
  const before = await contents()
  const { status, body } = await work()
  expect([status, body]).toEqual([500, expect.anything()])
  expect(await contents()).toEqual(before)
}

const byPeople = ofOrganizations.filter(isWrittenByPeople)
const named = (definitions: ResourceDefinition[]) =>
  definitions.map((definition) => [definition.name, definition] as const)

// An account whose tasks there are is refused before, and so is a review that has begun.
const isRefused = ({ name }: ResourceDefinition) => name === 'cloud_account' || name === 'access_review'
const deleted = byPeople.filter((one) => !isRefused(one) && one.operations.includes('destroy'))
test.each(named(deleted))(
  '%s: a deletion without its line is none, one by one or in bulk',
  async (name, { path, operations }) => {
    await refusesWithoutTrace(() => administrator.delete(`${path}${rows[name]?.id}/`))
    if (operations.includes('bulk_destroy'))
      await refusesWithoutTrace(() => administrator.delete(`${path}?ids=${rows[name]?.id}`))
  },
)

// A link that is put once more is no change.
const changed = byPeople.filter(
  ({ name, operations }) => operations.includes('update') && !/^(asset|application)_permission_.*_relation$/.test(name),
)
test.each(named(changed))('%s: a change without its line is none', async (name, definition) => {
  await refusesWithoutTrace(() =>
    administrator.put(`${definition.path}${rows[name]?.id}/`, draftOf(definition, rows, administrator)),
  )
})

test.each<[string, () => Promise<Answer>]>([
  ['a new row', () => administrator.post('/api/v1/assets/labels/', { name: 'unlogged', value: 'x' })],
  ['a node below another', () => administrator.post(`/api/v1/assets/nodes/${rows.node?.id}/children/`, { value: 'x' })],
  [
    'a new password of a person',
    () => server.admin.put(`/api/v1/users/users/${person.id}/password/`, { password: 'Other-door-7' }),
  ],
  ['an unlocked person', () => administrator.put(`/api/v1/users/users/${person.id}/unblock/`, {})],
  ['an invitation', () => administrator.post('/api/v1/users/users/invite/', { user: server.admin.id, org_roles: [] })],
  ['the own profile', () => person.patch('/api/v1/users/profile/', { comment: 'unlogged' })],
  [
    'the own channels of messages',
    () => person.patch(`/api/v1/notifications/user-msg-subscription/${person.id}/`, { receive_backends: [] }),
  ],
  [
    'the own password of files',
    () => person.put('/api/v1/users/profile/secret-key/', { new_secret_key: 'zip', new_secret_key_again: 'zip' }),
  ],
  ['an own key', () => person.post('/api/v1/authentication/access-keys/', {})],
  [
    'a setting',
    () => server.admin.patch('/api/v1/settings/setting/?category=basic', { SITE_URL: 'https://unlogged.example.com' }),
  ],
  ['cleared secrets', () => administrator.delete(`/api/v1/assets/system-users/${rows.system_user?.id}/auth-info/`)],
  ['an export', () => administrator.get('/api/v1/assets/labels/?format=csv')],
])('%s without its line in the operate log is refused and changes nothing', async (_, work) => {
  await refusesWithoutTrace(work)
})

test('nobody is signed in without a line in the login log, and nobody learns that their password was right', async () => {
  await refusesWithoutTrace(() =>
    server.call('POST', '/api/v1/authentication/tokens/', { body: { username: 'admin', password: ADMIN_PASSWORD } }),
  )
  const signIn = (password: string) =>
    server.call('POST', '/api/v1/authentication/tokens/', {
      body: { username: person.username, password },
      headers: { 'x-jms-org': DEFAULT_ORG_ID },
    })
  const [right, wrong] = [await signIn(PASSWORD), await signIn('Wrong-door-9')]
  expect([right.status, wrong.status]).toEqual([500, 500])
  expect(right.body.code).toBe(wrong.body.code)
})
