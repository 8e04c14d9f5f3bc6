import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestBrowser } from '../../../../test/browser.ts'
import { openTestServer, PASSWORD, type TestServer } from '../../../../test/server.ts'
import { signed } from '../../../../test/signed.ts'
import { settingsOf } from '../../settings/index.ts'
import { aGuarded, BIND, codeOf, wrongCode } from './otp-fixture.ts'

let server: TestServer
beforeAll(async () => {
  server = await openTestServer()
  // Failures of one test must not have the page ask the next for a captcha.
  await settingsOf(server.kernel).set('SECURITY_LOGIN_CAPTCHA_ENABLED', false)
})
afterAll(() => server?.close())

const TOKENS = '/api/v1/authentication/tokens/'
const CHALLENGE = '/api/v1/authentication/mfa/challenge/'
const LOGIN = '/core/auth/login/'
const VERIFY = '/api/v1/authentication/otp/verify/'
const PROFILE = '/api/v1/users/profile/'

const aClient = () => openTestBrowser(server)

test('[A3.37] on a browser the session begins only after the code, under a new key', async () => {
  const { secret } = await aGuarded(server, 'webby')
  const browser = aClient()
  const first = await browser.call('POST', LOGIN, { username: 'webby', password: PASSWORD, next: '/ui/users/users' })
  expect(first.body).toEqual({ next: '/core/auth/login/mfa/' })
  const unfinished = browser.jar.get('sessionid')
  expect((await browser.call('GET', PROFILE)).status).toBe(401)
  expect((await browser.call('GET', '/core/auth/login/guard/')).headers.location).toBe('/core/auth/login/mfa/')
  const wrong = await browser.call('POST', '/core/auth/login/mfa/', { mfa_type: 'otp', code: wrongCode(secret) })
  expect([wrong.status, wrong.body.error]).toEqual([400, 'mfa_failed'])
  const right = await browser.call('POST', '/core/auth/login/mfa/', { mfa_type: 'otp', code: codeOf(secret) })
  expect(right.body).toEqual({ next: '/core/auth/login/guard/' })
  expect((await browser.call('GET', right.body.next)).headers.location).toBe('/ui/users/users')
  expect(browser.jar.get('sessionid')).not.toBe(unfinished)
  expect((await browser.call('GET', PROFILE)).body).toMatchObject({ username: 'webby', is_otp_secret_key_bound: true })
  browser.jar.set('sessionid', unfinished ?? '')
  expect((await browser.call('GET', PROFILE)).status).toBe(401)
})

test('over the API the token comes after the code, and the login log knows all of it', async () => {
  const { secret } = await aGuarded(server, 'gateway-user')
  const client = aClient()
  const asked = await client.call('POST', TOKENS, { username: 'gateway-user', password: PASSWORD })
  expect([asked.status, asked.body]).toMatchObject([
    200,
    { error: 'mfa_required', data: { choices: ['otp'], url: CHALLENGE } },
  ])
  // The cookie names the caller: a call without a name gets the step that is due again, and no try
  // is lost.
  expect(await client.call('POST', TOKENS, {})).toMatchObject({ status: 200, body: { error: 'mfa_required' } })
  expect((await client.call('POST', '/api/v1/authentication/mfa/select/', { type: 'otp' })).status).toBe(201)
  expect((await client.call('POST', '/api/v1/authentication/mfa/select/', { type: 'sms' })).status).toBe(400)
  expect(await client.call('POST', CHALLENGE, { type: 'otp', code: wrongCode(secret) })).toMatchObject({
    status: 400,
    body: { error: 'mfa_failed' },
  })
  expect((await client.call('POST', CHALLENGE, { type: 'otp', code: codeOf(secret) })).body).toEqual({ msg: 'ok' })
  const done = await client.call('POST', TOKENS, {})
  expect([done.status, done.body.user.username]).toEqual([201, 'gateway-user'])
  const again = await client.call('POST', TOKENS, { username: 'gateway-user', password: '' })
  expect([again.status, again.body.error]).toEqual([400, 'password_failed'])
  const { rows } = await server.kernel.pool.query(
    "SELECT status, reason, mfa FROM audits_login_log WHERE username = 'gateway-user' AND (mfa = 1) ORDER BY id",
  )
  expect(rows).toEqual([
    { status: false, reason: 'mfa_failed', mfa: 1 },
    { status: true, reason: '', mfa: 1 },
  ])
})

