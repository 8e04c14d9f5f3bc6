/** A key that works from some addresses only makes nothing that would open a way in from others. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { settingsOf } from '../../src/domains/settings/index.ts'
import type { RegisteredRoute } from '../../src/kernel/access/guard.ts'
import { ADMIN_PASSWORD, type Caller, openTestServer, type TestServer } from '../server.ts'
import { signed } from '../signed.ts'
import { callOf, makeOthers, takenBy } from './foreign-ids.ts'
import { makeOneOfEach, type OneOfEach, type Row } from './one-of-each.ts'

const KEYS = '/api/v1/authentication/access-keys/'
const HERE = '127.0.0.1'
const PUBLIC_KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGzLvXo1pIvmVvRRlEvEr4eFl0xqT6QkqZ2b9m0cJxVt me@home'

let made = 0
/** One that nobody has had before. */
const newPassword = () => `Another-door-${made++}`

/** What makes a credential of a body, beside what a call needs. */
function secrets(): Row {
  const password = newPassword()
  return {
    password,
    password_strategy: 'custom',
    new_password: password,
    new_password_again: password,
    old_password: ADMIN_PASSWORD,
    public_key: PUBLIC_KEY,
  }
}
/** Where the caller says who comes in. */
const SIGN_IN = /\/(tokens|auth|sso\/login-url)\/$/
const CALLER: Row = { username: 'admin', password: ADMIN_PASSWORD }
/** Calls that take people away, or the caller's own sign-in, and those that wait for servers elsewhere. */
const NOT_WALKED = /logout|\/remove\/|\/(testing|test-connective|test|tasks|run|retry)\/|\/testing\//

/** Domains all of whose tables say who comes in, and how. */
const WAYS_IN = /^(authentication|users|orgs|settings)_|^acls_login_acl/
/** What else looks like a credential, wherever it is kept. */
const CREDENTIAL = /token|secret|password|_sealed|_hash|verify_code/
/** Credentials that open a target, for everybody who is signed in; and records of past actions. */
const NO_WAY_IN =
  /^(assets|applications|accounts|cloud|ops|kernel|audits)_|^terminal_(replay|command)_storage$|^acls_login_asset/
/** What changes by every call, or tells nothing of how somebody comes in, by table. */
const UNIMPORTANT: Readonly<Record<string, RegExp>> = {
  authentication_session: /^date_|^state$/,
  authentication_bearer_token: /^date_/,
  authentication_access_key: /^date_/,
  users_user:
    /^(secret_key_sealed|wechat|comment|name|language|is_first_login|guide_dismissed_in|last_login|looks|created_by|public_key_comment|date_password_last_updated|need_update_password)$/,
}
/** Tables without anything by which somebody could come in, and why. */
const HARMLESS: Readonly<Record<string, string>> = {
  users_user_group: 'groups are granted targets, which ask for a sign-in',
  users_user_group_user: 'groups are granted targets, which ask for a sign-in',
  users_list_view: 'how a person likes to see lists',
  orgs_organization: 'an organization has nobody in it at first',
  authentication_used_signature: 'each signed call is remembered',
  authentication_agent_use: 'how much agents have used',
  authentication_flash_message: 'words for a page',
  authentication_ldap_list: 'what the directory has said',
}
/** Rows that open something by going; of others, such as keys, a way in goes with them. */
const LOCKS = /^(authentication_failure|authentication_passkey|acls_login_acl|settings_setting)/
/** Which rows count, where not all do: who has signed in, and who is locked out elsewhere. */
const COUNTED: Readonly<Record<string, string>> = {
  authentication_session: 'user_id IS NOT NULL',
  authentication_failure: `remote_addr <> '${HERE}'`,
}

interface Key {
  id: string
  secret: string
}

let server: TestServer
let own: OneOfEach
let third: Caller
/** Keys of the administrator: of this address alone, and of any. */
let limited: Key
let free: Key
/** Another organization. */
let organization: string
/** A person in the organization, whose credentials the caller could change. */
let other: Caller

