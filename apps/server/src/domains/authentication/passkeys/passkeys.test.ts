import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openTestBrowser, type TestBrowser } from '../../../../test/browser.ts'
import { openTestServer, PASSWORD, type TestServer } from '../../../../test/server.ts'
import { settingsOf } from '../../settings/index.ts'
import { type Authenticator, openAuthenticator } from './authenticator-fixture.ts'

const ORIGIN = 'http://localhost'
const LOGIN = '/core/auth/login/'
const PASSKEYS = '/api/v1/authentication/passkeys/'
const SIGN_IN = '/core/auth/login/passkey/'
const PROFILE = '/api/v1/users/profile/'
const VERIFY = '/api/v1/authentication/otp/verify/'

let server: TestServer
let holder: Awaited<ReturnType<typeof aHolder>>
beforeAll(async () => {
  server = await openTestServer()
  await settingsOf(server.kernel).set('SECURITY_LOGIN_CAPTCHA_ENABLED', false)
  await server.aPerson('adder')
  holder = await aHolder('refused')
})
afterAll(() => server?.close())
// Failures of one test must not lock the address in the next.
beforeEach(() => server.kernel.pool.query('DELETE FROM authentication_failure'))

const signedIn = async (username: string): Promise<TestBrowser> => {
  const browser = openTestBrowser(server)
  expect((await browser.call('POST', LOGIN, { username, password: PASSWORD })).body).toEqual({ next: '/ui/' })
  return browser
}
/** Adds a passkey in that browser, with the password as proof. */
async function add(browser: TestBrowser, device: Authenticator, name = 'Laptop') {
  const options = await browser.call('POST', `${PASSKEYS}options/`, { password: PASSWORD })
  expect([options.status, options.body]).toEqual([
    200,
    expect.objectContaining({ rp: { name: 'Sallyport', id: 'localhost' } }),
  ])
  return browser.call('POST', PASSKEYS, { name, answer: device.create(options.body) })
}
/** Somebody with one passkey, and the browser that they added it in. */
async function aHolder(username: string, device = openAuthenticator(ORIGIN)) {
  const { id } = await server.aPerson(username)
  const browser = await signedIn(username)
  expect((await add(browser, device)).status).toBe(201)
  return { id, browser, device }
}
const ask = async (browser: TestBrowser, path = SIGN_IN) => {
  const { status, body } = await browser.call('POST', `${path}options/`, {})
  expect(status).toBe(200)
  return body
}
const whoIs = async (browser: TestBrowser) => (await browser.call('GET', PROFILE)).body.username
const messagesOf = async (id: string) =>
  (
    await server.kernel.pool.query<{ subject: string }>(
      'SELECT subject FROM notifications_site_message m JOIN notifications_recipient r ON r.message_id = m.id WHERE r.user_id = $1 ORDER BY m.id',
      [id],
    )
  ).rows.map(({ subject }) => subject)
const logOf = async (username: string) =>
  (
    await server.kernel.pool.query(
      'SELECT status, reason, mfa, backend FROM audits_login_log WHERE username = $1 ORDER BY id',
      [username],
    )
  ).rows

test.each(['ES256', 'EdDSA', 'RS256'] as const)(
  'a passkey of an authenticator that signs by %s is added and signs in',
  async (algorithm) => {
    const username = `with-${algorithm.toLowerCase()}`
    const { device } = await aHolder(username, openAuthenticator(ORIGIN, algorithm))
    const browser = openTestBrowser(server)
    const answer = device.get(await ask(browser))
    const done = await browser.call('POST', SIGN_IN, { answer, next: '/ui/assets/assets' })
    expect([done.status, done.body]).toEqual([200, { next: '/ui/assets/assets' }])
    expect(String(done.headers['set-cookie']), 'nobody asked to stay signed in').not.toMatch(/Max-Age=[1-9]/)
    expect(await whoIs(browser)).toBe(username)
    // It was both factors: secrets are shown without asking once more, and the log says so.
    expect((await browser.call('GET', VERIFY)).body.code).toBe('valid')
    expect((await logOf(username)).at(-1)).toEqual({ status: true, reason: '', mfa: 1, backend: 'Passkey' })
  },
)

