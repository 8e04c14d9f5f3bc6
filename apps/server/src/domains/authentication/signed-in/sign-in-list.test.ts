import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestBrowser, type TestBrowser } from '../../../../test/browser.ts'
import { type Caller, openTestServer, PASSWORD, type TestServer } from '../../../../test/server.ts'
import { renewPrivateToken } from '../credentials/private-token.ts'

const OWN = '/api/v1/authentication/sessions/'
const BROWSERS = '?kind=browser'
const EVERYBODY = '/api/v1/audits/sign-ins/'
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
  (await server.admin.get('/api/v1/audits/operate-logs/?resource_type=Sign-in')).body.map(
    (row: { resource: string }) => row.resource,
  )

test('a person sees in which browsers they are signed in, and signs one of them out; the log says who did it to whom', async () => {
  await server.aPerson('roamer')
  const [desk, phone] = [await browserOf('roamer', FIREFOX), await browserOf('roamer', PHONE)]
  const { status, body } = await desk.call('GET', `${OWN}${BROWSERS}`)
  expect(status).toBe(200)
  expect(body).toMatchObject([
    {
      browser: 'Safari 18',
      system: 'iOS 18.5',
      user_agent: PHONE,
      remote_addr: '127.0.0.1',
      city: 'LAN',
      is_current: false,
    },
    { browser: 'Firefox 143', system: 'Windows', city: 'LAN', is_current: true },
  ])
  expect(Object.keys(body[0]).sort()).toEqual(
    [
      'browser',
      'city',
      'date_created',
      'date_expired',
      'date_last_seen',
      'id',
      'is_current',
      'kind',
      'kind_display',
      'remote_addr',
      'system',
      'user_agent',
    ].sort(),
  )
  expect((await desk.call('DELETE', `${OWN}${body[0].id}/`)).status).toBe(204)
  expect([await whoAmI(desk), await whoAmI(phone)]).toEqual([200, 401])
  expect(await logged()).toContain('roamer of test (roamer): Safari 18, iOS 18.5, 127.0.0.1')
})

test('nobody sees or ends the sign-ins of another person by their own list', async () => {
  const [mine, other] = [await server.aPerson('mine'), await server.aPerson('other')]
  const browser = await browserOf('other', FIREFOX)
  const [row] = (await browser.call('GET', `${OWN}${BROWSERS}`)).body
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
  expect([await whoAmI(here), await whoAmI(there), (await token.get('/api/v1/users/profile/')).status]).toEqual([
    200, 401, 401,
  ])
  const again = await server.signIn('leaver', PASSWORD)
  expect((await again.delete(`${OWN}others/`)).status).toBe(204)
  expect([await whoAmI(here), (await again.get('/api/v1/users/profile/')).status]).toEqual([401, 200])
})

test('an administrator sees and ends the sign-ins of members, an auditor sees them, another organization does neither', async () => {
  const person = await server.aPerson('watched')
  const boss = await server.aPerson('boss', { orgRoles: ['Admin'] })
  const auditor = await server.aPerson('clerk', { orgRoles: ['Auditor'] })
  const stranger = await server.aPerson('stranger', { orgRoles: ['Admin'], org: foreignOrg })
  const [first, second] = [await browserOf('watched', FIREFOX), await browserOf('watched', PHONE)]
  const rows = (await auditor.get(`${of(person)}${BROWSERS}`)).body
  expect(rows).toHaveLength(2)
  expect((await auditor.delete(`${of(person)}${rows[0].id}/`)).status).toBe(403)
  expect((await stranger.get(of(person))).body).toEqual([])
  expect((await stranger.delete(`${of(person)}${rows[0].id}/`)).status).toBe(404)
  expect((await stranger.delete(of(person))).status).toBe(404)
  expect((await boss.delete(`${of(person)}${rows[0].id}/`)).status).toBe(204)
  expect([await whoAmI(first), await whoAmI(second)]).toEqual([200, 401])
  expect((await boss.delete(of(person))).status).toBe(204)
  expect([await whoAmI(first), (await person.get('/api/v1/users/profile/')).status]).toEqual([401, 401])
  expect(await logged()).toContain('watched of test (watched): all')
})

test('an administrator does not sign out people who have more rights, or belong elsewhere too', async () => {
  const boss = await server.aPerson('manager', { orgRoles: ['Admin'] })
  const shared = await server.aPerson('shared')
  expect(
    (await server.admin.in(foreignOrg).post('/api/v1/users/users/invite/', { user: shared.id, role: 'User' })).status,
  ).toBe(201)
  const chief = await server.aPerson('chief', { role: 'Admin' })
  for (const person of [shared, chief]) {
    const browser = await browserOf(person.username, FIREFOX)
    const [row] = (await person.get(`${OWN}${BROWSERS}`)).body
    // Where somebody is signed in who belongs elsewhere too is not told either.
    expect((await boss.get(`${of(person)}${BROWSERS}`)).body).toHaveLength(person === shared ? 0 : 1)
    expect((await boss.delete(`${of(person)}${row.id}/`)).status).toBe(person === shared ? 404 : 403)
    expect((await boss.delete(of(person))).status).toBe(403)
    expect(await whoAmI(browser)).toBe(200)
  }
})

