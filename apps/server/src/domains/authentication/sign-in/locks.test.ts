import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openTestBrowser } from '../../../../test/browser.ts'
import { openTestServer, PASSWORD, type TestServer } from '../../../../test/server.ts'
import { settingsOf } from '../../settings/index.ts'

let server: TestServer
beforeAll(async () => {
  server = await openTestServer()
  await server.aPerson('tried')
  await settingsOf(server.kernel).set('SECURITY_LOGIN_CAPTCHA_ENABLED', false)
})
afterAll(() => server?.close())
beforeEach(async () => {
  await server.kernel.pool.query('DELETE FROM authentication_failure')
  const settings = settingsOf(server.kernel)
  await settings.set('SECURITY_LOGIN_IP_WHITE_LIST', [])
  await settings.set('SECURITY_LOGIN_IP_BLACK_LIST', [])
  await settings.set('SECURITY_LOGIN_IP_LIMIT_COUNT', 99_999)
})

const byApi = (username: string, password: string) =>
  server.call('POST', '/api/v1/authentication/tokens/', { body: { username, password } })
const byPage = (username: string, password: string) =>
  openTestBrowser(server).call('POST', '/core/auth/login/', { username, password })

test('[A3.38] an address that failed too often is locked for every name, known or not, on the page and over the API alike', async () => {
  await settingsOf(server.kernel).set('SECURITY_LOGIN_IP_LIMIT_COUNT', 3)
  for (const name of ['one', 'two', 'three']) expect((await byApi(name, 'wrong')).body.error).toBe('password_failed')
  const answers = [
    await byApi('tried', PASSWORD),
    await byApi('nobody', 'wrong'),
    await byPage('tried', PASSWORD),
    await byPage('nobody', 'x'),
  ]
  expect(answers.map(({ status, body }) => [status, body.error])).toEqual(
    answers.map(() => [400, 'block_global_ip_login']),
  )
  expect(new Set(answers.map(({ body }) => body.msg)).size).toBe(1)
  expect(answers[0]?.body.msg).toContain('30 minutes')
})

test.each([[['127.0.0.1']], [['127.0.0.0/8']], [['127.0.0.9-127.0.0.0']], [['10.0.0.1', '*']]])(
  '[A3.38] the black list %j keeps an address out from the first try, the white list beats it',
  async (list) => {
    const settings = settingsOf(server.kernel)
    await settings.set('SECURITY_LOGIN_IP_BLACK_LIST', list)
    expect((await byApi('tried', PASSWORD)).body.error).toBe('block_global_ip_login')
    await settings.set('SECURITY_LOGIN_IP_WHITE_LIST', list)
    expect((await byApi('tried', PASSWORD)).status).toBe(201)
  },
)

test('[A3.38] a white-listed address is not locked, but names that are tried from it are', async () => {
  const settings = settingsOf(server.kernel)
  await settings.set('SECURITY_LOGIN_IP_LIMIT_COUNT', 3)
  await settings.set('SECURITY_LOGIN_IP_WHITE_LIST', ['127.0.0.1'])
  for (let n = 0; n < 5; n++) await byApi(`other-${n}`, 'wrong')
  expect((await byApi('tried', PASSWORD)).status).toBe(201)
  for (let n = 0; n < 7; n++) await byApi('tried', 'wrong')
  expect((await byApi('tried', PASSWORD)).body.error).toBe('block_login')
})

test('[A3.38] an address is locked by what was counted of it, not of another address or of a name', async () => {
  await settingsOf(server.kernel).set('SECURITY_LOGIN_IP_LIMIT_COUNT', 3)
  for (let n = 0; n < 3; n++) await byApi('one', 'wrong')
  expect((await byApi('tried', PASSWORD)).body.error).toBe('block_global_ip_login')
  await server.kernel.pool.query("UPDATE authentication_failure SET remote_addr = '203.0.113.7' WHERE kind = 'ip'")
  expect((await byApi('tried', PASSWORD)).status).toBe(201)
})

test('[A3.38] a success forgets the failures of its name and of its address, and of no other', async () => {
  const move = () => server.kernel.pool.query("UPDATE authentication_failure SET remote_addr = '203.0.113.7'")
  await byApi('one', 'wrong')
  await move()
  await byApi('one', 'wrong')
  await byApi('tried', 'wrong')
  expect((await byApi('tried', PASSWORD)).status).toBe(201)
  const { rows } = await server.kernel.pool.query(
    "SELECT concat_ws(' ', kind, username, remote_addr, failures) AS left FROM authentication_failure ORDER BY 1",
  )
  expect(rows.map(({ left }) => left)).toEqual([
    'ip  203.0.113.7 1',
    'login one 127.0.0.1 1',
    'login one 203.0.113.7 1',
  ])
})

