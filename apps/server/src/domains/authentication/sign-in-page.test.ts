import { constants, createPublicKey, publicEncrypt } from 'node:crypto'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestBrowser, type TestBrowser } from '../../../test/browser.ts'
import { createTestDatabase } from '../../../test/database.ts'
import { ADMIN_PASSWORD, type Answer, openTestServer, PASSWORD, type TestServer } from '../../../test/server.ts'
import { loadConfig } from '../../config.ts'
import { openServer } from '../../server.ts'
import { settingsOf } from '../settings/index.ts'
import { createResetToken } from './password-reset/reset-token.ts'

const LOGIN = '/core/auth/login/'

let server: TestServer
beforeAll(async () => {
  server = await openTestServer()
})
afterAll(() => server?.close())

const aBrowser = () => openTestBrowser(server)

const whoAmI = '/api/v1/users/profile/'

test('[A1.01] signing in with name and password opens the console: the profile answers, sign-out ends it', async () => {
  const browser = aBrowser()
  await browser.call('GET', '/core/auth/login/')
  expect(browser.jar.get('csrftoken')).toBeTruthy()
  const { status, body } = await browser.call('POST', '/core/auth/login/', {
    username: 'admin',
    password: ADMIN_PASSWORD,
  })
  expect([status, body]).toEqual([200, { next: '/ui/' }])
  expect((await browser.call('GET', whoAmI)).body.username).toBe('admin')
  const cookie = browser.jar.get('sessionid') ?? ''
  // A picture or a link on a page of another site ends nobody's session.
  for (const way of ['', 'cas/', 'openid/', 'saml2/']) {
    const out = `/core/auth/${way}logout/`
    const foreign = await browser.call('GET', out, undefined, { 'sec-fetch-site': 'cross-site' })
    expect([out, foreign.status, (await browser.call('GET', whoAmI)).status]).toEqual([out, 403, 200])
  }
  await browser.call('GET', '/core/auth/logout/?next=/ui/users/users')
  browser.jar.set('sessionid', cookie)
  expect((await browser.call('GET', whoAmI)).status).toBe(401)
})

test('[A1.01] a dynamic code counts where the page asks for one alone, and who has not signed in yet signs out without a fault', async () => {
  const browser = aBrowser()
  const { status } = await browser.call('POST', LOGIN, {
    username: 'admin',
    password: ADMIN_PASSWORD,
    challenge: 'not asked for',
  })
  expect(status).toBe(200)
  const stranger = aBrowser()
  await stranger.call('GET', '/core/auth/captcha/refresh/', undefined, { 'x-requested-with': 'XMLHttpRequest' })
  expect(stranger.jar.get('sessionid')).toBeTruthy()
  expect((await stranger.call('GET', '/core/auth/logout/')).status).toBeLessThan(400)
  expect(stranger.jar.get('sessionid')).toBeUndefined()
})

