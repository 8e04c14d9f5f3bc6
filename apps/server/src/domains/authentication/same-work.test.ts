import { verify } from '@node-rs/argon2'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { openTestBrowser } from '../../../test/browser.ts'
import { createTestDatabase } from '../../../test/database.ts'
import { type Answer, openTestServer, PASSWORD, type TestServer } from '../../../test/server.ts'
import { settingsOf } from '../settings/index.ts'
import { hashCheaply } from '../users/password/password.ts'

// The real thing, which also counts: work is compared by how much of it is done, not by the clock.
vi.mock('@node-rs/argon2', async (original) => {
  const argon2 = await original<typeof import('@node-rs/argon2')>()
  return { ...argon2, verify: vi.fn(argon2.verify) }
})

const LIMIT = 7
const LOGIN = '/core/auth/login/'
/** Neither does background work: what is put off until after the answer is not counted with it. */
const SHARED = { SALLYPORT_SECRET_KEY: 'a key that both nodes seal and open with', SALLYPORT_ROLES: 'api,gateway' }

let server: TestServer
let other: TestServer
beforeAll(async () => {
  hashCheaply(false)
  const database = await createTestDatabase()
  server = await openTestServer(SHARED, database)
  // A node of its own: what a process remembers by itself must not be shared, as it is not between
  // machines.
  vi.resetModules()
  const fresh = await import('../../../test/server.ts')
  other = await fresh.openTestServer(SHARED, { ...database, drop: async () => {} })
  await server.aPerson('known')
  await server.aPerson('elsewhere')
  await server.aPerson('disabled')
  await server.kernel.pool.query(`UPDATE users_user SET source = 'ldap' WHERE username = 'elsewhere'`)
  await server.kernel.pool.query(`UPDATE users_user SET is_active = false WHERE username = 'disabled'`)
  await settingsOf(server.kernel).set('SECURITY_LOGIN_CAPTCHA_ENABLED', false)
})
afterAll(async () => {
  await other?.close()
  await server?.close()
})
beforeEach(() => server.kernel.pool.query('DELETE FROM authentication_failure'))

const byApi = (username: string, password: string, on: Pick<TestServer, 'call'> = server) =>
  on.call('POST', '/api/v1/authentication/tokens/', { body: { username, password } })
const byPage = (username: string, password: string) =>
  openTestBrowser(server).call('POST', LOGIN, { username, password })

/** The parts that a caller sees, without the values of headers. */
const seen = ({ status, body, headers }: Answer) => ({ status, body, headers: Object.keys(headers).toSorted() })

/** The start of a hash, without salt and sum: the way and its parameters. */
const costOf = (stored: string) => stored.split('$').slice(0, 4).join('$')

test('[A3.38 A1.01] a wrong password costs the same work and has the same answer for somebody, for nobody, and for people of a directory, disabled or a component', async () => {
  await server.call('POST', '/api/v1/users/service-account-registrations/', {
    body: { name: 'a-component' },
    headers: { authorization: 'BootstrapToken bootstrap-token-of-tests' },
  })
  for (const way of [byApi, byPage]) {
    const answers = []
    for (const name of ['known', 'nobody', 'elsewhere', 'disabled', 'a-component']) {
      await server.kernel.pool.query('DELETE FROM authentication_failure')
      vi.mocked(verify).mockClear()
      const answer = seen(await way(name, 'Wrong-guess-1'))
      answers.push({ ...answer, verified: vi.mocked(verify).mock.calls.map(([stored]) => costOf(String(stored))) })
    }
    expect(answers[0]).toMatchObject({
      status: 400,
      verified: ['$argon2id$v=19$m=19456,t=2,p=1'],
      body: { error: 'password_failed' },
    })
    for (const one of answers) expect(one).toEqual(answers[0])
  }
})

test('[A3.38] two nodes together check no more simultaneous guesses than one node checks in a row', async () => {
  const guesses = await Promise.all(
    Array.from({ length: 4 * LIMIT }, (_, n) => byApi('known', `Guess-number-${n}`, n % 2 ? server : other)),
  )
  const words = guesses.map(({ body }) => body.error)
  expect(words.filter((word) => word === 'password_failed')).toHaveLength(LIMIT)
  expect(words.filter((word) => word === 'block_login')).toHaveLength(3 * LIMIT)
  expect((await byApi('known', PASSWORD, other)).body.error).toBe('block_login')
})

test('[A3.38] a right password that was being looked at when others used the tries up is not taken', async () => {
  const { verify: really } = await vi.importActual<typeof import('@node-rs/argon2')>('@node-rs/argon2')
  vi.mocked(verify).mockImplementationOnce(async (...values) => {
    for (let n = 0; n < LIMIT; n++) await byApi('known', 'Wrong-guess-1', other)
    return really(...values)
  })
  expect((await byApi('known', PASSWORD)).body.error).toBe('block_login')
  await server.kernel.pool.query('DELETE FROM authentication_failure')
  expect((await byApi('known', PASSWORD)).status).toBe(201)
})

test('asking for a link to a new password is the same work for every address: none is looked up before the answer', async () => {
  const queries = vi.spyOn(server.kernel.pool, 'query')
  const ask = async (email: string) => {
    queries.mockClear()
    const answer = await openTestBrowser(server).call('POST', '/core/auth/password/forgot/', { email })
    return {
      ...seen(answer),
      people: queries.mock.calls.filter(([query]) => /users_(user|person|account)/.test(JSON.stringify(query))).length,
    }
  }
  await settingsOf(server.kernel).set('EMAIL_HOST', '127.0.0.1')
  await settingsOf(server.kernel).set('EMAIL_HOST_USER', 'door@example.com')
  await settingsOf(server.kernel).set('EMAIL_FROM', 'door@example.com')
  try {
    const known = await ask('known@example.com')
    expect(known).toMatchObject({ status: 200, people: 0 })
    expect(await ask('nobody@example.com')).toEqual(known)
  } finally {
    queries.mockRestore()
  }
})

test('choosing a second factor tells nothing about other names, and nothing at all before the password', async () => {
  const select = (browser: ReturnType<typeof openTestBrowser>, username: string) =>
    browser.call('POST', '/api/v1/authentication/mfa/select/', { type: 'otp', username })
  const stranger = openTestBrowser(server)
  const before = await select(stranger, 'known')
  expect(before.body.error).toBe('session_empty')
  expect(seen(await select(stranger, 'nobody'))).toEqual(seen(before))
  const { id } = await server.aPerson('halfway')
  await server.admin.patch(`/api/v1/users/users/${id}/`, { mfa_level: 2 })
  const halfway = openTestBrowser(server)
  await halfway.call('POST', LOGIN, { username: 'halfway', password: PASSWORD })
  const other = await select(halfway, 'known')
  expect(other.status).toBe(404)
  expect(seen(await select(halfway, 'nobody'))).toEqual(seen(other))
})