test('tokens are rows of the list: with the address, since when, and when they were used last, noted once a minute; one ends without the others', async () => {
  const { db, pool } = server.kernel
  const token = await server.aPerson('caller')
  const key = (await renewPrivateToken(db, 'caller')) ?? ''
  const browser = await browserOf('caller', FIREFOX)
  const byKey = () => server.call('GET', OWN, { headers: { authorization: `Token ${key}`, 'user-agent': 'robot/1' } })
  const row = async (kind: string) => (await browser.call('GET', `${OWN}?kind=${kind}`)).body[0]
  expect(await row('private_token')).toMatchObject({ remote_addr: '', date_last_seen: null, is_current: false })
  expect((await byKey()).body).toMatchObject([
    { kind: 'private_token', is_current: true },
    { kind: 'browser' },
    { kind: 'token' },
  ])
  expect(await row('private_token')).toMatchObject({
    remote_addr: '127.0.0.1',
    user_agent: 'robot/1',
    kind_display: 'Private token',
  })

  const seen = async () =>
    (await pool.query('SELECT date_last_seen FROM authentication_sign_in WHERE user_id = $1 ORDER BY id', [token.id]))
      .rows
  const before = await seen()
  await Promise.all([token.get(OWN), byKey()])
  expect(await seen()).toEqual(before)
  await pool.query(
    "UPDATE authentication_bearer_token SET date_last_seen = now() - interval '61 seconds' WHERE user_id = $1",
    [token.id],
  )
  await token.get(OWN)
  const { rows } = await pool.query(
    "SELECT date_last_seen > now() - interval '30 seconds' AS noted FROM authentication_bearer_token WHERE user_id = $1",
    [token.id],
  )
  expect(rows).toEqual([{ noted: true }])

  expect((await browser.call('DELETE', `${OWN}${(await row('token')).id}/`)).status).toBe(204)
  expect([(await token.get(OWN)).status, (await byKey()).status]).toEqual([401, 200])
  expect((await browser.call('DELETE', `${OWN}others/`)).status).toBe(204)
  expect([await whoAmI(browser), (await byKey()).status]).toEqual([200, 401])
  expect(await logged()).toContain('caller of test (caller): API token, 127.0.0.1')
})

test('auditors see what everybody of their organization is signed in with, administrators end one of it; other organizations stay out of sight', async () => {
  const person = await server.aPerson('seen')
  const clerk = await server.aPerson('reader', { orgRoles: ['Auditor'] })
  const boss = await server.aPerson('ender', { orgRoles: ['Admin'] })
  const stranger = await server.aPerson('outsider', { orgRoles: ['Admin'], org: foreignOrg })
  const browser = await browserOf('seen', FIREFOX)
  const list = `${EVERYBODY}?search=seen of&limit=10`
  const { body } = await clerk.get(list)
  expect(body).toMatchObject({
    count: 2,
    results: [
      { user: 'seen of test(seen)', user_id: person.id, kind: 'browser', browser: 'Firefox 143' },
      { kind: 'token' },
    ],
  })
  const path = `${EVERYBODY}${body.results[0].id}/`
  expect((await person.get(EVERYBODY)).status).toBe(403)
  expect((await clerk.delete(path)).status).toBe(403)
  expect([(await stranger.get(list)).body.count, (await stranger.delete(path)).status]).toEqual([0, 404])
  const chief = await server.aPerson('above', { role: 'Admin' })
  const [above] = (await boss.get(`${EVERYBODY}?user_id=${chief.id}`)).body
  expect((await boss.delete(`${EVERYBODY}${above.id}/`)).status).toBe(403)
  expect((await boss.delete(path)).status).toBe(204)
  expect([await whoAmI(browser), (await person.get('/api/v1/users/profile/')).status]).toEqual([401, 200])
  expect(await logged()).toContain('seen of test (seen): Firefox 143, Windows, 127.0.0.1')
  expect((await server.admin.in('root').get(list)).body.count).toBe(1)
})

test('a sign-in is known by its row in the sign-in log, in browsers, by tokens, and in what is done with it', async () => {
  const person = await server.aPerson('traced', { orgRoles: ['Admin'] })
  const browser = await browserOf('traced', FIREFOX)
  const rows = (await person.get('/api/v1/audits/login-logs/?username=traced')).body
  const ids = rows.map(({ id }: { id: string }) => id)
  expect(rows[0]).toMatchObject({ browser: 'Firefox 143', system: 'Windows', user_id: person.id })
  const held = (await person.get(OWN)).body
  expect(held.map(({ kind }: { kind: string }) => kind).sort()).toEqual(['browser', 'token'])
  for (const { id } of held) expect(ids).toContain(id)
  const [{ id }] = (await browser.call('GET', `${OWN}${BROWSERS}`)).body
  await browser.call('POST', '/api/v1/users/profile/dismiss-guide/', {})
  expect((await person.get(`/api/v1/audits/operate-logs/?sign_in_id=${id}`)).body).toMatchObject([
    { user_id: person.id, sign_in_id: id },
  ])
})
