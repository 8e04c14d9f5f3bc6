import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openTestBrowser } from '../../../../test/browser.ts'
import { openTestServer, PASSWORD, type TestServer } from '../../../../test/server.ts'
import { settingsOf } from '../../settings/index.ts'
import { BY_ALIBABA, type SmsProviders, startSmsProviders } from '../../sms/provider-fixture.ts'

const TOKENS = '/api/v1/authentication/tokens/'
const SELECT = '/api/v1/authentication/mfa/select/'
const CHALLENGE = '/api/v1/authentication/mfa/challenge/'
const VERIFY = '/api/v1/authentication/otp/verify/'
const LOGIN = '/core/auth/login/'
const STEP = '/core/auth/login/mfa/'
const GUARD = '/core/auth/login/guard/'
const BIND = '/core/auth/profile/otp/enable/bind/'
const PROFILE = '/api/v1/users/profile/'

let providers: SmsProviders
let server: TestServer
beforeAll(async () => {
  providers = await startSmsProviders()
  server = await openTestServer({ SALLYPORT_SMS_ALIBABA_URL: providers.url })
  await settingsOf(server.kernel).change(BY_ALIBABA)
})
afterAll(async () => {
  await server?.close()
  await providers?.close()
})
beforeEach(async () => {
  providers.messages.length = 0
  await server.kernel.pool.query('DELETE FROM authentication_failure')
})

let phones = 13_800_000_000
/** Somebody who must use a second factor and has a phone for it. */
async function aPhoned(username: string): Promise<{ id: string; phone: string }> {
  const { id } = await server.aPerson(username)
  const phone = String(++phones)
  expect((await server.admin.patch(`/api/v1/users/users/${id}/`, { mfa_level: 2, phone })).status).toBe(200)
  return { id, phone }
}
/** A client that has proven the password. */
async function aProven(username: string) {
  const client = openTestBrowser(server)
  const answer = await client.call('POST', TOKENS, { username, password: PASSWORD })
  expect(answer.body).toMatchObject({ error: 'mfa_required', data: { choices: ['sms'] } })
  return client
}
const codeOf = (phone: string) => providers.messages.filter((message) => message.phone === phone).at(-1)?.code ?? ''
const wrong = (code: string) => (code.startsWith('9') ? '8' : '9') + code.slice(1)
/** A minute later, as far as this phone is concerned. */
const later = (phone: string) =>
  server.kernel.pool.query(
    "UPDATE authentication_sms_code SET date_sent = date_sent - interval '61 seconds', date_expired = date_expired - interval '61 seconds' WHERE phone = $1",
    [phone],
  )

test('on a browser: the page says which ways there are and where the code goes; the code comes in once, and is stored as a hash', async () => {
  const { phone } = await aPhoned('webber')
  const browser = openTestBrowser(server)
  expect((await browser.call('POST', LOGIN, { username: 'webber', password: PASSWORD })).body).toEqual({ next: STEP })
  expect((await browser.call('GET', STEP)).body.types).toEqual([
    { type: 'otp', label: 'OTP', active: false, digits: 6, sends: false, sent_to: '' },
    { type: 'sms', label: 'SMS', active: true, digits: 4, sends: true, sent_to: `138****${phone.slice(-4)}` },
  ])
  const sent = await browser.call('POST', SELECT, { type: 'sms' })
  expect([sent.status, sent.body]).toEqual([201, { type: 'sms', username: 'webber' }])
  const code = codeOf(phone)
  expect(code).toMatch(/^\d{4}$/)
  expect(new Set(code).size).toBe(4)
  const { rows } = await server.kernel.pool.query('SELECT * FROM authentication_sms_code WHERE phone = $1', [phone])
  expect(JSON.stringify(rows)).not.toContain(`"${code}"`)
  expect((await browser.call('POST', STEP, { mfa_type: 'sms', code: wrong(code) })).body).toMatchObject({
    error: 'mfa_failed',
  })
  expect((await browser.call('POST', STEP, { mfa_type: 'otp', code })).body.error).toBe('mfa_failed')
  expect((await browser.call('POST', STEP, { mfa_type: 'sms', code })).body).toEqual({ next: GUARD })
  expect((await browser.call('GET', GUARD)).headers.location).toBe('/ui/')
  expect((await browser.call('GET', PROFILE)).body.username).toBe('webber')
  // Used up, also for this very sign-in's next question.
  expect((await browser.call('POST', VERIFY, { type: 'sms', code })).status).toBe(400)
  // Without a proven password there is no page, and nothing is sent.
  const stranger = openTestBrowser(server)
  expect((await stranger.call('GET', STEP)).body.error).toBe('session_empty')
  expect(await stranger.call('POST', SELECT, { type: 'sms', username: 'webber' })).toMatchObject({
    status: 400,
    body: { error: 'session_empty' },
  })
  expect(providers.messages).toHaveLength(1)
})

