import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestBrowser } from '../../../../test/browser.ts'
import { openTestServer, PASSWORD, type TestServer } from '../../../../test/server.ts'
import { settingsOf } from '../../settings/index.ts'
import { type FreeRadius, startFreeRadius } from '../radius/freeradius-fixture.ts'

const TOKENS = '/api/v1/authentication/tokens/'
const CHALLENGE = '/api/v1/authentication/mfa/challenge/'
const LOGIN = '/core/auth/login/'

let radius: FreeRadius
let server: TestServer
beforeAll(async () => {
  radius = await startFreeRadius({ rita: '738291', other: '112233', stella: 'Static-1' })
  server = await openTestServer()
  await settingsOf(server.kernel).change({
    OTP_IN_RADIUS: true,
    RADIUS_SERVER: '127.0.0.1',
    RADIUS_PORT: radius.port,
    RADIUS_SECRET: radius.secret,
  })
})
afterAll(async () => {
  await server?.close()
  await radius?.close()
})

test("the code is asked for as the person's RADIUS password, for everybody whose second factor is on, and limited like the others", async () => {
  const { id } = await server.aPerson('rita')
  await server.admin.patch(`/api/v1/users/users/${id}/`, { mfa_level: 1 })
  const client = openTestBrowser(server)
  const asked = await client.call('POST', TOKENS, { username: 'rita', password: PASSWORD })
  expect(asked.body).toMatchObject({ error: 'mfa_required', data: { choices: ['otp_radius'] } })
  // Nothing is sent for it, and nobody else's code or an empty one counts.
  expect((await client.call('POST', '/api/v1/authentication/mfa/select/', { type: 'otp_radius' })).status).toBe(201)
  for (const code of ['112233', PASSWORD, '738291\0'])
    expect((await client.call('POST', CHALLENGE, { type: 'otp_radius', code })).body.error).toBe('mfa_failed')
  expect((await client.call('POST', CHALLENGE, { type: 'otp_radius', code: '738291' })).body).toEqual({ msg: 'ok' })
  expect((await client.call('POST', TOKENS, { username: 'rita', password: '' })).status).toBe(201)
  // A person with this factor proves it before they switch the second factor off, or set another
  // up.
  const browser = openTestBrowser(server)
  expect((await browser.call('POST', LOGIN, { username: 'rita', password: PASSWORD })).body.next).toBe(
    '/core/auth/login/mfa/',
  )
  expect((await browser.call('GET', '/core/auth/profile/otp/enable/bind/')).body.error).toBe('session_empty')
  await browser.call('POST', '/core/auth/login/mfa/', { mfa_type: 'otp_radius', code: '738291' })
  await browser.call('GET', '/core/auth/login/guard/')
  expect((await browser.call('PATCH', '/api/v1/users/profile/', { mfa_level: 0 })).body.code).toBe(
    'mfa_verify_required',
  )
  const tries = await Promise.all(
    Array.from({ length: 9 }, () =>
      browser.call('POST', '/api/v1/authentication/otp/verify/', { type: 'otp_radius', code: 'wrong' }),
    ),
  )
  expect(tries.filter(({ body }) => /(?:try is|tries are) left|has been locked/.test(body.error))).toHaveLength(9)
  expect((await client.call('POST', TOKENS, { username: 'rita', password: PASSWORD })).status).toBe(200)
  expect((await client.call('POST', CHALLENGE, { type: 'otp_radius', code: '738291' })).body.error).toBe('block_mfa')
})

test('while the RADIUS server is away a code is refused and nobody comes in', async () => {
  const { id } = await server.aPerson('other')
  await server.admin.patch(`/api/v1/users/users/${id}/`, { mfa_level: 1 })
  await settingsOf(server.kernel).set('RADIUS_PORT', 1)
  const client = openTestBrowser(server)
  await client.call('POST', TOKENS, { username: 'other', password: PASSWORD })
  expect((await client.call('POST', CHALLENGE, { type: 'otp_radius', code: '112233' })).body.error).toBe('mfa_failed')
  await settingsOf(server.kernel).set('RADIUS_PORT', radius.port)
})

test('a person who signed in with their RADIUS password does not prove a second factor by it: they set up another', async () => {
  await settingsOf(server.kernel).set('AUTH_RADIUS', true)
  const client = openTestBrowser(server)
  const signIn = () => client.call('POST', TOKENS, { username: 'stella', password: 'Static-1' })
  const { status, body } = await signIn()
  expect(status).toBe(201)
  await server.admin.in('root').patch(`/api/v1/users/users/${body.user.id}/`, { mfa_level: 1 })
  expect((await signIn()).status).toBe(400)
  const browser = openTestBrowser(server)
  expect((await browser.call('POST', LOGIN, { username: 'stella', password: 'Static-1' })).body.next).toBe(
    '/core/auth/profile/otp/enable/start/',
  )
  for (const [path, proof] of [
    [CHALLENGE, { type: 'otp_radius', code: 'Static-1' }],
    ['/core/auth/login/mfa/', { mfa_type: 'otp_radius', code: 'Static-1' }],
  ] as const)
    expect((await browser.call('POST', path, proof)).body.error).toBe('mfa_failed')
  expect((await browser.call('GET', '/core/auth/login/guard/')).headers.location).not.toBe('/ui/')
  // Also where the page takes both at once.
  await settingsOf(server.kernel).set('SECURITY_MFA_IN_LOGIN_PAGE', true)
  const once = openTestBrowser(server)
  await once.call('POST', LOGIN, { username: 'stella', password: 'Static-1', mfa_type: 'otp_radius', code: 'Static-1' })
  expect((await once.call('GET', '/api/v1/users/profile/')).status).toBe(401)
})
