import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestBrowser } from '../../../../test/browser.ts'
import { openTestServer, PASSWORD, type TestServer } from '../../../../test/server.ts'
import { settingsOf } from '../../settings/index.ts'
import { aGuarded, BIND, codeOf, wrongCode } from './otp-fixture.ts'

const LOGIN = '/core/auth/login/'
const STEP = '/core/auth/login/mfa/'
const GUARD = '/core/auth/login/guard/'
const MINE = '/core/auth/profile/mfa/'
const DISABLE = '/core/auth/profile/otp/disable/'
const SELECT = '/api/v1/authentication/mfa/select/'
const PROFILE = '/api/v1/users/profile/'

let server: TestServer
beforeAll(async () => {
  server = await openTestServer()
  await settingsOf(server.kernel).set('SECURITY_LOGIN_CAPTCHA_ENABLED', false)
})
afterAll(() => server?.close())

const aBrowser = () => openTestBrowser(server)
async function signedIn(username: string) {
  const browser = aBrowser()
  const { body } = await browser.call('POST', LOGIN, { username, password: PASSWORD })
  return { browser, next: body.next as string }
}
/** The messages in a person's inbox, the latest first. */
const inbox = async (username: string) =>
  (
    await (await server.signIn(username, PASSWORD)).get('/api/v1/notifications/site-message/?limit=10')
  ).body.results.map(({ subject }: { subject: string }) => subject)

test('an app is set up by its first code, which ends every sign-in that began without it and is asked of the next', async () => {
  await server.aPerson('starter')
  const { browser } = await signedIn('starter')
  const { browser: elsewhere } = await signedIn('starter')
  expect((await browser.call('GET', MINE)).body).toMatchObject({
    enabled: false,
    forced: false,
    bound: false,
    local: true,
  })
  const { secret } = (await browser.call('GET', BIND)).body
  const wrong = await browser.call('POST', BIND, { otp_code: wrongCode(secret) })
  expect([wrong.status, wrong.body.error]).toEqual([400, 'mfa_failed'])
  for (const one of [browser, elsewhere]) expect((await one.call('GET', PROFILE)).status).toBe(200)
  expect((await browser.call('POST', BIND, { otp_code: codeOf(secret, -1) })).body).toEqual({ next: LOGIN })
  for (const one of [browser, elsewhere]) expect((await one.call('GET', PROFILE)).status).toBe(401)
  expect((await signedIn('starter')).next).toBe(STEP)
})

test('an app is removed by password and code together, whose faults look the same; every sign-in ends, the person gets a notice of both, and both are in the operate log', async () => {
  const { id, secret } = await aGuarded(server, 'leaver')
  await server.admin.patch(`/api/v1/users/users/${id}/`, { mfa_level: 1 })
  const { browser } = await signedIn('leaver')
  await browser.call('POST', STEP, { code: codeOf(secret) })
  await browser.call('GET', GUARD)
  expect((await browser.call('GET', MINE)).body).toMatchObject({ enabled: true, forced: false, bound: true })
  const off = (password: string, otp_code: string) => browser.call('POST', DISABLE, { password, otp_code })
  for (const refused of [await off('wrong', codeOf(secret, 1)), await off(PASSWORD, wrongCode(secret))])
    expect([refused.status, refused.body]).toEqual([
      400,
      { error: 'mfa_failed', msg: 'The password or the code is wrong' },
    ])
  expect((await off(PASSWORD, codeOf(secret, 1))).body).toEqual({ next: LOGIN })
  expect((await browser.call('GET', PROFILE)).status).toBe(401)
  await server.admin.patch(`/api/v1/users/users/${id}/`, { mfa_level: 0 })
  await expect
    .poll(() => inbox('leaver'))
    .toEqual(['Your authenticator app was taken off', 'An authenticator app was set up'])
  const { body: log } = await server.admin.get(`/api/v1/audits/operate-logs/?user_id=${id}`)
  const changes = log.flatMap((row: { changes: { label: string }[] }) => row.changes)
  expect(changes.filter(({ label }: { label: string }) => label === 'Authenticator app')).toMatchObject([
    { before: 'Yes', after: 'No' },
    { before: 'No', after: 'Yes' },
  ])
  const { browser: again } = await signedIn('leaver')
  const unset = await again.call('POST', DISABLE, { password: PASSWORD, otp_code: codeOf(secret) })
  expect([unset.status, unset.body.error]).toEqual([400, 'mfa_unset'])
})

test('[A6.15] the row of a person who sets an app up to end their sign-in is logged where they belong, no matter which organization they name', async () => {
  const elsewhere = await server.anOrg('Elsewhere')
  const { id } = await server.aPerson('unfinished')
  await server.admin.patch(`/api/v1/users/users/${id}/`, { mfa_level: 1 })
  const { browser } = await signedIn('unfinished')
  const { secret } = (await browser.call('GET', BIND)).body
  const bound = await browser.call('POST', BIND, { otp_code: codeOf(secret) }, { 'x-jms-org': elsewhere })
  expect(bound.status).toBe(200)
  const rows = (org: string) => server.admin.in(org).get(`/api/v1/audits/operate-logs/?user_id=${id}`)
  expect((await rows(elsewhere)).body).toEqual([])
  expect((await rows('default')).body).toMatchObject([{ changes: [{ label: 'Authenticator app' }] }])
})

test('guesses at password and code lock both as other wrong codes do, and say so', async () => {
  const { secret } = await aGuarded(server, 'guessed')
  const { browser } = await signedIn('guessed')
  await browser.call('POST', STEP, { code: codeOf(secret) })
  await browser.call('GET', GUARD)
  for (let n = 0; n < 7; n++) await browser.call('POST', DISABLE, { password: 'guess', otp_code: codeOf(secret, 1) })
  const locked = await browser.call('POST', DISABLE, { password: PASSWORD, otp_code: codeOf(secret, 1) })
  expect(locked.body).toEqual({ error: 'block_mfa', msg: expect.stringContaining('MFA has been locked') })
})

test('neither a token of the API nor a browser on which nothing is proven sets up an app, or chooses a factor', async () => {
  const person = await server.aPerson('by-token')
  const stranger = aBrowser()
  await stranger.call('GET', '/core/auth/captcha/refresh/')
  expect(stranger.jar.get('sessionid')).toBeTruthy()
  const refusals = [
    await server.call('GET', BIND, {
      headers: { authorization: `Bearer ${person.token}`, accept: 'application/json' },
    }),
    await person.post(BIND, { otp_code: '123456' }),
    await person.post(SELECT, { type: 'otp' }),
    await stranger.call('GET', BIND),
    await stranger.call('POST', BIND, { otp_code: '123456' }),
    await stranger.call('POST', SELECT, { type: 'otp' }),
  ]
  expect(refusals.map(({ status, body }) => [status, body.error])).toEqual(refusals.map(() => [400, 'session_empty']))
})

test('a person who is not signed in is led from the pages of the own factor to the sign-in page', async () => {
  for (const path of [MINE, DISABLE]) {
    const { status, headers } = await server.call('GET', path, { headers: { accept: 'text/html' } })
    expect([path, status, headers.location]).toEqual([path, 302, expect.stringContaining(LOGIN)])
  }
})
