import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestBrowser } from '../../../../test/browser.ts'
import { openTestServer, PASSWORD, type TestServer } from '../../../../test/server.ts'
import { settingsOf } from '../../settings/index.ts'
import { hashPassword } from '../../users/password/password.ts'
import { isKeyWorthProving } from './sign-in.ts'

let server: TestServer
beforeAll(async () => {
  server = await openTestServer()
})
afterAll(() => server?.close())

const signIn = (username: string, password: string, headers: Record<string, string> = {}) =>
  server.call('POST', '/api/v1/authentication/tokens/', { body: { username, password }, headers })

test('[B8.01] a wrong password and an unknown name read the same, and only the log tells them apart', async () => {
  await server.aPerson('wilma')
  const wrong = await signIn('wilma', 'nonsense')
  const unknown = await signIn('nobody', 'nonsense')
  expect([wrong.status, wrong.body]).toEqual([400, unknown.body])
  expect(wrong.body.msg).toContain('6 tries are left')
  const log = await server.admin.in('root').get('/api/v1/audits/login-logs/?limit=10')
  const reasons = log.body.results.map((row: { username: string; status: boolean; reason: string }) => [
    row.username,
    row.status,
    row.reason,
  ])
  expect(reasons).toContainEqual(['wilma', false, 'password_failed'])
  expect(reasons).toContainEqual(['nobody', false, 'user_not_exist'])
  expect(reasons).toContainEqual(['wilma', true, ''])
  expect(log.body.results.map((row: { backend: string }) => row.backend)).toContain('Password')
})

test('[A3.38] seven failures lock the name from everywhere, however fast they come; unblock lifts the lock', async () => {
  const { id } = await server.aPerson('lockme')
  const tries = await Promise.all(Array.from({ length: 25 }, () => signIn('lockme', 'wrong')))
  const errors = tries.map(({ body }) => body.error)
  expect(errors.filter((error) => error === 'password_failed')).toHaveLength(7)
  expect(errors.filter((error) => error === 'block_login')).toHaveLength(18)
  const locked = await signIn('lockme', PASSWORD)
  expect([locked.status, locked.body.error]).toEqual([400, 'block_login'])
  expect(locked.body.msg).toContain('30')
  const path = `/api/v1/users/users/${id}/`
  expect((await server.admin.get(path)).body.login_blocked).toBe(true)
  expect((await server.admin.patch(`${path}unblock/`)).body.login_blocked).toBe(false)
  expect((await signIn('lockme', PASSWORD)).status).toBe(201)
})

test('[A3.38] success forgets earlier failures', async () => {
  await server.aPerson('typo')
  for (let round = 0; round < 3; round++) {
    for (let n = 0; n < 4; n++) await signIn('typo', 'wrong')
    expect((await signIn('typo', PASSWORD)).status).toBe(201)
  }
})

test('[A3.38] a claimed address counts for components only', async () => {
  await server.aPerson('dodger')
  for (let n = 0; n < 7; n++)
    await server.call('POST', '/api/v1/authentication/tokens/', {
      body: { username: 'dodger', password: 'x', remote_addr: `10.0.0.${n}` },
    })
  expect((await signIn('dodger', PASSWORD)).body.error).toBe('block_login')
})

test('[A1.01] a disabled or expired person learns that only with the right password, and their tokens end', async () => {
  const person = await server.aPerson('leaver')
  expect((await person.get('/api/v1/users/profile/')).status).toBe(200)
  await server.admin.patch(`/api/v1/users/users/${person.id}/`, { is_active: false })
  expect((await person.get('/api/v1/users/profile/')).status).toBe(401)
  expect((await signIn('leaver', 'wrong')).body.error).toBe('password_failed')
  expect((await signIn('leaver', PASSWORD)).body.error).toBe('user_inactive')
  await server.admin.patch(`/api/v1/users/users/${person.id}/`, {
    is_active: true,
    date_expired: '2020-01-01T00:00:00Z',
  })
  expect((await signIn('leaver', PASSWORD)).body.error).toBe('user_expired')
})

test('[A5.04] a person who must change the password gets no token before, and a link that works once', async () => {
  const { id } = await server.aPerson('newcomer')
  await server.admin.patch(`/api/v1/users/users/${id}/`, { need_update_password: true })
  const refused = await signIn('newcomer', PASSWORD)
  // One sentence under `error` for existing clients, the word for it under `code`.
  expect([refused.status, refused.body]).toEqual([
    400,
    expect.objectContaining({ error: 'You must change your password before signing in', code: 'passwd_need_update' }),
  ])
  const url = new URL(refused.body.url, 'http://here')
  expect(url.pathname).toBe('/core/auth/password/reset/')
  const set = (body: object) =>
    server.call('POST', '/core/auth/password/reset/', { body: { token: url.searchParams.get('token'), ...body } })
  const short = await set({ new_password: 'abc', confirm_password: 'abc' })
  expect([short.status, Object.keys(short.body)]).toEqual([400, ['new_password']])
  const differing = await set({ new_password: 'Another-day-1', confirm_password: 'Another-day-2' })
  expect([differing.status, Object.keys(differing.body)]).toEqual([400, ['confirm_password']])
  const again = await set({ new_password: PASSWORD, confirm_password: PASSWORD })
  expect([again.status, Object.keys(again.body)]).toEqual([400, ['new_password']])
  const done = await set({ new_password: 'Another-day-1', confirm_password: 'Another-day-1' })
  expect([done.status, done.body]).toEqual([200, { next: '/ui/' }])
  expect((await set({ new_password: 'Another-day-2', confirm_password: 'Another-day-2' })).status).toBe(400)
  expect((await signIn('newcomer', 'Another-day-1')).status).toBe(201)
})