test('a phone gets one code a minute, for all callers together, also at once; an unsent code does not count', async () => {
  const { phone } = await aPhoned('hasty')
  const clients = await Promise.all(Array.from({ length: 6 }, () => aProven('hasty')))
  const answers = await Promise.all(clients.map((client) => client.call('POST', SELECT, { type: 'sms' })))
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400, 400, 400])
  expect(answers.find(({ status }) => status === 400)?.body).toMatchObject({ code: 'code_send_too_frequently' })
  expect(providers.messages).toHaveLength(1)
  await later(phone)
  const [client] = clients
  await settingsOf(server.kernel).set('ALIBABA_VERIFY_TEMPLATE_CODE', 'none')
  expect((await client?.call('POST', SELECT, { type: 'sms' }))?.body.code).toBe('verify_code_sign_tmpl_invalid')
  await settingsOf(server.kernel).set('ALIBABA_VERIFY_TEMPLATE_CODE', 'SMS_1')
  providers.next = { status: 200, body: '{"Code":"isv.BUSINESS_LIMIT_CONTROL","Message":"secret words"}' }
  const failed = await client?.call('POST', SELECT, { type: 'sms' })
  expect([failed?.status, failed?.body.code, JSON.stringify(failed?.body).includes('secret words')]).toEqual([
    500,
    'unexpect_error',
    false,
  ])
  expect((await client?.call('POST', SELECT, { type: 'sms' }))?.status).toBe(201)
})

test('a code counts for the sign-in that asked: not for another browser, another person or a password; and only for its minute', async () => {
  const { id, phone } = await aPhoned('bound')
  const other = await aPhoned('neighbor')
  const mine = await aProven('bound')
  const elsewhere = await aProven('bound')
  const neighbor = await aProven('neighbor')
  await mine.call('POST', SELECT, { type: 'sms' })
  await neighbor.call('POST', SELECT, { type: 'sms' })
  const code = codeOf(phone)
  for (const client of [elsewhere, neighbor])
    expect((await client.call('POST', CHALLENGE, { type: 'sms', code })).body.error).toBe('mfa_failed')
  expect(
    (
      await mine.call('POST', CHALLENGE, {
        type: 'sms',
        code: codeOf(other.phone) === code ? wrong(code) : codeOf(other.phone),
      })
    ).status,
  ).toBe(400)
  await later(phone)
  const expired = await mine.call('POST', CHALLENGE, { type: 'sms', code })
  expect(expired.body).toMatchObject({ error: 'mfa_failed', msg: expect.stringContaining('The code has expired') })
  await mine.call('POST', SELECT, { type: 'sms' })
  // A person with a new phone can't use a code that went to the old one.
  await server.admin.patch(`/api/v1/users/users/${id}/`, { phone: String(++phones) })
  expect((await mine.call('POST', CHALLENGE, { type: 'sms', code: codeOf(phone) })).status).toBe(400)
})

