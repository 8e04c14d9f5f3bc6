/** A key that works from some addresses only makes nothing that would open a way in from others. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { settingsOf } from '../../src/domains/settings/index.ts'
import type { RegisteredRoute } from '../../src/kernel/access/guard.ts'
import { ADMIN_PASSWORD, type Caller, openTestServer, type TestServer } from '../server.ts'
import { signed } from '../signed.ts'
import { callOf, takenBy } from './foreign-ids.ts'
import { makeOneOfEach, type OneOfEach, type Row } from './one-of-each.ts'

const KEYS = '/api/v1/authentication/access-keys/'
const HERE = '127.0.0.1'
const PUBLIC_KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGzLvXo1pIvmVvRRlEvEr4eFl0xqT6QkqZ2b9m0cJxVt me@home'

/** What makes a credential of a body, beside what a call needs. */
const SECRETS: Row = {
  password: 'Another-door-9',
  password_strategy: 'custom',
  new_password: 'Another-door-9',
  new_password_again: 'Another-door-9',
  old_password: ADMIN_PASSWORD,
  public_key: PUBLIC_KEY,
}
/** Where the caller says who comes in. */
const SIGN_IN = /\/(tokens|auth|sso\/login-url)\/$/
const CALLER: Row = { username: 'admin', password: ADMIN_PASSWORD }
/** Calls that take the other person or their password away, and those that wait for servers elsewhere. */
const NOT_WALKED = /logout|password\/reset|\/(remove|testing|test-connective|test|tasks|run|retry)\/|\/testing\//

let server: TestServer
let own: OneOfEach
/** A person in the organisation, whose credentials the caller could change. */
let other: Caller

beforeAll(async () => {
  // Without the jobs, which clear away what has ended.
  server = await openTestServer({ SALLYPORT_ROLES: 'api,gateway' })
  await settingsOf(server.kernel).set('AUTH_SSO', true)
  other = await server.aPerson('other')
  own = { ...(await makeOneOfEach(server, server.admin)), user: { id: other.id } }
  const grant = await server.admin.patch(`/api/v1/perms/asset-permissions/${own.asset_permission?.id}/`, {
    users: [server.admin.id],
    assets: [own.asset?.id],
    system_users: [own.system_user?.id],
  })
  expect(grant.status).toBe(200)
})
afterAll(() => server?.close())

/** Everything by which somebody could come in, and from where, as lines. */
async function waysIn(): Promise<string[]> {
  const { rows } = await server.kernel.pool.query<{ line: string }>(`
    SELECT 'password of ' || id || ' ' || md5(password_hash) AS line FROM users_user
    UNION ALL SELECT 'public key of ' || id || ' ' || md5(public_key_sealed::text) FROM users_user WHERE public_key_sealed IS NOT NULL
    UNION ALL SELECT 'address of ' || id || ' ' || email || coalesce(phone, '') FROM users_user WHERE username = 'admin'
    UNION ALL SELECT 'API key ' || id || ' from ' || ip_group::text FROM authentication_access_key WHERE is_active
    UNION ALL SELECT 'connection token ' || md5(token_hash) || ' from ' || ip_group::text FROM authentication_connection_token
    UNION ALL SELECT 'bearer token ' || md5(token_hash) || ' from ' || ip_group::text FROM authentication_bearer_token
    UNION ALL SELECT 'session ' || id FROM authentication_session WHERE user_id IS NOT NULL
    UNION ALL SELECT 'private token ' || id FROM authentication_private_token
    UNION ALL SELECT 'passkey ' || id FROM authentication_passkey
    UNION ALL SELECT 'link of SSO ' || md5(key_hash) FROM authentication_sso_token`)
  return rows.map(({ line }) => line)
}

const isWriting = ({ method, config }: RegisteredRoute) =>
  /POST|PUT|PATCH/.test(method) || (method === 'GET' && config.changesOnGet !== undefined)

async function walk(key: { id: string; secret: string }, leaveOut?: string): Promise<void> {
  for (const route of server.kernel.routes) {
    if (!isWriting(route) || NOT_WALKED.test(route.url) || route.url === leaveOut) continue
    const taken = takenBy(route)
    const said = {
      ...(SIGN_IN.test(route.url) ? CALLER : SECRETS),
      ...(route.url.includes('connection-token') ? { asset: own.asset?.id } : {}),
    }
    const named = Object.fromEntries(Object.entries(said).filter(([name]) => name in taken))
    const { address, body } = callOf(own, route, {}, named)
    await server.call(route.method, address, {
      headers: signed(address, key, route.method.toLowerCase()),
      ...(route.method === 'GET' ? {} : { body }),
    })
  }
}

test('what is made with a key that is limited to addresses is limited to them, or refused, at every route', async () => {
  const { body: limited } = await server.admin.post(KEYS, { ip_group: [HERE] })
  const { body: free } = await server.admin.post(KEYS)
  const before = new Set(await waysIn())
  const made = async () => (await waysIn()).filter((line) => !before.has(line))
  await walk(limited)
  const byLimited = await made()
  expect(byLimited.filter((line) => !line.endsWith(` from {${HERE}}`))).toEqual([])
  for (const kind of ['API key', 'connection token', 'bearer token'])
    expect(byLimited.filter((line) => line.startsWith(kind))).not.toEqual([])
  // The same calls with another key make ways in, which the walk finds. A new password of the caller
  // would switch that key off.
  await walk(free, '/api/v1/users/profile/password/')
  const byFree = (await made()).filter((line) => !line.endsWith(` from {${HERE}}`)).join('\n')
  for (const kind of [
    `password of ${other.id}`,
    `public key of ${server.admin.id}`,
    'API key',
    'connection token',
    'link of SSO',
  ])
    expect(byFree).toContain(kind)
})