test('a person who adds one proves who they are first, gets a notice, and sees it with its use; other people see nothing', async () => {
  const { id } = await server.aPerson('owner')
  const browser = await signedIn('owner')
  expect(await whoIs(browser)).toBe('owner')
  expect((await browser.call('GET', PASSKEYS)).body).toEqual({
    passkeys: [],
    proof: 'password',
    mfa_choices: [],
    mfa_enabled: false,
    mfa_forced: false,
    max: 20,
  })
  const unproven = await browser.call('POST', `${PASSKEYS}options/`, {})
  expect([unproven.status, unproven.body]).toEqual([400, { password: ['The password is incorrect'] }])
  const device = openAuthenticator(ORIGIN)
  // Nothing was asked, so there is nothing to answer.
  const early = device.create({ rp: { id: 'localhost' }, user: { id: 'AAAA' }, challenge: 'AAAA' })
  expect((await browser.call('POST', PASSKEYS, { name: 'Early', answer: early })).body.code).toBe('passkey_run_out')
  const added = await add(browser, device, '  Phone ')
  expect([added.status, added.body]).toEqual([201, expect.objectContaining({ name: 'Phone', date_last_used: null })])
  expect(Buffer.from(device.userHandle(), 'base64url')).toHaveLength(32)
  expect(device.userHandle()).not.toContain(Buffer.from(id).toString('base64url'))
  expect((await server.admin.get(`/api/v1/users/users/${id}/`)).body.passkey_count).toBe(1)
  const logged = async () => {
    const text =
      "SELECT 1 FROM audits_operate_log WHERE resource_type = 'User' AND action = 'update' AND \"user\" LIKE $1"
    return (await server.kernel.pool.query(text, ['%(owner)'])).rowCount ?? 0
  }
  const before = await logged()
  await browser.call('PATCH', `${PASSKEYS}${added.body.id}/`, { name: 'Work phone' })
  expect((await logged()) - before, 'a new name is logged').toBe(1)
  const other = openTestBrowser(server)
  expect((await other.call('POST', SIGN_IN, { answer: device.get(await ask(other)) })).status).toBe(200)
  const second = await other.call('POST', `${PASSKEYS}options/`, {})
  expect(second.body.user.id, 'one handle for all passkeys of a person').toBe(device.userHandle())
  expect((await other.call('GET', PASSKEYS)).body.passkeys).toEqual([
    { id: added.body.id, name: 'Work phone', date_created: expect.any(String), date_last_used: expect.any(String) },
  ])
  await server.admin.patch(`/api/v1/users/users/${id}/`, { mfa_level: 2 })
  expect((await other.call('GET', PASSKEYS)).body).toMatchObject({ mfa_enabled: true, mfa_forced: true })
  await server.admin.patch(`/api/v1/users/users/${id}/`, { mfa_level: 0 })
  const { browser: stranger } = await aHolder('stranger')
  const path = `${PASSKEYS}${added.body.id}/`
  expect((await stranger.call('PATCH', path, { name: 'Mine' })).status).toBe(404)
  expect((await stranger.call('DELETE', path, { password: PASSWORD })).status).toBe(404)
  expect((await stranger.call('GET', PASSKEYS)).body.passkeys).toHaveLength(1)
  // A token is no browser.
  const token = await server.signIn('owner', PASSWORD)
  expect((await token.post(`${PASSKEYS}options/`, { password: PASSWORD })).body.code).toBe('browser_only')
  // Signed in with the passkey: that was proof enough.
  expect((await other.call('DELETE', path)).status).toBe(204)
  const late = openTestBrowser(server)
  expect((await late.call('POST', SIGN_IN, { answer: device.get(await ask(late)) })).body.msg).toContain(
    'not known here',
  )
  expect(await messagesOf(id)).toEqual([
    'A passkey was added to your account',
    'A passkey was removed from your account',
  ])
})