test('without its first factor, or for another name, a challenge is worth nothing', async () => {
  const { secret } = await aGuarded(server, 'careful')
  await server.aPerson('bystander')
  const stranger = aClient()
  expect(await stranger.call('POST', CHALLENGE, { type: 'otp', code: codeOf(secret) })).toMatchObject({
    status: 400,
    body: { error: 'session_empty' },
  })
  const client = aClient()
  await client.call('POST', TOKENS, { username: 'careful', password: PASSWORD })
  expect((await client.call('POST', TOKENS, { username: 'careful', password: '' })).body.error).toBe('password_failed')
  await client.call('POST', TOKENS, { username: 'careful', password: PASSWORD })
  expect((await client.call('POST', CHALLENGE, { type: 'otp', code: codeOf(secret) })).status).toBe(200)
  expect((await client.call('POST', TOKENS, { username: 'bystander', password: '' })).body.error).toBe(
    'password_failed',
  )
  await server.kernel.pool.query(
    "UPDATE authentication_session SET date_expired = now() - interval '1 second' WHERE state ? 'proven'",
  )
  expect((await client.call('POST', TOKENS, { username: 'careful', password: '' })).body.error).toBe('password_failed')
})

test.each([
  { username: 'disabled', change: { is_active: false } },
  { username: 'expired', change: { date_expired: '2020-01-01T00:00:00Z' } },
  { username: 'renewed', change: { password_strategy: 'custom', password: 'Another-day-1' } },
])('who is $username between the factors does not come in', async ({ username, change }) => {
  const { id, secret } = await aGuarded(server, username)
  const client = aClient()
  await client.call('POST', TOKENS, { username, password: PASSWORD })
  expect((await client.call('POST', CHALLENGE, { type: 'otp', code: codeOf(secret) })).status).toBe(200)
  expect((await server.admin.patch(`/api/v1/users/users/${id}/`, change)).status).toBe(200)
  expect((await client.call('POST', TOKENS, { username, password: '' })).body.error).toBe('session_empty')
})

test('a code counts once, however many bring it at the same time', async () => {
  const { secret } = await aGuarded(server, 'replayed')
  const clients = await Promise.all(
    Array.from({ length: 5 }, async () => {
      const client = aClient()
      await client.call('POST', TOKENS, { username: 'replayed', password: PASSWORD })
      return client
    }),
  )
  const code = codeOf(secret)
  const answers = await Promise.all(clients.map((client) => client.call('POST', CHALLENGE, { type: 'otp', code })))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
})

test('seven wrong codes lock the second factor, the right one included, whatever the password part does; unblock lifts it', async () => {
  const { id, secret } = await aGuarded(server, 'forced')
  const client = aClient()
  await client.call('POST', TOKENS, { username: 'forced', password: PASSWORD })
  const tries = await Promise.all(
    Array.from({ length: 12 }, () => client.call('POST', CHALLENGE, { type: 'otp', code: wrongCode(secret) })),
  )
  expect(tries.filter(({ body }) => body.error === 'mfa_failed')).toHaveLength(7)
  const fresh = aClient()
  await fresh.call('POST', TOKENS, { username: 'forced', password: PASSWORD })
  expect((await fresh.call('POST', CHALLENGE, { type: 'otp', code: codeOf(secret) })).body.error).toBe('block_mfa')
  const path = `/api/v1/users/users/${id}/`
  expect((await server.admin.get(path)).body.login_blocked).toBe(true)
  await server.admin.patch(`${path}unblock/`)
  expect((await fresh.call('POST', CHALLENGE, { type: 'otp', code: codeOf(secret) })).status).toBe(200)
})

test('the seventh try may be the right one; a wrong one locks, and says so', async () => {
  const { secret } = await aGuarded(server, 'sevens')
  const client = aClient()
  await client.call('POST', TOKENS, { username: 'sevens', password: PASSWORD })
  const code = (text: string) => client.call('POST', CHALLENGE, { type: 'otp', code: text })
  const wrong = async (times: number) => {
    const answers = []
    for (let n = 0; n < times; n++) answers.push((await code(wrongCode(secret))).body)
    return answers.at(-1)
  }
  expect((await wrong(6)).msg).toContain('1 try is left')
  expect((await code(codeOf(secret))).status).toBe(200)
  expect(await wrong(7)).toEqual({ error: 'mfa_failed', msg: expect.stringContaining('MFA has been locked') })
  expect((await wrong(1)).error).toBe('block_mfa')
})