beforeAll(async () => {
  // Without the jobs, which clear away what has ended.
  server = await openTestServer({ SALLYPORT_ROLES: 'api,gateway' })
  await settingsOf(server.kernel).set('AUTH_SSO', true)
  other = await server.aPerson('other')
  own = { ...(await makeOneOfEach(server, server.admin)), user: { id: other.id } }
  third = await server.aPerson('third')
  limited = (await server.admin.post(KEYS, { ip_group: [HERE] })).body
  free = (await server.admin.post(KEYS)).body
  organization = await server.anOrg('another')
  await makeOthers(server.kernel.routes, own, server.admin.post)
  const grant = await server.admin.patch(`/api/v1/perms/asset-permissions/${own.asset_permission?.id}/`, {
    users: [server.admin.id],
    assets: [own.asset?.id],
    system_users: [own.system_user?.id],
  })
  expect(grant.status).toBe(200)
  const { pool } = server.kernel
  const member = { org: await server.anOrg('third'), user: other.id, role: 'User' }
  own.organization_member = (await server.admin.post('/api/v1/orgs/org-member-relation/', member)).body
  await pool.query(`UPDATE users_user SET otp_secret_sealed = 'x' WHERE id = $1`, [other.id])
  await pool.query(
    `INSERT INTO authentication_failure (kind, username, remote_addr, failures, date_expired)
     SELECT 'login', username, '10.1.1.1', 9, now() + interval '1 day' FROM users_user WHERE id = $1`,
    [other.id],
  )
})
afterAll(() => server?.close())

/** A row, or what of it says how somebody comes in. */
interface Way {
  table: string
  line: string
  /** It works from the addresses of the limited key alone, or lets nobody in by itself. */
  isLimited: boolean
}

let columns: Map<string, string[]>
/** From the database itself, so that a table or column that is new counts as well. */
async function readColumns(): Promise<Map<string, string[]>> {
  const { rows } = await server.kernel.pool.query<{ table_name: string; column_name: string }>(
    `SELECT c.table_name, c.column_name FROM information_schema.columns c
     JOIN information_schema.tables t USING (table_schema, table_name)
     WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE' ORDER BY 1, 2`,
  )
  const found = new Map<string, string[]>()
  for (const [table, all] of Map.groupBy(rows, (row) => row.table_name)) {
    if (HARMLESS[table] || NO_WAY_IN.test(table)) continue
    const names = all.map((row) => row.column_name)
    const isMeant = WAYS_IN.test(table) || names.some((name) => CREDENTIAL.test(name))
    if (isMeant)
      found.set(
        table,
        names.filter((name) => !UNIMPORTANT[table]?.test(name)),
      )
  }
  return found
}

async function waysIn(): Promise<Map<string, Way>> {
  const all = [...columns].map(([table, names]) => {
    const limit = names.includes('ip_group') ? `ip_group = '{${HERE}}'` : 'false'
    // A member of an organization who does not administer it makes no way in for anybody.
    const isPlain = /^orgs_(member|invitation)$/.test(table) ? `to_jsonb(t)::text NOT LIKE '%"Admin"%'` : 'false'
    const kept = names.map((name) => `'${name}', t."${name}"`).join(', ')
    return `SELECT '${table}' AS "table", md5(jsonb_build_object(${kept})::text) AS line, (${limit} OR ${isPlain}) AS "isLimited" FROM ${table} t WHERE ${COUNTED[table] ?? 'true'}`
  })
  const { rows } = await server.kernel.pool.query<Way>(all.join(' UNION ALL '))
  return new Map(rows.map((row) => [`${row.table} ${row.line}`, row]))
}

/** Tables in which something opens that did not before. */
function opened(before: Map<string, Way>, after: Map<string, Way>): string[] {
  const made = [...after].flatMap(([key, { table, isLimited }]) => (before.has(key) || isLimited ? [] : [table]))
  const gone = [...before].flatMap(([key, { table }]) => (after.has(key) || !LOCKS.test(table) ? [] : [table]))
  return [...new Set([...made, ...gone])]
}

