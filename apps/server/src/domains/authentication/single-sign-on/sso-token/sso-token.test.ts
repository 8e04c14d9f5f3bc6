import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestBrowser } from '../../../../../test/browser.ts'
import { type Caller, openTestServer, type TestServer } from '../../../../../test/server.ts'

const ISSUE = '/api/v1/authentication/sso/login-url/'
const PROFILE = '/api/v1/users/profile/'
const SITE = 'https://door.example'

let server: TestServer
let person: Caller
beforeAll(async () => {
  server = await openTestServer()
  person = await server.aPerson('guest')
  await set('basic', { SITE_URL: SITE })
  await set('sso', { AUTH_SSO: true, AUTH_SSO_AUTHKEY_TTL: 60 })
})
afterAll(() => server?.close())

async function set(category: string, values: Record<string, unknown>) {
  const { status, body } = await server.admin.patch(`/api/v1/settings/setting/?category=${category}`, values)
  expect([status, body]).toMatchObject([200, values])
}

/** A fresh link, as the browser asks for it. */
async function aLink(next?: string, username = 'guest'): Promise<string> {
  const { status, body } = await server.admin.post(ISSUE, { username, ...(next ? { next } : {}) })
  expect(status).toBe(200)
  expect(body.login_url.startsWith(`${SITE}/api/v1/authentication/sso/login/?authkey=`)).toBe(true)
  return body.login_url.slice(SITE.length)
}

/** Follows a link with a browser of its own; answers where it led and who is signed in then. */
async function follow(link: string, method = 'GET') {
  const browser = openTestBrowser(server)
  const { status, headers } = await browser.call(method, link)
  const { body } = await browser.call('GET', PROFILE)
  return { status, to: headers.location, who: body.username as string | undefined }
}

const newestLogin = async () =>
  (await server.admin.in('root').get('/api/v1/audits/login-logs/?limit=1')).body.results[0]

test('only a system administrator gets links, only while SSO is on, and only for people who exist', async () => {
  await set('sso', { AUTH_SSO: false })
  expect(await server.admin.post(ISSUE, { username: 'guest' })).toMatchObject({
    status: 400,
    body: { code: 'sso_auth_closed' },
  })
  await set('sso', { AUTH_SSO: true })
  expect((await (await server.aPerson('member')).post(ISSUE, { username: 'guest' })).status).toBe(403)
  expect((await server.admin.post(ISSUE, { username: 'nobody' })).status).toBe(404)
  expect(await server.admin.post(ISSUE, {})).toMatchObject({ status: 400, body: { username: [expect.any(String)] } })
  const component = await server.call('POST', '/api/v1/users/service-account-registrations/', {
    body: { name: 'machine' },
    headers: { authorization: 'BootstrapToken bootstrap-token-of-tests' },
  })
  expect(component.status).toBe(201)
  expect((await server.admin.post(ISSUE, { username: 'machine' })).status).toBe(404)
})

test('a link signs its person in once, whatever number of browsers follow it at a time; only its hash is stored', async () => {
  const { pool } = server.kernel
  const since = [(await pool.query('SELECT now() AS begun')).rows[0].begun]
  const link = await aLink('/ui/assets/assets?x=1')
  const [made] = (await server.admin.in('root').get('/api/v1/audits/operate-logs/?resource_type=SSO link')).body
  expect(made).toMatchObject({ action: 'create', user: 'Administrator(admin)', resource: 'guest' })
  // A client that only looks at a link does not use it up.
  expect((await server.call('HEAD', link)).status).toBe(404)
  const all = await Promise.all(Array.from({ length: 5 }, () => follow(link)))
  expect(all.map(({ status, to }) => [status, to])).toEqual(Array(5).fill([302, '/ui/assets/assets?x=1']))
  expect(all.filter(({ who }) => who === 'guest')).toHaveLength(1)
  const { rows: logs } = await pool.query(
    "SELECT username, status, reason FROM audits_login_log WHERE backend = 'SSO' AND datetime >= $1",
    since,
  )
  expect(logs.filter(({ status }) => status)).toEqual([{ username: 'guest', status: true, reason: '' }])
  expect(logs.filter(({ reason }) => reason === 'authkey_invalid')).toHaveLength(4)
  const authkey = new URL(link, SITE).searchParams.get('authkey') ?? ''
  const { rows } = await pool.query(
    'SELECT t::text AS row, expired, created_by FROM authentication_sso_token t WHERE date_created >= $1',
    since,
  )
  expect(rows).toMatchObject([{ expired: true, created_by: 'admin' }])
  expect(rows[0].row).not.toContain(authkey)
})