test('[A3.41 B9.21] a password must be changed first from the day on which it runs out, and not a minute before', async () => {
  const { id } = await server.aPerson('oldtimer')
  const settings = settingsOf(server.kernel)
  await settings.set('SECURITY_PASSWORD_EXPIRATION_TIME', 30)
  const changedBefore = (age: string) =>
    server.kernel.pool.query('UPDATE users_user SET date_password_last_updated = now() - $2::interval WHERE id = $1', [
      id,
      age,
    ])
  try {
    await changedBefore('29 days 23 hours 59 minutes')
    expect((await signIn('oldtimer', PASSWORD)).status).toBe(201)
    await changedBefore('30 days')
    expect((await signIn('oldtimer', PASSWORD)).body.code).toBe('passwd_has_expired')
  } finally {
    await settings.set('SECURITY_PASSWORD_EXPIRATION_TIME', 9999)
  }
})

test('[A1.01] a system administrator signs in with the password of a fresh installation only to change it', async () => {
  const hash = await hashPassword('admin')
  for (const [username, role, answer] of [
    ['plain', 'User', [201, undefined]],
    ['chief', 'Admin', [400, 'passwd_too_simple']],
  ] as const) {
    const { id } = await server.aPerson(username, { role })
    expect((await signIn(username, PASSWORD)).status).toBe(201)
    await server.kernel.pool.query('UPDATE users_user SET password_hash = $2 WHERE id = $1', [id, hash])
    const { status, body } = await signIn(username, 'admin')
    expect([status, body.code]).toEqual(answer)
  }
})

test('[A1.01] a component proves itself by its access key alone: no password and no key that is stored for it is taken', async () => {
  const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGzLvXo1pIvmVvRRlEvEr4eFl0xqT6QkqZ2b9m0cJxVu me@home'
  const { id, put } = await server.aPerson('machine')
  expect((await put('/api/v1/users/profile/public-key/', { public_key: key })).status).toBe(200)
  const isTaken = (name: string) => isKeyWorthProving(server.kernel, name, key.split(' ')[1] ?? '', '127.0.0.1')
  expect([await isTaken('machine'), await isTaken('no-machine')]).toEqual([true, false])
  await server.kernel.pool.query("UPDATE users_user SET role = 'App' WHERE id = $1", [id])
  expect(await isTaken('machine')).toBe(false)
  expect((await signIn('machine', PASSWORD)).body.error).toBe('password_failed')
})

test('[A1.01] the login log says whether a program came from the web terminal or by SSH, as components tell it', async () => {
  await server.aPerson('typed')
  for (const type of ['W', 'T', 'X']) await signIn('typed', 'wrong', { 'X-JMS-LOGIN-TYPE': type })
  const log = await server.admin.in('root').get('/api/v1/audits/login-logs/?username=typed&order=-datetime&limit=3')
  expect(log.body.results.map((row: { type: unknown }) => row.type)).toEqual(['U', 'T', 'W'])
})

test('[A1.01] sign-in bodies of any shape are refused, never a fault', async () => {
  for (const body of [
    null,
    [],
    {},
    { username: {} },
    { username: 'a'.repeat(5000), password: 'x' },
    { username: 'a\0b', password: 'x' },
    'text',
    7,
  ]) {
    const { status, body: answer } = await server.call('POST', '/api/v1/authentication/tokens/', { body })
    expect([status, body]).toEqual([400, body])
    if (!JSON.stringify(body).includes('\\u0000')) expect(answer.error).toBe('invalid')
    const page = await server.call('POST', '/core/auth/login/', { body, headers: { accept: 'application/json' } })
    expect([page.status, body]).toEqual([400, body])
  }
})

test('a sign-in in a browser with a session ends that session: its cookie opens nothing any more', async () => {
  const browser = openTestBrowser(server)
  const signInHere = async (username: string) => {
    await server.aPerson(username)
    const { body } = await browser.call('POST', '/core/auth/login/', { username, password: PASSWORD })
    await browser.call('GET', body.next)
    return browser.call('GET', '/api/v1/users/profile/')
  }
  expect((await signInHere('first-here')).body.username).toBe('first-here')
  const before = openTestBrowser(server)
  for (const [name, value] of browser.jar) before.jar.set(name, value)
  expect((await before.call('GET', '/api/v1/users/profile/')).status).toBe(200)
  expect((await signInHere('second-here')).body.username).toBe('second-here')
  expect((await before.call('GET', '/api/v1/users/profile/')).status).toBe(401)
})