test('the right code counts once when it is sent many times at once; seven wrong ones lock, and then nothing is sent either', async () => {
  const { phone } = await aPhoned('attacked')
  const client = await aProven('attacked')
  await client.call('POST', SELECT, { type: 'sms' })
  const right = await Promise.all(
    Array.from({ length: 5 }, () => client.call('POST', CHALLENGE, { type: 'sms', code: codeOf(phone) })),
  )
  expect(right.filter(({ status }) => status === 200)).toHaveLength(1)
  await server.kernel.pool.query('DELETE FROM authentication_failure')
  await later(phone)
  const guesser = await aProven('attacked')
  await guesser.call('POST', SELECT, { type: 'sms' })
  const code = codeOf(phone)
  const tries = await Promise.all(
    Array.from({ length: 10 }, () => guesser.call('POST', CHALLENGE, { type: 'sms', code: wrong(code) })),
  )
  expect(tries.filter(({ body }) => body.error === 'mfa_failed')).toHaveLength(7)
  expect((await guesser.call('POST', CHALLENGE, { type: 'sms', code })).body.error).toBe('block_mfa')
  await later(phone)
  const before = providers.messages.length
  expect((await guesser.call('POST', SELECT, { type: 'sms' })).body.error).toBe('block_mfa')
  expect(providers.messages).toHaveLength(before)
})

test('after the seventh wrong code nothing more is sent', async () => {
  const { phone } = await aPhoned('guessing')
  const client = await aProven('guessing')
  await client.call('POST', SELECT, { type: 'sms' })
  for (let n = 0; n < 7; n++) await client.call('POST', CHALLENGE, { type: 'sms', code: wrong(codeOf(phone)) })
  await later(phone)
  expect((await client.call('POST', SELECT, { type: 'sms' })).body.error).toBe('block_mfa')
})

test('a proven password alone sets up no authenticator app beside the phone, and reads or changes no phone', async () => {
  await aPhoned('half-in')
  const browser = openTestBrowser(server)
  await browser.call('POST', LOGIN, { username: 'half-in', password: PASSWORD })
  expect((await browser.call('GET', BIND)).body.error).toBe('session_empty')
  expect((await browser.call('POST', BIND, { otp_code: '123456' })).body.error).toBe('session_empty')
  expect((await browser.call('PATCH', PROFILE, { phone: '13900000000' })).status).toBe(401)
  expect((await browser.call('POST', VERIFY, { type: 'sms', code: '1234' })).status).toBe(401)
})

test('a signed-in person changes the phone, sets up an app, or switches the factor off only after proving it', async () => {
  const { id, phone } = await aPhoned('owner')
  await server.admin.patch(`/api/v1/users/users/${id}/`, { mfa_level: 1 })
  const browser = openTestBrowser(server)
  await browser.call('POST', LOGIN, { username: 'owner', password: PASSWORD })
  await browser.call('POST', SELECT, { type: 'sms' })
  await browser.call('POST', STEP, { mfa_type: 'sms', code: codeOf(phone) })
  await browser.call('GET', GUARD)
  expect((await browser.call('PATCH', PROFILE, { phone: '13900000001' })).body.code).toBe('mfa_verify_required')
  expect((await browser.call('PATCH', PROFILE, { mfa_level: 0 })).body.code).toBe('mfa_verify_required')
  expect((await browser.call('GET', BIND)).body.code).toBe('mfa_verify_required')
  expect((await browser.call('POST', BIND, { otp_code: '123456' })).body.code).toBe('mfa_verify_required')
  expect((await browser.call('PATCH', PROFILE, { phone, wechat: 'same phone' })).status).toBe(200)
  await later(phone)
  expect((await browser.call('POST', SELECT, { type: 'sms' })).status).toBe(201)
  expect((await browser.call('POST', VERIFY, { code: codeOf(phone) })).status).toBe(400)
  expect((await browser.call('POST', VERIFY, { type: 'sms', code: codeOf(phone) })).body).toEqual({ ok: '1' })
  expect((await browser.call('GET', BIND)).body).toHaveProperty('secret')
  expect((await browser.call('PATCH', PROFILE, { phone: '13900000001' })).body.phone).toBe('13900000001')
  expect((await browser.call('PATCH', PROFILE, { mfa_level: 0 })).body.mfa_level).toBe(0)
  // An administrator of one organization does not lead the codes of another's people elsewhere.
  const chief = await server.aPerson('chief', { orgRoles: ['Admin'] })
  const org = await server.anOrg('elsewhere')
  await server.admin.in(org).post('/api/v1/orgs/orgs/invite/', { user: id })
  await server.kernel.pool.query(
    'INSERT INTO orgs_member (org, "user", role) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
    [org, id, 'User'],
  )
  const refused = await chief.patch(`/api/v1/users/users/${id}/`, { phone: '13900000002' })
  expect(refused.status).toBe(400)
  expect(refused.body).toHaveProperty('phone')
})

