import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestServer, type TestServer } from '../../test/server.ts'
import { seedDemo } from './seed.ts'

let server: TestServer

beforeAll(async () => {
  server = await openTestServer()
})
afterAll(() => server?.close())

const LISTS = [
  'users/users',
  'users/groups',
  'assets/nodes',
  'assets/assets',
  'assets/labels',
  'assets/domains',
  'assets/gateways',
  'assets/system-users',
  'perms/asset-permissions',
  'terminal/sessions',
  'audits/login-logs',
]

async function counts(): Promise<Record<string, number>> {
  const answers = await Promise.all(LISTS.map((path) => server.admin.get(`/api/v1/${path}/?limit=1`)))
  return Object.fromEntries(LISTS.map((path, index) => [path, answers[index]?.body.count]))
}

test('the demo fills a company, and a second run adds nothing', async () => {
  await seedDemo(server.kernel)
  const first = await counts()
  expect(first['users/users']).toBeGreaterThan(30)
  expect(first['assets/assets']).toBeGreaterThan(100)
  expect(first['assets/nodes']).toBeGreaterThan(20)
  expect(Object.values(first).every((count) => count > 0)).toBe(true)
  await seedDemo(server.kernel)
  expect(await counts()).toEqual(first)
}, 60_000)

test('people of the demo see what they were granted, and nobody knows a password', async () => {
  const { body } = await server.admin.get('/api/v1/users/users/?username=zhangwei')
  const granted = await server.admin.get(`/api/v1/perms/users/${body[0].id}/assets/?limit=1`)
  expect(granted.body.count).toBeGreaterThan(50)
  for (const password of ['demo', 'zhangwei', 'password', '']) {
    expect(
      (await server.call('POST', '/api/v1/authentication/tokens/', { body: { username: 'limin', password } })).status,
    ).toBe(400)
  }
})