test('[A3.38] wrong codes lock neither the password nor the address, wrong passwords take no tries at codes, a right one gives none back', async () => {
  const settings = settingsOf(server.kernel)
  const { id, secret } = await aGuarded(server, 'mixed')
  await server.kernel.pool.query('DELETE FROM authentication_failure')
  await settings.change({ SECURITY_LOGIN_IP_LIMIT_COUNT: 7, SECURITY_LOGIN_CAPTCHA_ENABLED: true })
  try {
    const client = aClient()
    const proven = (one: typeof client, password = PASSWORD) =>
      one.call('POST', TOKENS, { username: 'mixed', password })
    await proven(client)
    for (let n = 0; n < 3; n++) await proven(aClient(), 'wrong')
    const wrong = () => client.call('POST', CHALLENGE, { type: 'otp', code: wrongCode(secret) })
    expect((await wrong()).body.msg).toContain('6 tries are left')
    for (let n = 0; n < 6; n++) await wrong()
    expect((await server.admin.get(`/api/v1/users/users/${id}/`)).body.login_blocked).toBe(true)
    const fresh = aClient()
    expect((await proven(fresh)).body.error).toBe('mfa_required')
    // Nor does the page ask for a sum.
    expect((await aClient().call('POST', LOGIN, { username: 'mixed', password: PASSWORD })).body).toEqual({
      next: '/core/auth/login/mfa/',
    })
    expect((await fresh.call('POST', CHALLENGE, { type: 'otp', code: codeOf(secret) })).body.error).toBe('block_mfa')
  } finally {
    await settings.change({ SECURITY_LOGIN_IP_LIMIT_COUNT: 99_999, SECURITY_LOGIN_CAPTCHA_ENABLED: false })
  }
})

test('[A3.38] the address that a caller names for a code counts for components only', async () => {
  const { secret } = await aGuarded(server, 'far-away')
  const registered = await server.call('POST', '/api/v1/users/service-account-registrations/', {
    body: { name: 'codes' },
    headers: { authorization: 'BootstrapToken bootstrap-token-of-tests' },
  })
  const key = registered.body.access_key
  const client = aClient()
  await client.call('POST', TOKENS, { username: 'far-away', password: PASSWORD })
  const body = { type: 'otp', code: wrongCode(secret), remote_addr: '203.0.113.4' }
  await client.call('POST', CHALLENGE, body)
  await client.call('POST', CHALLENGE, body, signed(CHALLENGE, key, 'post'))
  await client.call('POST', CHALLENGE, { ...body, remote_addr: undefined }, signed(CHALLENGE, key, 'post'))
  const { rows } = await server.kernel.pool.query(
    "SELECT ip FROM audits_login_log WHERE username = 'far-away' AND reason = 'mfa_failed' ORDER BY datetime, id",
  )
  expect(rows.map(({ ip }) => ip)).toEqual(['127.0.0.1', '203.0.113.4', '127.0.0.1'])
})

test('a right code forgets the wrong codes of its person, and of nobody else, and no wrong password', async () => {
  const counted = async () =>
    (
      await server.kernel.pool.query(
        `SELECT username, kind, sum(failures)::int AS n FROM authentication_failure
         WHERE username IN ('slips', 'other-slips') GROUP BY 1, 2 ORDER BY 1, 2`,
      )
    ).rows.map(({ username, kind, n }) => `${username} ${kind} ${n}`)
  const { secret } = await aGuarded(server, 'slips')
  const other = await aGuarded(server, 'other-slips')
  const [client, another] = [aClient(), aClient()]
  await client.call('POST', TOKENS, { username: 'slips', password: PASSWORD })
  await another.call('POST', TOKENS, { username: 'other-slips', password: PASSWORD })
  for (let n = 0; n < 2; n++) {
    await client.call('POST', CHALLENGE, { type: 'otp', code: wrongCode(secret) })
    await another.call('POST', CHALLENGE, { type: 'otp', code: wrongCode(other.secret) })
  }
  await aClient().call('POST', TOKENS, { username: 'slips', password: 'wrong' })
  expect(await counted()).toEqual(['other-slips mfa 2', 'slips login 1', 'slips mfa 2'])
  expect((await client.call('POST', CHALLENGE, { type: 'otp', code: codeOf(secret) })).status).toBe(200)
  expect(await counted()).toEqual(['other-slips mfa 2', 'slips login 1'])
})

test('a locked second factor opens again when the time of the lock is over', async () => {
  const { secret } = await aGuarded(server, 'waiting')
  const client = aClient()
  await client.call('POST', TOKENS, { username: 'waiting', password: PASSWORD })
  for (let tries = 0; tries < 7; tries++) await client.call('POST', CHALLENGE, { type: 'otp', code: wrongCode(secret) })
  expect((await client.call('POST', CHALLENGE, { type: 'otp', code: codeOf(secret) })).body.error).toBe('block_mfa')
  // Guessed from elsewhere: what is counted here from now on begins at nothing.
  await server.kernel.pool.query(
    "UPDATE authentication_failure SET remote_addr = '192.0.2.1', date_expired = now() - interval '1 second' WHERE username = 'waiting'",
  )
  expect((await client.call('POST', CHALLENGE, { type: 'otp', code: codeOf(secret) })).status).toBe(200)
})