test.each([
  ['for another challenge', { challenge: Buffer.alloc(32).toString('base64url') }],
  ['from a page of another site', { origin: 'http://evil.example' }],
  ['from a page of a neighbor port', { origin: 'http://localhost:8081' }],
  ['for another site', { rpId: 'evil.example' }],
  ['that is the answer to another kind of question', { type: 'get' as const }],
  ['under a number that is not in it', { id: Buffer.alloc(24).toString('base64url') }],
])('a new passkey %s is refused', async (_, lie) => {
  const browser = await signedIn('adder')
  const { body } = await browser.call('POST', `${PASSKEYS}options/`, { password: PASSWORD })
  const refused = await browser.call('POST', PASSKEYS, {
    name: 'Any',
    answer: openAuthenticator(ORIGIN).create(body, lie),
  })
  expect([refused.status, refused.body.code]).toEqual([400, 'passkey_failed'])
  expect((await browser.call('GET', PASSKEYS)).body.passkeys).toEqual([])
})

test('the statement that some authenticators send about themselves is not looked at; one device is known once; twenty are enough', async () => {
  const device = openAuthenticator(ORIGIN)
  await server.aPerson('collector')
  const browser = await signedIn('collector')
  const { body } = await browser.call('POST', `${PASSKEYS}options/`, { password: PASSWORD })
  const stated = device.create(
    body,
    {},
    new Map<string, unknown>([
      ['x5c', [new Uint8Array(64)]],
      ['sig', new Uint8Array(8)],
      ['alg', -7],
    ]),
    'packed',
  )
  expect((await browser.call('POST', PASSKEYS, { name: 'With statement', answer: stated })).status).toBe(201)
  await server.kernel.pool.query(
    `INSERT INTO authentication_passkey (user_id, name, credential_id, user_handle, rp_id, public_key, counter)
     SELECT user_id, n::text, decode(lpad(n::text, 8, '0'), 'hex'), user_handle, rp_id, public_key, 0 FROM authentication_passkey, generate_series(1, 18) n WHERE name = 'With statement'`,
  )
  const fresh = openTestBrowser(server)
  await fresh.call('POST', SIGN_IN, { answer: device.get(await ask(fresh)) })
  const addFreely = async () => (await fresh.call('POST', `${PASSKEYS}options/`, {})).body
  const again = await fresh.call('POST', PASSKEYS, { name: 'Again', answer: device.create(await addFreely()) })
  expect([again.status, again.body.code]).toEqual([400, 'passkey_known'])
  // Two browsers at once have room for one.
  const second = openTestBrowser(server)
  await second.call('POST', SIGN_IN, { answer: device.get(await ask(second)) })
  const two = [await addFreely(), (await second.call('POST', `${PASSKEYS}options/`, {})).body]
  const answers = await Promise.all(
    [fresh, second].map((one, index) =>
      one.call('POST', PASSKEYS, { name: 'Last', answer: openAuthenticator(ORIGIN).create(two[index]) }),
    ),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 400])
  expect((await fresh.call('POST', `${PASSKEYS}options/`, {})).body.code).toBe('too_many')
})

test.each([
  ['from a page of another site', { origin: 'http://evil.example' }],
  ['for another site', { rpId: 'evil.example' }],
  ['without recognizing the person', { isVerified: false }],
  ['that is the answer to another kind of question', { type: 'create' as const }],
  ['signed by another key', { key: openAuthenticator(ORIGIN).privateKey }],
  ['of a passkey that nobody has', { id: Buffer.alloc(24).toString('base64url') }],
])('an answer %s signs nobody in, and is in the login log', async (_, lie) => {
  const browser = openTestBrowser(server)
  const before = (await logOf('refused')).length
  const refused = await browser.call('POST', SIGN_IN, { answer: holder.device.get(await ask(browser), lie) })
  expect([refused.status, refused.body.error]).toEqual([400, 'passkey_failed'])
  expect(await whoIs(browser)).toBeUndefined()
  const logged = 'id' in lie ? (await logOf('')).at(-1) : (await logOf('refused')).slice(before)[0]
  expect(logged).toMatchObject({
    status: false,
    backend: 'Passkey',
    reason: 'id' in lie ? 'user_not_exist' : 'passkey_failed',
  })
})

