import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { TestBrowser } from '../../../../../test/browser.ts'
import { openTestServer, type TestServer } from '../../../../../test/server.ts'
import { LOCAL, type OutsideTest, outsideTest, settingsAt } from '../outside-sign-in-fixture.ts'
import { type CasDouble, startCas } from './cas-fixture.ts'

const SITE = 'http://sallyport.example'
const START = '/core/auth/cas/login/'
const CALLBACK = '/core/auth/cas/callback/'

let cas: CasDouble
let server: TestServer
let outside: OutsideTest
beforeAll(async () => {
  cas = await startCas()
  server = await openTestServer()
  outside = outsideTest(server, SITE)
})
afterAll(async () => {
  await server?.close()
  await cas?.close()
})
beforeEach(() => {
  cas.forged = undefined
  return configure()
})

async function configure(changes: Record<string, unknown> = {}) {
  const { status } = await server.admin.patch(settingsAt('cas'), {
    AUTH_CAS: true,
    CAS_SERVER_URL: cas.url,
    CAS_ROOT_PROXIED_AS: SITE,
    CAS_VERSION: 3,
    CAS_LOGOUT_COMPLETELY: true,
    CAS_USERNAME_ATTRIBUTE: 'uid',
    CAS_APPLY_ATTRIBUTES_TO_USER: true,
    CAS_RENAME_ATTRIBUTES: { uid: 'username', mail: 'email', displayName: 'name' },
    CAS_CREATE_USER: true,
    ...changes,
  })
  expect(status).toBe(200)
}

const begin = (browser: TestBrowser, next = '') =>
  outside.visit(browser, `${START}${next && `?next=${encodeURIComponent(next)}`}`)
const signIn = async (browser: TestBrowser, user: string, next = '') =>
  outside.visit(browser, cas.signIn(await begin(browser, next), user))

test('the first sign-in makes the person with what the server tells, the second brings them up to date; the way on stays on this server', async () => {
  cas.attributes.set('1001', {
    uid: ['olga'],
    mail: ['olga@corp.example', 'second@corp.example'],
    displayName: ['Olga & Co'],
    phone: ['13900000000'],
  })
  const browser = outside.aBrowser()
  expect(await signIn(browser, '1001', '/ui/assets/assets?tab=1')).toBe('/ui/assets/assets?tab=1')
  expect(await outside.whoIs(browser)).toBe('olga')
  const row = await outside.userRow('olga')
  expect(row).toMatchObject({
    source: 'cas',
    name: 'Olga & Co',
    email: 'olga@corp.example',
    phone: '13900000000',
    role: 'User',
  })
  expect(await outside.lastLog('olga')).toMatchObject({ status: true, backend: 'CAS' })
  cas.attributes.set('1001', { uid: ['olga'], displayName: ['Olga Married'] })
  for (const next of ['https://evil.example/', '//evil.example', '/\\evil.example'])
    expect(await signIn(outside.aBrowser(), '1001', next)).toBe('/ui/')
  expect(await outside.userRow('olga')).toMatchObject({ id: row?.id, name: 'Olga Married' })
  await configure({ CAS_APPLY_ATTRIBUTES_TO_USER: false })
  cas.attributes.set('1001', { uid: ['olga'], displayName: ['Third'] })
  expect(await signIn(outside.aBrowser(), '1001')).toBe('/ui/')
  expect((await outside.userRow('olga'))?.name).toBe('Olga Married')
})

test.each([
  [1, '/cas/validate'],
  [2, '/cas/serviceValidate'],
  [3, '/cas/p3/serviceValidate'],
])('version %i of the protocol asks at %s, and people without attributes have their name', async (version, page) => {
  await configure({ CAS_VERSION: version })
  cas.asked.length = 0
  const browser = outside.aBrowser()
  expect(await signIn(browser, `plain-${version}`)).toBe('/ui/')
  expect(await outside.whoIs(browser)).toBe(`plain-${version}`)
  expect(cas.asked).toEqual([page])
  cas.forged = { body: 'no\n\n' }
  expect(await signIn(outside.aBrowser(), `plain-${version}`)).toBe(LOCAL)
})