test.each([
  ['as the console encrypts it', { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' }],
  ['as existing pages encrypt it', { padding: constants.RSA_PKCS1_PADDING }],
])('[A1.01] the password may come encrypted %s', async (_, options) => {
  const browser = aBrowser()
  const { body } = await browser.call('GET', '/core/auth/login/key/')
  const password = publicEncrypt(
    { key: createPublicKey(body.public_key), ...options },
    Buffer.from(ADMIN_PASSWORD),
  ).toString('base64')
  const answer = await browser.call('POST', '/core/auth/login/', { username: 'admin', password })
  expect([answer.status, answer.body]).toEqual([200, { next: '/ui/' }])
})

test('[A1.01] a session that was planted before sign-in is worth nothing after it, and each sign-in has a key of its own', async () => {
  const browser = aBrowser()
  await browser.call('GET', '/core/auth/login/key/')
  const planted = browser.jar.get('sessionid') ?? ''
  const csrf = browser.jar.get('csrftoken')
  expect(planted).not.toBe('')
  browser.jar.delete('sessionid')
  browser.jar.set('sessionid', planted)
  const { body } = await browser.call('GET', '/core/auth/login/key/')
  const password = publicEncrypt(
    { key: createPublicKey(body.public_key), padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' },
    Buffer.from(ADMIN_PASSWORD),
  ).toString('base64')
  expect((await browser.call('POST', '/core/auth/login/', { username: 'admin', password })).status).toBe(200)
  expect(browser.jar.get('sessionid')).not.toBe(planted)
  expect(browser.jar.get('csrftoken')).not.toBe(csrf)
  const thief = aBrowser()
  thief.jar.set('sessionid', planted)
  expect((await thief.call('GET', whoAmI)).status).toBe(401)
})

test('[A1.01] the session cookie is out of reach of scripts, of other sites, and of plain lines where the page was encrypted; the CSRF cookie is readable', async () => {
  const browser = aBrowser()
  const form = { username: 'admin', password: ADMIN_PASSWORD }
  /** What each cookie that is set says besides its value. */
  const flagsOf = ({ headers }: Answer) =>
    Object.fromEntries(
      ([headers['set-cookie'] ?? []].flat() as string[]).map((line) => {
        const [value = '', ...flags] = line.split('; ')
        return [value.split('=')[0], flags.sort()]
      }),
    )
  const both = ['Path=/', 'SameSite=Lax']
  const plain = flagsOf(await browser.call('POST', LOGIN, form))
  expect(plain).toEqual({ sessionid: ['HttpOnly', ...both], csrftoken: both })
  const node = await openTestServer({ SALLYPORT_TRUSTED_PROXIES: '127.0.0.1' })
  const encrypted = flagsOf(await node.call('POST', LOGIN, { body: form, headers: { 'x-forwarded-proto': 'https' } }))
  await node.close()
  expect(encrypted).toEqual({ sessionid: ['HttpOnly', ...both, 'Secure'], csrftoken: [...both, 'Secure'] })
  const stored = await server.kernel.pool.query('SELECT key_hash FROM authentication_session')
  expect(stored.rows.some(({ key_hash }) => key_hash.toString('utf8').includes(browser.jar.get('sessionid')))).toBe(
    false,
  )
})

test.each([
  ['/ui/users/users?page=2', '/ui/users/users?page=2'],
  ['//evil.example/x', '/ui/'],
  ['/\\evil.example', '/ui/'],
  ['/\t/evil.example', '/ui/'],
  ['/.//evil.example/x', '/ui/'],
  ['/ui/..//evil.example', '/ui/'],
  ['/./\\evil.example', '/ui/'],
  ['/%2e//evil.example', '/ui/'],
  ['/%2f/evil.example', '/%2f/evil.example'],
  ['/ui/\r\nset-cookie: a=b', '/ui/set-cookie:%20a=b'],
  ['https://evil.example/', '/ui/'],
  ['javascript:alert(1)', '/ui/'],
  ['ui/users', '/ui/'],
])('[A1.01] after sign-in %j leads to %j', async (next, target) => {
  const { body } = await aBrowser().call('POST', `/core/auth/login/?next=${encodeURIComponent(next)}`, {
    username: 'admin',
    password: ADMIN_PASSWORD,
  })
  expect(body).toEqual({ next: target })
})

test('[A1.01] a plain form of an existing client is answered by redirect', async () => {
  const answer = await server.kernel.app.inject({
    method: 'POST',
    url: '/core/auth/login/?next=/ui/assets/assets',
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' },
    payload: new URLSearchParams({ username: 'admin', password: ADMIN_PASSWORD, csrfmiddlewaretoken: 'x' }).toString(),
  })
  expect([answer.statusCode, answer.headers.location]).toEqual([302, '/ui/assets/assets'])
})

test('[A1.01 B8.01] a person whose session has ended comes from a page to the sign-in page and back; programs get the code', async () => {
  for (const page of [
    '/core/auth/profile/mfa/',
    '/core/auth/profile/otp/disable/',
    '/core/auth/profile/pubkey/generate/',
  ]) {
    const { status, headers } = await server.call('GET', page, { headers: { accept: 'text/html,*/*;q=0.8' } })
    expect([page, status, headers.location]).toEqual([page, 302, `/core/auth/login/?next=${encodeURIComponent(page)}`])
    expect(await server.call('GET', page)).toMatchObject({ status: 401, body: { code: 'not_authenticated' } })
  }
})

test('[A1.01] each refusal is shown: to a form without scripts by its own page, of a password that cannot be read, of blocked cookies', async () => {
  const browser = aBrowser()
  // A failure has the page ask for a sum.
  const startAnew = () => server.kernel.pool.query('DELETE FROM authentication_failure')
  const page = { accept: 'text/html' }
  expect((await browser.call('POST', LOGIN, { username: 'nobody', password: 'x' }, page)).status).toBe(200)
  expect((await browser.call('GET', LOGIN)).body.refusal).toMatch(/incorrect/)
  expect((await browser.call('GET', LOGIN)).body.refusal).toBeUndefined()

  await startAnew()
  await browser.call('GET', `${LOGIN}key/`)
  const unreadable = await browser.call('POST', LOGIN, { username: 'nobody', password: 'not sealed' })
  expect([unreadable.body.error, unreadable.body.msg]).toEqual([
    'password_decrypt_failed',
    expect.stringContaining('decrypted'),
  ])

  await startAnew()
  const inBrowser = { accept: 'application/json', 'sec-fetch-site': 'same-origin' }
  const credentials = { username: 'admin', password: ADMIN_PASSWORD }
  const post = (headers: Record<string, string>) => server.call('POST', LOGIN, { body: credentials, headers })
  expect(await post(inBrowser)).toMatchObject({ status: 400, body: { error: 'cookies_blocked' } })
  expect((await post({ ...inBrowser, cookie: 'django_language=en; csrftoken=kept' })).status).toBe(200)
})

test('[A1.01] the page offers to stay signed in for the whole days of a session, and leads to where passwords are kept', async () => {
  const settings = settingsOf(server.kernel)
  const facts = async () => {
    const { auto_login_days, forgot_password_url } = (await aBrowser().call('GET', LOGIN)).body
    return [auto_login_days, forgot_password_url]
  }
  expect(await facts()).toEqual([1, ''])
  await settings.set('SESSION_COOKIE_AGE', 86_400 * 7 + 1)
  await settings.set('FORGOT_PASSWORD_URL', 'https://directory.example.com/forgot')
  expect(await facts()).toEqual([7, ''])
  await settings.set('AUTH_LDAP', true)
  await settings.set('SESSION_EXPIRE_AT_BROWSER_CLOSE_FORCE', true)
  expect(await facts()).toEqual([0, 'https://directory.example.com/forgot'])
  await settings.set('AUTH_LDAP', false)
  await settings.set('SESSION_EXPIRE_AT_BROWSER_CLOSE_FORCE', false)
  await settings.set('SESSION_COOKIE_AGE', 3600)
  expect(await facts()).toEqual([0, ''])
  await settings.set('SESSION_COOKIE_AGE', 86_400)
})

test('[A1.01] a foreign page can neither sign people in nor write with their session', async () => {
  const browser = aBrowser()
  const foreign = { origin: 'https://evil.example' }
  const credentials = { username: 'admin', password: ADMIN_PASSWORD }
  expect((await browser.call('POST', '/core/auth/login/', credentials, foreign)).status).toBe(403)
  await browser.call('POST', '/core/auth/login/', credentials)
  expect((await browser.call('PATCH', whoAmI, { wechat: 'x' }, foreign)).status).toBe(403)
  const csrf = browser.jar.get('csrftoken') ?? ''
  const without = await browser.call('PATCH', whoAmI, { wechat: 'x' }, { 'x-csrftoken': '' })
  expect([without.status, without.body.code]).toEqual([403, 'permission_denied'])
  expect((await browser.call('PATCH', whoAmI, { wechat: 'x' }, { 'x-csrftoken': `${csrf}x` })).status).toBe(403)
  expect((await browser.call('PATCH', whoAmI, { wechat: 'me' })).body.wechat).toBe('me')
})

test('[B4.14] a session slides while it is used, ends when it is not, and outlives the browser only when asked to', async () => {
  const browser = aBrowser()
  const cookie = async (auto_login: unknown) => {
    const credentials = { username: 'admin', password: ADMIN_PASSWORD }
    const { headers } = await browser.call('POST', '/core/auth/login/', { ...credentials, auto_login })
    return ([headers['set-cookie'] ?? []].flat() as string[]).find((line) => line.startsWith('sessionid='))
  }
  await settingsOf(server.kernel).set('SESSION_EXPIRE_AT_BROWSER_CLOSE_FORCE', true)
  expect(await cookie(true)).not.toMatch(/Max-Age|Expires/)
  await settingsOf(server.kernel).set('SESSION_EXPIRE_AT_BROWSER_CLOSE_FORCE', false)
  // Scripts, and the form of the page without any.
  for (const asked of [true, 'true', 'on']) expect(await cookie(asked)).toMatch(/Max-Age=86400/)
  for (const not of [undefined, false, 'false', '']) expect(await cookie(not)).not.toMatch(/Max-Age|Expires/)
  const left = async (set?: string) => {
    const { pool } = server.kernel
    const newest = '(SELECT id FROM authentication_session ORDER BY date_created DESC LIMIT 1)'
    if (set)
      await pool.query(`UPDATE authentication_session SET date_expired = now() + $1::interval WHERE id = ${newest}`, [
        set,
      ])
    const { rows } = await pool.query(
      `SELECT extract(epoch FROM date_expired - now())::int AS seconds FROM authentication_session WHERE id = ${newest}`,
    )
    return rows[0].seconds
  }
  await left('60 seconds')
  expect((await browser.call('GET', whoAmI)).status).toBe(200)
  expect(await left()).toBeGreaterThan(86_000)
  await left('-1 second')
  expect((await browser.call('GET', whoAmI)).status).toBe(401)
})

test('[A5.04] a new password ends the browser sessions of its person, and of nobody else', async () => {
  const browser = aBrowser()
  await server.aPerson('mover')
  await server.aPerson('neighbor')
  const another = aBrowser()
  await another.call('POST', '/core/auth/login/', { username: 'neighbor', password: PASSWORD })
  await browser.call('POST', '/core/auth/login/', { username: 'mover', password: PASSWORD })
  const change = { old_password: PASSWORD, new_password: 'Moved-on-1', new_password_again: 'Moved-on-1' }
  expect((await browser.call('PUT', `${whoAmI}password/`, change)).status).toBe(200)
  expect((await browser.call('GET', whoAmI)).status).toBe(401)
  expect((await another.call('GET', whoAmI)).status).toBe(200)
})

test('behind a proxy that changes Host, a refused sign-in names both addresses and what to mend, in the language of the person, wherever the origin is checked', async () => {
  const proxied = { origin: 'https://door.example', host: '10.9.8.7:8080' }
  const refusalOf = async (browser: TestBrowser, method: string, path: string, more: Record<string, string> = {}) => {
    const { status, body } = await browser.call(method, path, {}, { ...proxied, ...more })
    expect([path, status, body.code, Object.keys(body).sort()]).toEqual([
      path,
      403,
      'permission_denied',
      ['code', 'detail'],
    ])
    return body.detail as string
  }
  const browser = aBrowser()
  await browser.call('POST', LOGIN, { username: 'admin', password: ADMIN_PASSWORD })
  // Before a sign-in, within one, and after it.
  for (const path of [LOGIN, '/core/auth/login/mfa/', '/core/auth/login/passkey/options/', '/core/auth/logout/'])
    expect(await refusalOf(aBrowser(), 'POST', path)).toMatch(
      /at https:\/\/door\.example, .* name 10\.9\.8\.7:8080\. A proxy .* proxy_set_header Host \$http_host/,
    )
  for (const [method, path, upgrade] of [
    ['POST', '/core/auth/saml2/logout/'],
    ['PATCH', whoAmI],
    ['GET', '/koko/ws/terminal/'],
    ['GET', '/ws/notifications/site-msg/', 'websocket'],
  ] as const)
    expect(await refusalOf(browser, method, path, upgrade ? { upgrade, connection: 'upgrade' } : {})).toContain(
      'A proxy on the way changes the Host header.',
    )
  browser.jar.set('django_language', 'zh-hans')
  const chinese = await refusalOf(browser, 'PATCH', whoAmI)
  expect(chinese).toMatch(/https:\/\/door\.example，.* 10\.9\.8\.7:8080 .*proxy_set_header Host \$http_host/)
  // Pages of other sites say nothing about a proxy.
  for (const more of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'null' }] as Record<string, string>[])
    expect(await refusalOf(aBrowser(), 'POST', LOGIN, more)).toMatch(
      /^Nothing was done: this was asked by a page of anoth/,
    )
  // The port that browsers leave out is no other address.
  const { status } = await aBrowser().call(
    'POST',
    LOGIN,
    { username: 'admin', password: ADMIN_PASSWORD },
    { origin: 'https://door.example', host: 'door.example:443' },
  )
  expect(status).toBe(200)
})

test('[A3.28] until the site address is set, it is the one at which a system administrator signed in; nobody else’s and no untrusted header count', async () => {
  const settings = settingsOf(server.kernel)
  await server.aPerson('anybody')
  const signInAt = (username: string, password: string, headers: Record<string, string>) =>
    server.kernel.app.inject({ method: 'POST', url: LOGIN, payload: { username, password }, headers })
  await signInAt('anybody', PASSWORD, { accept: 'application/json', host: 'evil.example' })
  expect(settings.get('SITE_URL')).not.toContain('evil')
  await signInAt('admin', ADMIN_PASSWORD, {
    accept: 'application/json',
    host: 'door.example:8443',
    'x-forwarded-host': 'evil.example',
  })
  expect([settings.get('SITE_URL'), settings.isSet('SITE_URL')]).toEqual(['http://door.example:8443', false])
  // A proxy that does not say https, and a browser that does.
  const origin = 'https://door.example:8443'
  await signInAt('admin', ADMIN_PASSWORD, { accept: 'application/json', host: 'door.example:8443', origin })
  expect(settings.get('SITE_URL')).toBe(origin)
  await settings.set('SITE_URL', 'https://door.example')
  await signInAt('admin', ADMIN_PASSWORD, { accept: 'application/json', host: 'other.example' })
  expect(settings.get('SITE_URL')).toBe('https://door.example')
})

test('[A1.01 A3.37] after a forced change the sign-in goes on where it was: to the second factor; a link that was sent signs nobody in', async () => {
  const settings = settingsOf(server.kernel)
  const person = await server.aPerson('forced')
  const change = (browser: TestBrowser, token: string, password: string) =>
    browser.call('POST', '/core/auth/password/reset/', { token, new_password: password, confirm_password: password })
  await server.kernel.pool.query('UPDATE users_user SET need_update_password = true WHERE id = $1', [person.id])
  await settings.set('SECURITY_MFA_AUTH', 1)
  try {
    const browser = openTestBrowser(server)
    const refused = await browser.call('POST', '/core/auth/login/', { username: 'forced', password: PASSWORD })
    const token = new URL(refused.body.url, 'http://here').searchParams.get('token') ?? ''
    expect((await change(browser, token, 'Forced-change-1')).body).toEqual({
      next: '/core/auth/profile/otp/enable/start/',
    })
    expect((await browser.call('GET', '/api/v1/users/profile/')).status).toBe(401)
  } finally {
    await settings.set('SECURITY_MFA_AUTH', 0)
  }
  await server.kernel.pool.query('UPDATE users_user SET need_update_password = true WHERE id = $1', [person.id])
  const alone = openTestBrowser(server)
  const due = await alone.call('POST', '/core/auth/login/', { username: 'forced', password: 'Forced-change-1' })
  const proof = new URL(due.body.url, 'http://here').searchParams.get('token') ?? ''
  const signedIn = await change(alone, proof, 'Forced-change-3')
  expect(signedIn.body).toEqual({ next: '/ui/' })
  expect(String(signedIn.headers['set-cookie']), 'nobody asked to stay signed in').not.toMatch(/Max-Age=[1-9]/)
  const browser = openTestBrowser(server)
  const link = await createResetToken(server.kernel.db, person.id, 60)
  expect((await change(browser, link, 'Forced-change-2')).body).toEqual({ next: '/core/auth/login/?password=changed' })
  expect((await browser.call('GET', '/api/v1/users/profile/')).status).toBe(401)
})

test('[A1.01] the first administrator: a password made up once, in a private file, that must be changed before anything else', async () => {
  const database = await createTestDatabase()
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-first-'))
  const environment = {
    SALLYPORT_DATA_DIR: folder,
    SALLYPORT_HTTP_PORT: '0',
    SALLYPORT_SSH_PORT: '0',
    SALLYPORT_LOG_LEVEL: 'silent',
  }
  const open = () => openServer({ config: loadConfig(environment), database: database.connection, demo: false })
  const file = join(folder, 'admin-password.txt')
  try {
    const first = await open()
    const post = (path: string, payload: object) =>
      first.kernel.app.inject({ method: 'POST', url: path, payload, headers: { accept: 'application/json' } })
    const password = (await readFile(file, 'utf8')).trim()
    expect([first.firstPassword, (await stat(file)).mode & 0o777]).toEqual([password, 0o600])
    const refused = await post('/core/auth/login/', { username: 'admin', password })
    expect([refused.statusCode, refused.json().error]).toEqual([400, 'passwd_need_update'])
    const token = new URL(refused.json().url, 'http://here').searchParams.get('token')
    const chosen = { new_password: 'Chosen-by-me-1', confirm_password: 'Chosen-by-me-1' }
    const changed = await post('/core/auth/password/reset/', { token, ...chosen })
    expect(changed.json(), 'signed in with the new one').toEqual({ next: '/ui/' })
    const sessionid = changed.cookies.find(({ name }) => name === 'sessionid')?.value ?? ''
    const profile = await first.kernel.app.inject({ url: '/api/v1/users/profile/', cookies: { sessionid } })
    expect(profile.json()).toMatchObject({ username: 'admin', need_update_password: false })
    expect((await post('/core/auth/login/', { username: 'admin', password: 'Chosen-by-me-1' })).json()).toEqual({
      next: '/ui/',
    })
    await first.close()
    const second = await open()
    expect(second.firstPassword).toBeUndefined()
    await expect(stat(file)).rejects.toThrow('ENOENT')
    await second.close()
  } finally {
    await database.drop()
    await rm(folder, { recursive: true })
  }
})