test('an answer counts once, in the browser that asked, within five minutes', async () => {
  const { device } = await aHolder('once')
  const browser = openTestBrowser(server)
  const answer = device.get(await ask(browser))
  const thief = openTestBrowser(server)
  expect((await thief.call('POST', SIGN_IN, { answer })).body.error).toBe('session_empty')
  await ask(thief)
  expect((await thief.call('POST', SIGN_IN, { answer })).body.error).toBe('passkey_failed')
  const planted = browser.jar.get('sessionid')
  const both = await Promise.all([1, 2, 3].map(() => browser.call('POST', SIGN_IN, { answer })))
  expect(both.map(({ status }) => status).sort()).toEqual([200, 400, 400])
  expect(browser.jar.get('sessionid')).not.toBe(planted)
  const late = openTestBrowser(server)
  const asked = await ask(late)
  await server.kernel.pool.query(
    `UPDATE authentication_session SET state = jsonb_set(state, '{passkey,expires}', '"2020-01-01T00:00:00.000Z"') WHERE state ? 'passkey'`,
  )
  expect((await late.call('POST', SIGN_IN, { answer: device.get(asked) })).body.error).toBe('session_empty')
})

test('a counter that does not go on is taken for a copy: refused, and named in the login log', async () => {
  const { device } = await aHolder('copied')
  device.startCounting()
  const browser = openTestBrowser(server)
  expect((await browser.call('POST', SIGN_IN, { answer: device.get(await ask(browser), { counter: 7 }) })).status).toBe(
    200,
  )
  for (const counter of [7, 6, 0]) {
    const copy = openTestBrowser(server)
    expect((await copy.call('POST', SIGN_IN, { answer: device.get(await ask(copy), { counter }) })).body.error).toBe(
      'passkey_failed',
    )
    expect((await logOf('copied')).at(-1)).toMatchObject({ status: false, reason: 'passkey_cloned' })
  }
  // Only one counts of two answers with the same counter, given at once in two browsers.
  const two = [openTestBrowser(server), openTestBrowser(server)]
  const answers: ReturnType<Authenticator['get']>[] = []
  for (const one of two) answers.push(device.get(await ask(one), { counter: 8 }))
  const done = await Promise.all(two.map((one, index) => one.call('POST', SIGN_IN, { answer: answers[index] })))
  expect(done.map(({ status }) => status).sort()).toEqual([200, 400])
  const { rows } = await server.kernel.pool.query(
    "SELECT DISTINCT counter::int FROM authentication_passkey p JOIN users_user u ON u.id = p.user_id WHERE u.username <> 'copied'",
  )
  expect(rows, 'the passkeys of others go on where they were').toEqual([{ counter: 0 }])
})

test('a person who is disabled, expired, locked out by address or held back by a rule does not come in; a forced new password can wait', async () => {
  const { id, device } = await aHolder('held')
  const attempt = async () => {
    const browser = openTestBrowser(server)
    return (await browser.call('POST', SIGN_IN, { answer: device.get(await ask(browser)) })).body
  }
  const change = (changes: object) => server.admin.patch(`/api/v1/users/users/${id}/`, changes)
  await change({ is_active: false })
  expect((await attempt()).error).toBe('user_inactive')
  await change({ is_active: true, date_expired: '2020/01/01 00:00:00 +0000' })
  expect((await attempt()).error).toBe('user_expired')
  await change({ date_expired: null })
  await server.kernel.pool.query('UPDATE users_user SET need_update_password = true WHERE id = $1', [id])
  expect((await attempt()).next).toBe('/ui/')
  const settings = settingsOf(server.kernel)
  await settings.set('SECURITY_LOGIN_IP_BLACK_LIST', ['127.0.0.1'])
  expect((await attempt()).error).toBe('block_global_ip_login')
  await settings.set('SECURITY_LOGIN_IP_BLACK_LIST', [])
  await settings.set('SECURITY_LOGIN_IP_LIMIT_COUNT', 3)
  for (const _ of [1, 2, 3]) {
    const browser = openTestBrowser(server)
    await browser.call('POST', SIGN_IN, { answer: device.get(await ask(browser), { isVerified: false }) })
  }
  expect((await attempt()).error).toBe('block_global_ip_login')
  await settings.set('SECURITY_LOGIN_IP_LIMIT_COUNT', 99_999)
  await settings.set('ONLY_ALLOW_AUTH_FROM_SOURCE', true)
  await change({ source: 'ldap' })
  expect((await attempt()).error).toBe('backend_not_match')
  await change({ source: 'local' })
  await settings.set('USER_LOGIN_SINGLE_MACHINE_ENABLED', true)
  const earlier = await signedInByPasskey(device)
  await signedInByPasskey(device)
  expect(await whoIs(earlier)).toBeUndefined()
  await settings.set('USER_LOGIN_SINGLE_MACHINE_ENABLED', false)
  const rule = {
    name: 'Reviewed',
    user: id,
    action: 'confirm',
    rules: { ip_group: ['*'], time_period: EVERY_DAY },
    reviewers: [server.admin.id],
  }
  expect((await server.admin.post('/api/v1/acls/login-acls/', rule)).status).toBe(201)
  expect((await attempt()).next).toBe('/core/auth/login/guard/')
  await settings.set('AUTH_PASSKEY', false)
  expect((await openTestBrowser(server).call('POST', `${SIGN_IN}options/`, {})).body.error).toBe('passkey_closed')
  expect((await server.call('GET', '/api/v1/settings/public/')).body.data.AUTH_PASSKEY).toBe(false)
  await settings.set('AUTH_PASSKEY', true)
})
const EVERY_DAY = [0, 1, 2, 3, 4, 5, 6].map((day) => ({ id: day, value: '00:00~00:00' }))
async function signedInByPasskey(device: Authenticator): Promise<TestBrowser> {
  const browser = openTestBrowser(server)
  expect((await browser.call('POST', SIGN_IN, { answer: device.get(await ask(browser)) })).status).toBe(200)
  return browser
}