test('[S1.08] a ticket counts once, in the browser that asked for it, for its own service', async () => {
  const browser = outside.aBrowser()
  const back = cas.signIn(await begin(browser), 'once')
  const stranger = outside.aBrowser()
  expect(await outside.visit(stranger, back)).toBe(LOCAL)
  expect(await outside.refusalOf(stranger)).toBe('The sign-in took too long, please start again')
  // A sign-in of its own does not make somebody else's ticket right.
  cas.asked.length = 0
  await begin(stranger)
  expect(await outside.visit(stranger, back)).toBe(LOCAL)
  expect(cas.asked).toEqual([])
  const planted = browser.jar.get('sessionid') ?? ''
  const visits = await Promise.all([outside.visit(browser, back), outside.visit(browser, back)])
  expect(visits.sort()).toEqual([LOCAL, '/ui/'])
  const replay = outside.aBrowser()
  replay.jar.set('sessionid', planted)
  expect(await outside.visit(replay, back)).toBe(LOCAL)
  // The state of one sign-in with the ticket of another: the server says that it is for another
  // service.
  const state =
    new URL(new URL(await begin(stranger)).searchParams.get('service') ?? '').searchParams.get('state') ?? ''
  const mixed = new URL(cas.signIn(await begin(outside.aBrowser()), 'mixed'))
  mixed.searchParams.set('state', state)
  expect(await outside.visit(stranger, mixed.href)).toBe(LOCAL)
  expect(await outside.refusalOf(stranger)).toContain('did not sign you in')
  expect(await outside.userRow('mixed')).toBeUndefined()
})

test('[S1.12] only the server of the settings is asked, and what it answers is read with care', async () => {
  const success = (inner: string) =>
    `<cas:serviceResponse xmlns:cas="http://www.yale.edu/tp/cas"><cas:authenticationSuccess>${inner}</cas:authenticationSuccess></cas:serviceResponse>`
  const forgeries: NonNullable<CasDouble['forged']>[] = [
    { status: 302, headers: { location: `${cas.url}elsewhere` } },
    { status: 500 },
    { body: '' },
    { body: success('<cas:user>mallory<!-- -->.evil</cas:user>') },
    { body: success('<cas:user>mallory</cas:user><cas:user>admin</cas:user>') },
    { body: success('') },
    { body: `<!DOCTYPE a [<!ENTITY e "mallory">]>${success('<cas:user>&e;</cas:user>')}` },
    { body: success('<cas:user>mallory</cas:user>').replace('http://www.yale.edu/tp/cas', 'urn:other') },
    { body: `${success('<cas:user>mallory</cas:user>')}${success('<cas:user>mallory</cas:user>')}` },
    { body: success(`<cas:user>mallory</cas:user>${'<cas:x/>'.repeat(40_000)}`) },
  ]
  for (const forged of forgeries) {
    cas.forged = forged
    cas.asked.length = 0
    const browser = outside.aBrowser()
    expect(await signIn(browser, 'mallory')).toBe(LOCAL)
    expect(cas.asked).toEqual(['/cas/p3/serviceValidate'])
    expect(await outside.whoIs(browser)).toBeUndefined()
  }
  expect(await outside.userRow('mallory')).toBeUndefined()
  await configure({ CAS_SERVER_URL: 'http://127.0.0.1:1/cas' })
  const browser = outside.aBrowser()
  const state = new URL(new URL(await begin(browser)).searchParams.get('service') ?? '').searchParams.get('state')
  expect(await outside.visit(browser, `${CALLBACK}?state=${state}&ticket=ST-1`)).toBe(LOCAL)
  expect(await outside.refusalOf(browser)).toContain('cannot be reached')
  for (const address of ['idp.example', 'javascript:alert(1)'])
    expect((await server.admin.patch(settingsAt('cas'), { CAS_SERVER_URL: address })).status).toBe(400)
})

