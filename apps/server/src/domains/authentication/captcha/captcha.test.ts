import { inflateSync } from 'node:zlib'
import { Secret, TOTP } from 'otpauth'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openTestBrowser, type TestBrowser } from '../../../../test/browser.ts'
import { openTestServer, PASSWORD, type TestServer } from '../../../../test/server.ts'
import { settingsOf } from '../../settings/index.ts'
import { CAPTCHA_HEIGHT, CAPTCHA_WIDTH, drawCaptcha } from './captcha-image.ts'

const LOGIN = '/core/auth/login/'
const REFRESH = '/core/auth/captcha/refresh/'

let server: TestServer
beforeAll(async () => {
  server = await openTestServer()
  await server.aPerson('solver')
})
afterAll(() => server?.close())
beforeEach(() => server.kernel.pool.query('DELETE FROM authentication_failure'))

const attempt = (browser: TestBrowser, password: string, more: object = {}, username = 'solver') =>
  browser.call('POST', LOGIN, { username, password, ...more })

/** Fails until the page asks this name for a sum; answers the last refusal. */
async function failUntilAsked(browser: TestBrowser, username = 'solver') {
  await attempt(browser, 'wrong', {}, username)
  await attempt(browser, 'wrong', {}, username)
  return attempt(browser, 'wrong', {}, username)
}

/** The answer to the sum that was drawn under this key. */
async function solve(key: string): Promise<string> {
  const { rows } = await server.kernel.pool.query(
    `SELECT state->'captcha'->>'question' AS question FROM authentication_session WHERE state->'captcha'->>'key' = $1`,
    [key],
  )
  const [, first, sign, second] = /^(\d+)([+-])(\d+)=$/.exec(rows[0].question) ?? []
  return String(sign === '+' ? Number(first) + Number(second) : Number(first) - Number(second))
}

test('[A1.01] after three failures the page asks that name for a sum; without it, or with a wrong one, even the right password is not looked at', async () => {
  const browser = openTestBrowser(server)
  expect((await browser.call('GET', LOGIN)).body).toMatchObject({ extra: '' })
  for (const _ of [1, 2]) expect((await attempt(browser, 'wrong')).body.form).toMatchObject({ extra: '' })
  const failed = await attempt(browser, 'wrong')
  expect(failed.body).toMatchObject({ error: 'password_failed', form: { extra: 'captcha' } })
  const without = await attempt(browser, PASSWORD)
  expect([without.status, without.body.error, without.body.field]).toEqual([400, 'captcha_invalid', 'captcha'])
  const wrong = await attempt(browser, PASSWORD, { captcha_0: without.body.form.captcha.key, captcha_1: '1000' })
  expect([wrong.status, wrong.body.error]).toEqual([400, 'captcha_invalid'])
  const { key } = wrong.body.form.captcha
  expect((await attempt(browser, PASSWORD, { captcha_0: key, captcha_1: await solve(key) })).body).toEqual({
    next: '/ui/',
  })
  const again = openTestBrowser(server)
  expect((await attempt(again, 'wrong')).body, 'after a success').toMatchObject({ form: { extra: '' } })
})

test('[A1.01] a sum is asked of the name and address that failed: not of others at the address, nor of the name elsewhere', async () => {
  await server.aPerson('neighbor')
  await failUntilAsked(openTestBrowser(server))
  expect((await attempt(openTestBrowser(server), PASSWORD)).body.error).toBe('captcha_invalid')
  expect((await attempt(openTestBrowser(server), PASSWORD, {}, 'neighbor')).body).toEqual({ next: '/ui/' })
  await server.kernel.pool.query("UPDATE authentication_failure SET remote_addr = '203.0.113.9'")
  expect((await attempt(openTestBrowser(server), PASSWORD)).body).toEqual({ next: '/ui/' })
})

test('[A3.38] guesses without the sum cost no tries and say nothing about the name', async () => {
  const browser = openTestBrowser(server)
  const names = ['solver', 'nobody', 'admin']
  for (const username of names) await failUntilAsked(browser, username)
  const texts = new Set<string>()
  for (const username of names) {
    const { body } = await attempt(browser, 'wrong', {}, username)
    texts.add(`${body.error} ${body.msg}`)
  }
  expect(texts.size).toBe(1)
  const { rows } = await server.kernel.pool.query(
    `SELECT failures FROM authentication_failure WHERE kind = 'login' AND username = 'solver'`,
  )
  expect(rows).toEqual([{ failures: 3 }])
})

test('[A1.01] a sum is good for one try, for the browser that was shown it, and not after a new one', async () => {
  const [browser, other] = [openTestBrowser(server), openTestBrowser(server)]
  const first = (await failUntilAsked(browser)).body.form.captcha
  const answer = await solve(first.key)
  const stolen = await attempt(other, PASSWORD, { captcha_0: first.key, captcha_1: answer })
  expect(stolen.body.error).toBe('captcha_invalid')
  const tries = await Promise.all(
    [1, 2, 3].map(() => attempt(browser, 'wrong', { captcha_0: first.key, captcha_1: answer })),
  )
  expect(tries.map(({ body }) => body.error).sort()).toEqual(['captcha_invalid', 'captcha_invalid', 'password_failed'])
  const { body: second } = await browser.call('GET', REFRESH, undefined, { 'x-requested-with': 'XMLHttpRequest' })
  expect(second.image_url).toBe(`/core/auth/captcha/image/${second.key}/`)
  const answerOfSecond = await solve(second.key)
  await browser.call('GET', REFRESH)
  expect((await attempt(browser, PASSWORD, { captcha_0: second.key, captcha_1: answerOfSecond })).body.error).toBe(
    'captcha_invalid',
  )
})