const isWriting = ({ method, url, config }: RegisteredRoute) =>
  /POST|PUT|PATCH/.test(method) ||
  (method === 'GET' && config.changesOnGet !== undefined) ||
  // What else is taken away would be missed by the calls that follow.
  (method === 'DELETE' && url.includes('/login-acls/:id/'))

/** The input with which a call does something, where the required fields are not enough. */
const BODIES: Readonly<Record<string, () => Row | Row[]>> = {
  'PUT /api/v1/settings/setting/': () => ({ SITE_URL: 'https://put.example.com', ANNOUNCEMENT: {} }),
  'PATCH /api/v1/settings/setting/': () => ({ SITE_URL: 'https://patched.example.com' }),
  'PUT /api/v1/users/users/:id/': () => ({ name: 'other', username: 'other', email: 'put@example.com' }),
  'PATCH /api/v1/users/users/:id/': () => ({ email: 'patched@example.com' }),
  'PUT /api/v1/users/users/': () => [{ id: other.id, name: 'other', username: 'other', email: 'puts@example.com' }],
  'PATCH /api/v1/users/users/': () => [{ id: other.id, email: 'patches@example.com' }],
  'POST /api/v1/orgs/org-member-relation/': () => ({ org: organization, user: other.id, role: 'Admin' }),
  'PUT /api/v1/orgs/org-member-relation/': () => [{ ...own.organization_member, role: 'Auditor' }],
  'PATCH /api/v1/orgs/org-member-relation/': () => [{ id: own.organization_member?.id, role: 'Admin' }],
  'PUT /api/v1/orgs/org-member-relation/:id/': () => ({ ...own.organization_member, role: 'Auditor' }),
  'PATCH /api/v1/orgs/org-member-relation/:id/': () => ({ role: 'Admin' }),
  'POST /api/v1/users/users/invite/': () => [{ user: other.id, role: 'Admin' }],
}

interface Called {
  route: string
  status: number
  code: unknown
  opens: string[]
}

