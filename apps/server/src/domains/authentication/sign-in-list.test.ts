import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestBrowser, type TestBrowser } from '../../../test/browser.ts'
import { type Caller, openTestServer, PASSWORD, type TestServer } from '../../../test/server.ts'

const OWN = '/api/v1/authentication/sessions/'
const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:143.0) Gecko/20100101 Firefox/143.0'
const PHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1'

let server: TestServer
let foreignOrg: string
beforeAll(async () => {
  server = await openTestServer()
  foreignOrg = await server.anOrg('Elsewhere')
})
afterAll(() => server?.close())

async function browserOf(username: string, userAgent: string): Promise<TestBrowser> {
  const browser = openTestBrowser(server)
  const headers = { 'user-agent': userAgent }
  await browser.call('GET', '/core/auth/login/', undefined, headers)
  expect((await browser.call('POST', '/core/auth/login/', { username, password: PASSWORD }, headers)).status).toBe(200)
  return browser
}

const whoAmI = async (browser: TestBrowser) => (await browser.call('GET', '/api/v1/users/profile/')).status
const of = (person: Caller) => `/api/v1/users/users/${person.id}/sessions/`
const logged = async () =>
  (await server.admin.get('/api/v1/audits/operate-logs/?resource_type=Sign-in')).body.map((row: { resource: string }) => row.resource)

test('a person sees in which browsers they are signed in, and signs one of them out; the log says who did it to whom', async () => {
  await server.aPerson('roamer')
  const [desk, phone] = [await browserOf('roamer', FIREFOX), await browserOf('roamer', PHONE)]
  const { status, body } = await desk.call('GET', OWN)
  expect(status).toBe(200)
  expect(body).toMatchObject([
    { browser: 'Safari 18', system: 'iOS 18.5', user_agent: PHONE, remote_addr: '127.0.0.1', city: 'LAN', is_current: false },
    { browser: 'Firefox 143', system: 'Windows', city: 'LAN', is_current: true },
  ])
  expect(Object.keys(body[0]).sort()).toEqual(
    ['browser', 'city', 'date_created', 'date_last_seen', 'id', 'is_current', 'remote_addr', 'system', 'user_agent'].sort(),
  )
  expect((await desk.call('DELETE', `${OWN}${body[0].id}/`)).status).toBe(204)
  expect([await whoAmI(desk), await whoAmI(phone)]).toEqual([200, 401])
  expect(await logged()).toContain('roamer of test(roamer): Safari 18, iOS 18.5, 127.0.0.1')
})

test('nobody sees or ends the sign-ins of another person by their own list', async () => {
  const [mine, other] = [await server.aPerson('mine'), await server.aPerson('other')]
  const browser = await browserOf('other', FIREFOX)
  const [row] = (await browser.call('GET', OWN)).body
  expect((await mine.get(`${OWN}?ids=${row.id}`)).body).toEqual([])
  expect((await mine.delete(`${OWN}${row.id}/`)).status).toBe(404)
  expect((await mine.get(of(other))).status).toBe(403)
  expect((await mine.delete(of(other))).status).toBe(403)
  expect(await whoAmI(browser)).toBe(200)
})

test('signing out everywhere else keeps this browser, and ends other browsers and tokens', async () => {
  const token = await server.aPerson('leaver')
  const [here, there] = [await browserOf('leaver', FIREFOX), await browserOf('leaver', PHONE)]
  expect((await here.call('DELETE', `${OWN}others/`)).status).toBe(204)
  expect([await whoAmI(here), await whoAmI(there), (await token.get('/api/v1/users/profile/')).status]).toEqual([200, 401, 401])
  const again = await server.signIn('leaver', PASSWORD)
  expect((await again.delete(`${OWN}others/`)).status).toBe(204)
  expect([await whoAmI(here), (await again.get('/api/v1/users/profile/')).status]).toEqual([401, 200])
})

test('an administrator sees and ends the sign-ins of members, an auditor sees them, another organisation does neither', async () => {
  const person = await server.aPerson('watched')
  const boss = await server.aPerson('boss', { orgRoles: ['Admin'] })
  const auditor = await server.aPerson('clerk', { orgRoles: ['Auditor'] })
  const stranger = await server.aPerson('stranger', { orgRoles: ['Admin'], org: foreignOrg })
  const [first, second] = [await browserOf('watched', FIREFOX), await browserOf('watched', PHONE)]
  const rows = (await auditor.get(of(person))).body
  expect(rows).toHaveLength(2)
  expect((await auditor.delete(`${of(person)}${rows[0].id}/`)).status).toBe(403)
  expect((await stranger.get(of(person))).body).toEqual([])
  expect((await stranger.delete(`${of(person)}${rows[0].id}/`)).status).toBe(404)
  expect((await stranger.delete(of(person))).status).toBe(404)
  expect((await boss.delete(`${of(person)}${rows[0].id}/`)).status).toBe(204)
  expect([await whoAmI(first), await whoAmI(second)]).toEqual([200, 401])
  expect((await boss.delete(of(person))).status).toBe(204)
  expect([await whoAmI(first), (await person.get('/api/v1/users/profile/')).status]).toEqual([401, 401])
  expect(await logged()).toContain('watched of test(watched): all')
})

test('an administrator does not sign out whoever stands above them, or belongs elsewhere too', async () => {
  const boss = await server.aPerson('manager', { orgRoles: ['Admin'] })
  const shared = await server.aPerson('shared')
  expect((await server.admin.in(foreignOrg).post('/api/v1/users/users/invite/', { user: shared.id, role: 'User' })).status).toBe(201)
  const chief = await server.aPerson('chief', { role: 'Admin' })
  for (const person of [shared, chief]) {
    const browser = await browserOf(person.username, FIREFOX)
    const [row] = (await boss.get(of(person))).body
    expect((await boss.delete(`${of(person)}${row.id}/`)).status).toBe(403)
    expect((await boss.delete(of(person))).status).toBe(403)
    expect(await whoAmI(browser)).toBe(200)
  }
})