test('[S1.08] a local person is not taken over, nobody is made where that is off, and the second factor is asked for afterwards', async () => {
  await server.aPerson('locally')
  for (const user of ['admin', 'locally', 'LOCALLY']) {
    const browser = outside.aBrowser()
    expect(await signIn(browser, user)).toBe(LOCAL)
    expect(await outside.refusalOf(browser)).toBe('A user with this name comes from another source')
  }
  expect(await outside.lastLog('locally')).toMatchObject({ status: false, reason: 'backend_not_match', backend: 'CAS' })
  cas.attributes.set('grabber', { mail: ['locally@example.com'] })
  expect(await signIn(outside.aBrowser(), 'grabber')).toBe(LOCAL)
  expect(await signIn(outside.aBrowser(), 'known')).toBe('/ui/')
  // Another principal whose attribute names somebody who is here.
  cas.attributes.set('intruder', { uid: ['known'] })
  expect(await signIn(outside.aBrowser(), 'intruder')).toBe(LOCAL)
  await configure({ CAS_CREATE_USER: false })
  expect(await signIn(outside.aBrowser(), 'newcomer')).toBe(LOCAL)
  expect(await outside.userRow('newcomer')).toBeUndefined()
  const { id } = (await outside.userRow('known')) ?? {}
  await server.admin.in('root').patch(`/api/v1/users/users/${id}/`, { mfa_level: 2 })
  const browser = outside.aBrowser()
  expect(await signIn(browser, 'known')).toBe('/core/auth/profile/otp/enable/start/')
  expect(await outside.whoIs(browser)).toBeUndefined()
  await server.admin.in('root').patch(`/api/v1/users/users/${id}/`, { mfa_level: 0, is_active: false })
  expect(await signIn(outside.aBrowser(), 'known')).toBe(LOCAL)
  expect(await outside.lastLog('known')).toMatchObject({ status: false, reason: 'user_inactive', backend: 'CAS' })
})

test('sign-out goes on to the CAS server, or stays here; its own sign-out ends the session of the ticket that it names, and no other', async () => {
  const [one, two] = [outside.aBrowser(), outside.aBrowser()]
  const back = cas.signIn(await begin(one), 'outgoing')
  expect(await outside.visit(one, back)).toBe('/ui/')
  await signIn(two, 'outgoing')
  const ticket = new URL(back).searchParams.get('ticket') ?? ''
  const end = async (fields: Record<string, string>) =>
    expect(await outside.post(back, fields, '')).toMatchObject({ status: 200, body: '' })
  for (const fields of [
    cas.signOutBody('ST-of-nobody'),
    { logoutRequest: '<!DOCTYPE a><a/>' },
    { logoutRequest: 'x'.repeat(20_000) },
    {},
  ])
    await end(fields)
  expect([await outside.whoIs(one), await outside.whoIs(two)]).toEqual(['outgoing', 'outgoing'])
  expect((await outside.post(back, cas.signOutBody(ticket))).status).toBe(403)
  await end(cas.signOutBody(ticket))
  expect([await outside.whoIs(one), await outside.whoIs(two)]).toEqual([undefined, 'outgoing'])
  const address = new URL(await outside.visit(two, '/core/auth/cas/logout/'))
  expect([`${address.origin}${address.pathname}`, address.searchParams.get('service')]).toEqual([
    `${cas.url}logout`,
    `${SITE}${LOCAL}`,
  ])
  expect(await outside.whoIs(two)).toBeUndefined()
  await configure({ CAS_LOGOUT_COMPLETELY: false })
  await signIn(two, 'outgoing')
  expect(await outside.flashed(two, await outside.visit(two, '/core/auth/logout/'))).toMatchObject({
    title: 'Signed out',
    url: LOCAL,
  })
  await configure({ AUTH_CAS: false })
  for (const path of [START, `${CALLBACK}?ticket=any`]) {
    expect(await outside.visit(two, path)).toBe(LOCAL)
    expect(await outside.refusalOf(two)).toBe('Sign-in by CAS is not enabled')
  }
})