/** Calls every route that changes something, and looks after each what it has opened. */
async function walk(key: Key, leaveOut?: string): Promise<Called[]> {
  const called: Called[] = []
  let before = await waysIn()
  const routes = server.kernel.routes.filter((route) => isWriting(route) && !NOT_WALKED.test(route.url))
  for (const route of routes.toSorted((a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'))) {
    if (route.url === leaveOut) continue
    const taken = takenBy(route)
    const wanted = {
      ...(SIGN_IN.test(route.url) ? CALLER : secrets()),
      ...(route.url.includes('connection-token') ? { asset: own.asset?.id } : {}),
    }
    const named = Object.fromEntries(Object.entries(wanted).filter(([name]) => name in taken))
    const { address, body } = callOf(own, route, {}, named)
    const { status, body: answer } = await server.call(route.method, address, {
      headers: signed(address, key, route.method.toLowerCase()),
      ...(/GET|DELETE/.test(route.method) ? {} : { body: BODIES[`${route.method} ${route.url}`]?.() ?? body }),
    })
    const after = await waysIn()
    called.push({
      route: `${route.method} ${route.url}`,
      status,
      code: answer?.code,
      opens: opened(before, after),
    })
    before = after
  }
  return called
}

test('the creations of a key that is limited to addresses are limited to them, or refused, at every route', async () => {
  columns = await readColumns()
  const before = await waysIn()
  const byLimited = await walk(limited)
  expect(byLimited.flatMap(({ route, opens }) => (opens.length ? [`${route} ${opens}`] : []))).toEqual([])
  const made = [...(await waysIn())].flatMap(([key, { table }]) => (before.has(key) ? [] : [table]))
  for (const table of ['access_key', 'connection_token', 'bearer_token'])
    expect(made).toContain(`authentication_${table}`)
  // The same calls with another key open ways in, which the walk finds. A new password of the caller
  // would switch that key off.
  const freely = await walk(free, '/api/v1/users/profile/password/')
  const byFree = freely.filter(({ opens }) => opens.length)
  const refused = byLimited.filter(({ status, code }) => status === 403 && code === 'key_limited_to_addresses')
  const found = new Set(byFree.map(({ route }) => route))
  for (const route of OPENING) expect(found).toContain(route)
  const unreached = freely.filter(({ route, status }) => status >= 300 && AROUND_SIGN_IN.test(route))
  const isNamed = (route: string) => NOT_REACHED.some(([place]) => place.test(route))
  expect(unreached.flatMap(({ route, status }) => (isNamed(route) ? [] : [`${route} ${status}`]))).toEqual([])
  // Each of them was refused in clear words, but for what carries the limit or takes a key away.
  const clear = new Set(refused.map(({ route }) => route))
  expect([...found].filter((route) => !clear.has(route) && !CARRIES_LIMIT.test(route))).toEqual([])
})

const CARRIES_LIMIT = /\/(tokens|auth|access-keys|connection-token|client-url|kubeconfig|file|pubkey\/reset)\//

/** Where somebody could come to by signing in, and why the walk does not bring about what a call does. */
const AROUND_SIGN_IN = /^\S+ (\/api\/v1\/(users|authentication|orgs|settings|acls\/login-acls)|\/core\/auth)\//
const NOT_REACHED: readonly (readonly [RegExp, string])[] = [
  [/render-to-json|import-jobs/, 'rows of a file are stored by the rules of single calls'],
  [/\/org\/|\/org\/\*/, 'leads on to the address of today'],
  [/registrations\/|secret-info/, 'is for components, whose keys have no limit'],
  [
    /browser-sign-ins|agent-programs|passkeys?\/|\/mfa\/|\/otp\/|password\/(verify|forgot|reset)\//,
    'asks for a browser or a second proof',
  ],
  [/unbind|\/bind\/start|callback|workload-tokens|\/oauth\/|providers\/discover/, 'asks for a provider'],
  [
    /own-invitations|users-groups-relations|secret-key|\/ldap\/|\/core\/auth\/login\//,
    'wants its own row, or a directory',
  ],
  [/\/directories\/(test|:id\/(test-sign-in|users\/import))\/$/, 'asks a directory'],
  [/kubeconfig|rdp\/file|pubkey\/update|profile\/password/, 'by the code of another address'],
]

const OPENING = [
  'POST /api/v1/users/users/',
  'PATCH /api/v1/users/users/:id/',
  'PUT /api/v1/users/users/:id/password/',
  'PUT /api/v1/users/users/:id/password/reset/',
  'PUT /api/v1/users/users/:id/unblock/',
  'GET /api/v1/users/users/:id/mfa/reset/',
  'POST /api/v1/users/users/invite/',
  'PUT /api/v1/users/profile/public-key/',
  'GET /core/auth/profile/pubkey/generate/',
  'POST /api/v1/authentication/sso/login-url/',
  'POST /api/v1/authentication/access-keys/',
  'POST /api/v1/authentication/connection-token/',
  'POST /api/v1/acls/login-acls/',
  'DELETE /api/v1/acls/login-acls/:id/',
  'PATCH /api/v1/settings/setting/',
  'POST /api/v1/orgs/org-member-relation/',
  'PATCH /api/v1/orgs/org-member-relation/:id/',
  'POST /api/v1/orgs/orgs/:org_id/membership/admins/',
]

test('a limited key of an administrator still changes what nobody signs in by, and shuts people out', async () => {
  const address = `/api/v1/users/users/${third.id}/`
  const patch = (body: Row) => server.call('PATCH', address, { headers: signed(address, limited, 'patch'), body })
  for (const body of [{ name: 'Third', comment: 'of the third row' }, { username: 'third' }, { is_active: false }])
    expect((await patch(body)).status).toBe(200)
  const { status, body } = await patch({ is_active: true })
  expect([status, body.code]).toEqual([403, 'key_limited_to_addresses'])
})