test('an administrator who resets the second factor takes the passkeys too', async () => {
  const { id, device } = await aHolder('lost-all')
  expect((await server.admin.get(`/api/v1/users/users/${id}/mfa/reset/`)).body).toEqual({ msg: 'success' })
  expect((await server.admin.get(`/api/v1/users/users/${id}/`)).body.passkey_count).toBe(0)
  const browser = openTestBrowser(server)
  expect((await browser.call('POST', SIGN_IN, { answer: device.get(await ask(browser)) })).body.error).toBe(
    'passkey_failed',
  )
})

test('once the address of the site is set, passkeys work at that name by HTTPS, and are of that name', async () => {
  await server.aPerson('elsewhere')
  const browser = await signedIn('elsewhere')
  const at = (host: string) => ({ host })
  const begin = (host: string) => browser.call('POST', `${PASSKEYS}options/`, { password: PASSWORD }, at(host))
  expect((await begin('10.0.0.1')).body.code).toBe('passkey_site')
  expect((await begin('[::1]:8080')).body.code).toBe('passkey_site')
  expect((await begin('any.example')).body.rp.id).toBe('any.example')
  const settings = settingsOf(server.kernel)
  await settings.set('SITE_URL', 'https://door.example:8443')
  try {
    expect((await begin('other.example')).body).toMatchObject({
      code: 'passkey_site',
      detail: expect.stringMatching(/at other\.example, .*: https:\/\/door\.example:8443\. .* changes the Host header/),
    })
    const asked = (await begin('door.example:8443')).body
    expect(asked.rp.id).toBe('door.example')
    const device = openAuthenticator('https://door.example:8443')
    const path = [PASSKEYS, { name: 'Door', answer: device.create(asked) }] as const
    expect((await browser.call('POST', ...path, at('door.example:8443'))).status).toBe(201)
    const fresh = openTestBrowser(server)
    const question = (await fresh.call('POST', `${SIGN_IN}options/`, {}, at('door.example:8443'))).body
    expect((await fresh.call('POST', SIGN_IN, { answer: device.get(question) }, at('door.example:8443'))).status).toBe(
      200,
    )
    // The same key, made to answer for a name that it was not made for.
    const forged = openTestBrowser(server)
    const local = await ask(forged)
    const answer = device.get(local, { origin: ORIGIN })
    expect((await forged.call('POST', SIGN_IN, { answer })).body.error).toBe('passkey_failed')
  } finally {
    await settings.set('SITE_URL', 'http://localhost:8080')
  }
})
