import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openTestBrowser, type TestBrowser } from '../../../../test/browser.ts'
import { openTestServer, PASSWORD, type TestServer } from '../../../../test/server.ts'
import { settingsOf } from '../../settings/index.ts'
import { type Authenticator, openAuthenticator } from './authenticator-fixture.ts'

const ORIGIN = 'http://localhost'
const LOGIN = '/core/auth/login/'
const STEP = '/core/auth/login/mfa/'
const GUARD = '/core/auth/login/guard/'
const PASSKEYS = '/api/v1/authentication/passkeys/'
const PROFILE = '/api/v1/users/profile/'
const FRESH = '/api/v1/authentication/otp/verify/'

let server: TestServer
beforeAll(async () => {
  server = await openTestServer()
  await settingsOf(server.kernel).set('SECURITY_LOGIN_CAPTCHA_ENABLED', false)
})
afterAll(() => server?.close())
// Failures of one test must not lock the address in the next.
beforeEach(() => server.kernel.pool.query('DELETE FROM authentication_failure'))

/** A browser in which the password is proven; answers where it is led. */
async function withPassword(username: string): Promise<{ browser: TestBrowser; next: string }> {
  const browser = openTestBrowser(server)
  const { body } = await browser.call('POST', LOGIN, { username, password: PASSWORD })
  return { browser, next: body.next }
}
/** Somebody with a passkey that is asked for after the password. */
async function aGuarded(username: string): Promise<{ id: string; device: Authenticator }> {
  const { id } = await server.aPerson(username)
  const { browser } = await withPassword(username)
  const device = openAuthenticator(ORIGIN)
  const { body } = await browser.call('POST', `${PASSKEYS}options/`, { password: PASSWORD })
  expect((await browser.call('POST', PASSKEYS, { name: 'Laptop', answer: device.create(body) })).status).toBe(201)
  expect((await browser.call('PATCH', PROFILE, { mfa_level: 1 })).body.mfa_level).toBe(1)
  return { id, device }
}
const ask = async (browser: TestBrowser, path = `${STEP}passkey/`) =>
  (await browser.call('POST', `${path}options/`, {})).body
const prove = async (browser: TestBrowser, answer: unknown) =>
  (await browser.call('POST', `${STEP}passkey/`, { answer })).body

test('after the password the passkey is asked for, by its number; then secrets are shown without asking once more', async () => {
  const { device } = await aGuarded('both')
  const { browser, next } = await withPassword('both')
  expect(next).toBe(STEP)
  expect((await browser.call('GET', STEP)).body.types).toContainEqual(
    expect.objectContaining({ type: 'passkey', label: 'Passkey', active: true, digits: null, sends: false }),
  )
  expect((await browser.call('GET', PROFILE)).status).toBe(401)
  // No code of any form replaces it.
  expect((await browser.call('POST', STEP, { mfa_type: 'passkey', code: '123456' })).body.error).toBe('mfa_failed')
  const asked = await ask(browser)
  expect(asked).toMatchObject({
    rpId: 'localhost',
    userVerification: 'preferred',
    allowCredentials: [{ id: device.id, type: 'public-key' }],
  })
  // The password was the first factor: the device alone is the second.
  expect(await prove(browser, device.get(asked, { isVerified: false }))).toEqual({ next: GUARD })
  expect((await browser.call('GET', GUARD)).headers.location).toBe('/ui/')
  expect((await browser.call('GET', PROFILE)).body.username).toBe('both')
  expect((await browser.call('GET', FRESH)).body.code).toBe('valid')
  const { rows } = await server.kernel.pool.query(
    "SELECT mfa FROM audits_login_log WHERE username = 'both' AND status ORDER BY id DESC LIMIT 1",
  )
  expect(rows).toEqual([{ mfa: 1 }])
})