test('a link leads to addresses of this server only', async () => {
  for (const next of ['https://evil.example/', '//evil.example/', '/\\evil.example']) {
    expect(new URL(await aLink(next), SITE).searchParams.get('next')).toBe('/ui/')
    const changed = `${await aLink()}&next=${encodeURIComponent(next)}`.replace('next=&', '')
    expect(await follow(changed)).toEqual({ status: 302, to: '/ui/', who: 'guest' })
  }
})

test('unknown, old and forged keys sign nobody in, nor do people who may not come; the login log says why', async () => {
  const refused = async (link: string, reason: string, username: string) => {
    expect(await follow(link)).toEqual({ status: 302, to: '/ui/', who: undefined })
    expect(await newestLogin()).toMatchObject({ status: false, reason, username, backend: 'SSO' })
  }
  const login = '/api/v1/authentication/sso/login/'
  for (const query of ['', '?authkey=x', '?authkey=00000000-0000-4000-8000-000000000000'])
    await refused(login + query, 'authkey_invalid', '')
  const old = await aLink()
  await server.kernel.pool.query(
    "UPDATE authentication_sso_token SET date_created = now() - interval '61 seconds' WHERE NOT expired",
  )
  await refused(old, 'authkey_timeout', 'guest')
  await refused(old, 'authkey_invalid', 'guest')
  const closed = await aLink()
  await set('sso', { AUTH_SSO: false })
  await refused(closed, 'authkey_invalid', 'guest')
  await set('sso', { AUTH_SSO: true })

  const account = `/api/v1/users/users/${person.id}/`
  const states = [
    [{ is_active: false }, { is_active: true }, 'user_inactive'],
    [{ date_expired: '2020-01-01 00:00:00' }, { date_expired: '2060-01-01 00:00:00' }, 'user_expired'],
    [{ source: 'ldap' }, { source: 'local' }, 'backend_not_match'],
  ] as const
  await set('security', { ONLY_ALLOW_AUTH_FROM_SOURCE: true })
  for (const [barred, free, reason] of states) {
    const link = await aLink()
    expect((await server.admin.patch(account, barred)).status).toBe(200)
    await refused(link, reason, 'guest')
    expect((await server.admin.patch(account, free)).status).toBe(200)
  }
  const link = await aLink()
  await set('security', { SECURITY_LOGIN_IP_BLACK_LIST: ['127.0.0.1'] })
  await refused(link, 'block_global_ip_login', '')
  await set('security', { SECURITY_LOGIN_IP_BLACK_LIST: [] })
  expect((await follow(link)).who).toBe('guest')
})

test('a link signs nobody in, and marks no sign-in, when its line in the login log is refused', async () => {
  const link = await aLink()
  const lastLogin = async () =>
    (await server.kernel.pool.query("SELECT last_login FROM users_user WHERE username = 'guest'")).rows[0].last_login
  const before = await lastLogin()
  await server.kernel.pool.query(`
    CREATE FUNCTION refuse_row() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'the log takes nothing'; END $$;
    CREATE TRIGGER refuse BEFORE INSERT ON audits_login_log EXECUTE FUNCTION refuse_row();`)
  const { status, who } = await follow(link)
  await server.kernel.pool.query('DROP TRIGGER refuse ON audits_login_log')
  expect([status, who, await lastLogin()]).toEqual([500, undefined, before])
})