test('[A1.01] the picture is a PNG of 140 by 34 for its browser alone, and has no text in it', async () => {
  const browser = openTestBrowser(server)
  const { key, image_url } = (await failUntilAsked(browser)).body.form.captcha
  const { rawPayload, headers } = await server.kernel.app.inject({
    method: 'GET',
    url: image_url,
    headers: { cookie: `sessionid=${browser.jar.get('sessionid')}` },
  })
  expect(headers['content-type']).toBe('image/png')
  expect(headers['cache-control']).toBe('no-store')
  expect([rawPayload.readUInt32BE(16), rawPayload.readUInt32BE(20)]).toEqual([CAPTCHA_WIDTH, CAPTCHA_HEIGHT])
  expect(Number(await solve(key))).toBeGreaterThanOrEqual(1)
  for (const chunk of ['tEXt', 'zTXt', 'iTXt']) expect(rawPayload.toString('latin1')).not.toContain(chunk)
  expect((await openTestBrowser(server).call('GET', image_url)).status).toBe(404)
})

test('[A1.01] the drawing has ink where it writes, and two of the same sum differ', () => {
  const rowsOf = (image: Buffer) => inflateSync(image.subarray(image.indexOf('IDAT') + 4, image.length - 16))
  const [one, two] = [drawCaptcha('38+9='), drawCaptcha('38+9=')]
  expect(rowsOf(one)).toHaveLength(CAPTCHA_HEIGHT * (CAPTCHA_WIDTH + 1))
  expect(rowsOf(one).filter((grey) => grey > 0 && grey < 120).length).toBeGreaterThan(200)
  expect(one.equals(two)).toBe(false)
})

test('[A1.01] however many sums a browser asks for, one row is kept for it', async () => {
  const browser = openTestBrowser(server)
  await browser.call('GET', REFRESH)
  const count = async () =>
    Number((await server.kernel.pool.query('SELECT count(*) FROM authentication_session')).rows[0].count)
  const before = await count()
  for (let n = 0; n < 20; n++) await browser.call('GET', REFRESH)
  expect(await count()).toBe(before)
})

test('[A1.01] the captcha can be switched off, and gives way to the dynamic code, which is appended to the password', async () => {
  const settings = settingsOf(server.kernel)
  const browser = openTestBrowser(server)
  await failUntilAsked(browser)
  await settings.set('SECURITY_LOGIN_CAPTCHA_ENABLED', false)
  expect((await attempt(browser, 'wrong')).body).toMatchObject({ error: 'password_failed', form: { extra: '' } })
  await settings.set('SECURITY_LOGIN_CAPTCHA_ENABLED', true)
  await settings.set('SECURITY_LOGIN_CHALLENGE_ENABLED', true)
  try {
    expect((await browser.call('GET', LOGIN)).body).toMatchObject({ extra: 'challenge' })
    expect((await attempt(browser, PASSWORD, { challenge: 'x' })).body.error).toBe('password_failed')
    const half = [PASSWORD.slice(0, 5), PASSWORD.slice(5)]
    expect((await attempt(browser, half[0] ?? '', { challenge: half[1] })).body).toEqual({ next: '/ui/' })
  } finally {
    await settings.set('SECURITY_LOGIN_CHALLENGE_ENABLED', false)
  }
})

test('[A1.01] hostile captcha values are refused, never a fault', async () => {
  const browser = openTestBrowser(server)
  await failUntilAsked(browser)
  for (const value of ['a\0b', '../../x', 'x'.repeat(128), '%00', '\ud800'])
    expect((await attempt(browser, PASSWORD, { captcha_0: value, captcha_1: value })).status).toBe(400)
  for (const key of ['%00', 'x', '..%2f', 'a'.repeat(300)])
    expect((await browser.call('GET', `/core/auth/captcha/image/${key}/`)).status).toBeGreaterThanOrEqual(400)
})

test('[A3.38] where the page asks for the second factor too, one form signs in; left empty, its own page follows; a wrong code is counted', async () => {
  const settings = settingsOf(server.kernel)
  const secret = new Secret({ size: 20 }).base32
  const { pool, secrets } = server.kernel
  await pool.query(
    `UPDATE users_user SET mfa_level = 1, otp_secret_sealed = $1, otp_last_step = NULL WHERE username = 'solver'`,
    [secrets.seal(secret)],
  )
  await settings.set('SECURITY_MFA_IN_LOGIN_PAGE', true)
  try {
    const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate()
    const wrong = String((Number(code) + 500_000) % 1_000_000).padStart(6, '0')
    expect((await openTestBrowser(server).call('GET', LOGIN)).body).toMatchObject({ extra: 'mfa' })
    expect((await attempt(openTestBrowser(server), PASSWORD)).body).toEqual({ next: '/core/auth/login/mfa/' })
    const refused = await attempt(openTestBrowser(server), PASSWORD, { mfa_type: 'otp', code: wrong })
    expect([refused.status, refused.body.error]).toEqual([400, 'mfa_failed'])
    expect((await attempt(openTestBrowser(server), 'wrong', { mfa_type: 'otp', code })).body.error).toBe(
      'password_failed',
    )
    const browser = openTestBrowser(server)
    expect((await attempt(browser, PASSWORD, { mfa_type: 'otp', code })).body).toEqual({
      next: '/core/auth/login/guard/',
    })
    expect((await browser.call('GET', '/core/auth/login/guard/')).headers.location).toBe('/ui/')
    expect((await browser.call('GET', '/api/v1/users/profile/')).body.username).toBe('solver')
  } finally {
    await settings.set('SECURITY_MFA_IN_LOGIN_PAGE', false)
    await pool.query(`UPDATE users_user SET mfa_level = 0, otp_secret_sealed = NULL WHERE username = 'solver'`)
  }
})