test('[A3.38] the list of people says whose name is locked: by seven failures from one address, not from two, until the lock is over', async () => {
  await server.aPerson('spread')
  const lockedOnes = async () =>
    (await server.admin.get('/api/v1/users/users/')).body
      .filter((row: { login_blocked: boolean }) => row.login_blocked)
      .map(({ username }: { username: string }) => username)
  for (let n = 0; n < 4; n++) await byApi('spread', 'wrong')
  await server.kernel.pool.query("UPDATE authentication_failure SET remote_addr = '203.0.113.7'")
  for (let n = 0; n < 4; n++) await byApi('spread', 'wrong')
  for (let n = 0; n < 7; n++) await byApi('tried', 'wrong')
  expect(await lockedOnes()).toEqual(['tried'])
  await server.kernel.pool.query("UPDATE authentication_failure SET date_expired = now() - interval '1 second'")
  expect(await lockedOnes()).toEqual([])
})

test('[A3.38] a lock ends with its time, and the count of failures starts again after it', async () => {
  const settings = settingsOf(server.kernel)
  await settings.set('SECURITY_LOGIN_IP_LIMIT_COUNT', 9)
  const timePasses = () =>
    server.kernel.pool.query("UPDATE authentication_failure SET date_expired = now() - interval '1 second'")
  for (let n = 0; n < 7; n++) await byApi('tried', 'wrong')
  expect((await byApi('tried', PASSWORD)).body.error).toBe('block_login')
  for (let n = 0; n < 2; n++) await byApi(`other-${n}`, 'wrong')
  expect((await byApi('somebody', 'wrong')).body.error).toBe('block_global_ip_login')
  await timePasses()
  const after = await byApi('tried', 'wrong')
  expect([after.body.error, after.body.msg]).toEqual(['password_failed', expect.stringContaining('6 tries are left')])
  expect((await byApi('tried', PASSWORD)).status).toBe(201)
})

test('[A3.38] trying while a name is locked keeps counting: the lock lasts as long as somebody tries', async () => {
  const minutesPass = (minutes: number) =>
    server.kernel.pool.query('UPDATE authentication_failure SET date_expired = date_expired - $1::interval', [
      `${minutes} minutes`,
    ])
  for (let n = 0; n < 7; n++) await byApi('tried', 'wrong')
  await minutesPass(29)
  expect((await byApi('tried', PASSWORD)).body.error).toBe('block_login')
  await minutesPass(29)
  expect((await byApi('tried', PASSWORD)).body.error).toBe('block_login')
  await minutesPass(31)
  expect((await byApi('tried', PASSWORD)).status).toBe(201)
})

test('[A3.38 A3.19] the right password where a login rule refuses it is counted as a wrong one, of its name and of its address', async () => {
  const { id: user } = await server.aPerson('ruled-out')
  const rules = {
    ip_group: ['*'],
    time_period: [0, 1, 2, 3, 4, 5, 6].map((day) => ({ id: day, value: '00:00~00:00' })),
  }
  const made = await server.admin.post('/api/v1/acls/login-acls/', {
    name: 'never',
    user,
    action: 'reject',
    rules,
    reviewers: [],
  })
  expect(made.status).toBe(201)
  await settingsOf(server.kernel).set('SECURITY_LOGIN_IP_LIMIT_COUNT', 9)
  const tries = []
  for (let n = 0; n < 8; n++) tries.push((await byApi('ruled-out', PASSWORD)).body.error)
  expect(tries).toEqual([...Array(7).fill('acl_not_allow'), 'block_login'])
  expect((await byApi('tried', 'wrong')).body.error).toBe('password_failed')
  expect((await byApi('tried', PASSWORD)).body.error).toBe('block_global_ip_login')
})

test('[A3.38] the right password of somebody who is disabled is counted as a wrong one', async () => {
  const { id } = await server.aPerson('disabled')
  expect((await server.admin.patch(`/api/v1/users/users/${id}/`, { is_active: false })).status).toBe(200)
  await settingsOf(server.kernel).set('SECURITY_LOGIN_IP_LIMIT_COUNT', 3)
  for (let n = 0; n < 3; n++) expect((await byApi('disabled', PASSWORD)).body.error).toBe('user_inactive')
  expect((await byApi('tried', PASSWORD)).body.error).toBe('block_global_ip_login')
})

test('[A3.38 B8.01] the remaining tries are shown alike for known and unknown names, down to the lock', async () => {
  const texts = async (name: string) => {
    const answers = []
    for (let n = 0; n < 8; n++) answers.push((await byPage(name, 'wrong')).body)
    return answers.map(({ error, msg }: { error: string; msg: string }) => `${error}: ${msg}`)
  }
  const known = await texts('tried')
  expect(await texts('nobody-at-all')).toEqual(known)
  expect(known[5]).toContain('1 try is left')
  expect(known[6]).toContain('has been locked')
  expect(known[7]).toMatch(/^block_login/)
})