test('wrong answers are no second factor, and lock it like codes; nobody proves by what belongs to another person or sign-in', async () => {
  const { id, device } = await aGuarded('careful')
  const { device: foreign } = await aGuarded('neighbor')
  const { browser } = await withPassword('careful')
  const { browser: other } = await withPassword('neighbor')
  await ask(browser)
  const elsewhere = device.get(await ask(other))
  const refusals = [
    // The question of another sign-in.
    await prove(browser, elsewhere),
    await prove(browser, foreign.get(await ask(browser))),
    await prove(browser, device.get(await ask(browser), { origin: 'http://evil.example' })),
    await prove(browser, device.get(await ask(browser), { rpId: 'evil.example' })),
    await prove(browser, device.get(await ask(browser), { key: foreign.privateKey })),
  ]
  expect(refusals.map(({ error }) => error)).toEqual(Array(5).fill('mfa_failed'))
  expect(refusals[4].msg).toContain('2 tries are left')
  // The question for a sign-in without a password is no question of this step, nor the reverse.
  await browser.call('POST', '/core/auth/login/passkey/options/', {})
  expect((await prove(browser, device.get(await ask(browser, '/core/auth/login/passkey/')))).error).toBe(
    'passkey_run_out',
  )
  const answer = device.get(await ask(browser))
  expect((await browser.call('POST', '/core/auth/login/passkey/', { answer })).body.error).toBe('session_empty')
  // One answer, many at once: one counts.
  const many = await Promise.all([1, 2, 3].map(() => prove(browser, answer)))
  expect(many.filter(({ next }) => next === GUARD)).toHaveLength(1)
  const { browser: late } = await withPassword('careful')
  for (let tries = 0; tries < 7; tries++)
    await prove(late, device.get(await ask(late), { origin: 'http://evil.example' }))
  expect((await prove(late, device.get(await ask(late)))).error).toBe('block_mfa')
  expect((await server.admin.get(`/api/v1/users/users/${id}/`)).body.login_blocked).toBe(true)
  const { rows } = await server.kernel.pool.query(
    "SELECT reason, count(*)::int FROM audits_login_log WHERE username = 'careful' AND NOT status GROUP BY reason ORDER BY reason",
  )
  expect(rows).toEqual([
    { reason: 'block_mfa', count: 1 },
    { reason: 'passkey_failed', count: 12 },
  ])
})

test('a password alone adds no passkey and no app beside the passkey; a person without a browser learns what to do', async () => {
  await aGuarded('pending')
  const { browser } = await withPassword('pending')
  expect((await browser.call('POST', `${PASSKEYS}options/`, { password: PASSWORD })).status).toBe(401)
  expect((await browser.call('GET', '/core/auth/profile/otp/enable/bind/')).body.error).toBe('session_empty')
  const { status, body } = await server.call('POST', '/api/v1/authentication/tokens/', {
    body: { username: 'pending', password: PASSWORD },
  })
  expect([status, body.error]).toEqual([400, expect.stringContaining('set up an authenticator app on your profile')])
})

test('before secrets, and before passkeys or MFA are changed, the passkey is asked for again', async () => {
  const { device } = await aGuarded('viewer')
  const { browser } = await withPassword('viewer')
  await prove(browser, device.get(await ask(browser)))
  await browser.call('GET', GUARD)
  await server.kernel.pool.query(`UPDATE authentication_session SET state = state - 'mfa_verified_at'`)
  const [passkey] = (await browser.call('GET', PASSKEYS)).body.passkeys
  const path = `${PASSKEYS}${passkey.id}/`
  // The password does not replace the factor.
  for (const refused of [
    await browser.call('GET', FRESH),
    await browser.call('PATCH', PROFILE, { mfa_level: 0 }),
    await browser.call('POST', `${PASSKEYS}options/`, { password: PASSWORD }),
    await browser.call('DELETE', path, { password: PASSWORD }),
  ])
    expect([refused.status, refused.body.code]).toEqual([400, 'mfa_verify_required'])
  const verify = `${PASSKEYS}verify/`
  const wrong = await browser.call('POST', verify, {
    answer: device.get(await ask(browser, verify), { origin: 'http://evil.example' }),
  })
  expect([wrong.status, wrong.body.code, wrong.body.detail]).toEqual([
    400,
    'mfa_failed',
    expect.stringContaining('tries are left'),
  ])
  const right = await browser.call('POST', verify, { answer: device.get(await ask(browser, verify)) })
  expect(right.body).toEqual({ ok: '1' })
  expect((await browser.call('GET', FRESH)).body.code).toBe('valid')
  // The last one goes, and with it the choice to be asked.
  expect((await browser.call('DELETE', path)).status).toBe(204)
  expect((await browser.call('GET', PROFILE)).body).toMatchObject({ mfa_level: 0, passkey_count: 0 })
  expect((await withPassword('viewer')).next).toBe('/ui/')
})

test('a person who must use a factor and removes the last one sets up another at the next sign-in', async () => {
  const { id, device } = await aGuarded('forced')
  await server.admin.patch(`/api/v1/users/users/${id}/`, { mfa_level: 2 })
  const { browser } = await withPassword('forced')
  await prove(browser, device.get(await ask(browser)))
  await browser.call('GET', GUARD)
  const [passkey] = (await browser.call('GET', PASSKEYS)).body.passkeys
  expect((await browser.call('DELETE', `${PASSKEYS}${passkey.id}/`)).status).toBe(204)
  expect((await withPassword('forced')).next).toBe('/core/auth/profile/otp/enable/start/')
})