test('[A1.01] on the sign-in page a code is sent to the name that is typed; names without a phone, and nobody, look alike and are counted', async () => {
  const settings = settingsOf(server.kernel)
  const { phone } = await aPhoned('typist')
  await settings.change({ SECURITY_MFA_AUTH: 1, SECURITY_MFA_IN_LOGIN_PAGE: true })
  try {
    await server.kernel.pool.query(
      `INSERT INTO users_user (name, username, email, phone, is_active)
       VALUES ('No phone', 'phoneless', 'phoneless@example.com', '', true),
         ('Disabled', 'disabled', 'disabled@example.com', '13900000009', false)`,
    )
    const browser = openTestBrowser(server)
    expect((await browser.call('GET', LOGIN)).body).toMatchObject({
      extra: 'mfa',
      types: [
        { type: 'otp', active: true, sent_to: '' },
        { type: 'sms', active: true, sent_to: '' },
      ],
    })
    expect((await browser.call('POST', SELECT, { type: 'sms', username: 'typist' })).body).toEqual({
      type: 'sms',
      username: 'typist',
    })
    const code = codeOf(phone)
    // Another browser that knows the password, and even the code, does not come in with it.
    const thief = openTestBrowser(server)
    const stolen = await thief.call('POST', LOGIN, { username: 'typist', password: PASSWORD, mfa_type: 'sms', code })
    expect(stolen.body.error).toBe('mfa_failed')
    const signedIn = await browser.call('POST', LOGIN, {
      username: 'typist',
      password: PASSWORD,
      mfa_type: 'sms',
      code,
    })
    expect(signedIn.body).toEqual({ next: GUARD })
    expect((await browser.call('GET', GUARD)).headers.location).toBe('/ui/')
    const answersOf = []
    for (const username of ['phoneless', 'nobody-here', 'disabled']) {
      const answers = []
      for (let tries = 0; tries < 8; tries++) {
        const { status, body } = await openTestBrowser(server).call('POST', SELECT, { type: 'sms', username })
        answers.push([status, body])
      }
      answersOf.push(answers)
    }
    expect(answersOf).toEqual([answersOf[0], answersOf[0], answersOf[0]])
    expect(answersOf[0]?.map(([status]) => status)).toEqual([404, 404, 404, 404, 404, 404, 404, 400])
    const { rows } = await server.kernel.pool.query(
      "SELECT count(*)::int AS n FROM audits_login_log WHERE username = 'nobody-here' AND reason = 'mfa_failed' AND mfa = 1 AND NOT status",
    )
    expect(rows).toEqual([{ n: 7 }])
  } finally {
    await settings.change({ SECURITY_MFA_AUTH: 0, SECURITY_MFA_IN_LOGIN_PAGE: false })
  }
})

test('a person who must use a second factor and has none sets an app up; while SMS is off the phone is none', async () => {
  await aPhoned('later')
  await settingsOf(server.kernel).set('SMS_ENABLED', false)
  try {
    expect(
      (await openTestBrowser(server).call('POST', LOGIN, { username: 'later', password: PASSWORD })).body.next,
    ).toContain('otp/enable/start')
  } finally {
    await settingsOf(server.kernel).set('SMS_ENABLED', true)
  }
})