test('[B7.16] the second factor is asked for again before secrets; only it takes the factor off; nobody sets up a second app', async () => {
  const { id, secret } = await aGuarded(server, 'viewer')
  await server.admin.patch(`/api/v1/users/users/${id}/`, { mfa_level: 1 })
  const browser = aClient()
  await browser.call('POST', LOGIN, { username: 'viewer', password: PASSWORD })
  expect((await browser.call('GET', BIND)).body.error).toBe('otp_bound')
  // A code beside the password counts only where the page asks for both.
  const both = await aClient().call('POST', LOGIN, { username: 'viewer', password: PASSWORD, code: codeOf(secret) })
  expect(both.body).toEqual({ next: '/core/auth/login/mfa/' })
  await browser.call('POST', '/core/auth/login/mfa/', { code: codeOf(secret) })
  await browser.call('GET', '/core/auth/login/guard/')
  const due = await browser.call('GET', VERIFY)
  expect([due.status, due.body.code]).toEqual([400, 'mfa_verify_required'])
  expect((await browser.call('PATCH', PROFILE, { mfa_level: 0 })).body.code).toBe('mfa_verify_required')
  // What cannot be a code is not counted as a try.
  for (const body of [{}, { code: '' }, { code: '12345' }]) {
    const refused = await browser.call('POST', VERIFY, body)
    expect([refused.status, refused.body]).toEqual([400, { error: 'MFA Error, please check' }])
  }
  expect(
    (await browser.call('POST', '/core/auth/profile/otp/disable/', { otp_code: codeOf(secret, 1), password: 'wrong' }))
      .status,
  ).toBe(400)
  expect((await browser.call('POST', VERIFY, { code: codeOf(secret, 1) })).body).toEqual({ ok: '1' })
  expect((await browser.call('GET', VERIFY)).body).toEqual({ code: 'valid', msg: 'verified' })
  const provenBefore = (seconds: number) =>
    server.kernel.pool.query(
      `UPDATE authentication_session
       SET state = state || jsonb_build_object('mfa_verified_at', now() - make_interval(secs => $2)) WHERE user_id = $1`,
      [id, seconds],
    )
  const lifetime = settingsOf(server.kernel).get('SECURITY_MFA_VERIFY_TTL')
  await provenBefore(lifetime - 60)
  expect((await browser.call('GET', VERIFY)).status).toBe(200)
  await provenBefore(lifetime)
  expect((await browser.call('GET', VERIFY)).body.code).toBe('mfa_verify_required')
})

test('an administrator resets the factor; a person who must have one sets it up again, and gets no token before', async () => {
  const { id } = await aGuarded(server, 'lost-phone')
  expect((await server.admin.get(`/api/v1/users/users/${id}/`)).body.is_otp_secret_key_bound).toBe(true)
  expect((await server.admin.get(`/api/v1/users/users/${id}/mfa/reset/`)).body).toEqual({ msg: 'success' })
  expect((await server.admin.get(`/api/v1/users/users/${id}/`)).body).toMatchObject({
    is_otp_secret_key_bound: false,
    mfa_force_enabled: true,
  })
  const refused = await aClient().call('POST', TOKENS, { username: 'lost-phone', password: PASSWORD })
  expect([refused.status, refused.body.token]).toEqual([400, undefined])
  expect((await aClient().call('POST', LOGIN, { username: 'lost-phone', password: PASSWORD })).body.next).toContain(
    'otp/enable/start',
  )
})

test.each([
  [0, [false, false]],
  [1, [true, true]],
  [2, [false, true]],
] as const)(
  '[A3.37] SECURITY_MFA_AUTH %i asks an ordinary person and an administrator of an organization: %j',
  async (level, asked) => {
    const settings = settingsOf(server.kernel)
    await server.aPerson(`plain-${level}`)
    await server.aPerson(`chief-${level}`, { orgRoles: ['Admin'] })
    await settings.set('SECURITY_MFA_AUTH', level)
    try {
      const steps = []
      for (const name of ['plain', 'chief'])
        steps.push(
          (await aClient().call('POST', LOGIN, { username: `${name}-${level}`, password: PASSWORD })).body.next,
        )
      expect(steps.map((next) => next === '/core/auth/profile/otp/enable/start/')).toEqual(asked)
    } finally {
      await settings.set('SECURITY_MFA_AUTH', 0)
    }
  },
)
