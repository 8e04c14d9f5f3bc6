// Class 30: further providers. Their operators, and people who come over them, try the answer of one at the
// pages of another, names of each other's people, each other's sessions, and the secrets of each other.
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type FreeRadius,
  startFreeRadius,
} from '../../apps/server/src/domains/authentication/radius/freeradius-fixture.ts'
import {
  type CasDouble,
  startCas,
} from '../../apps/server/src/domains/authentication/single-sign-on/cas/cas-fixture.ts'
import {
  answer,
  type Claims,
  type IdpDouble,
  packed,
  readAuthnRequest,
  signElement,
  startIdp,
} from '../../apps/server/src/domains/authentication/single-sign-on/saml2/idp-fixture.ts'
import {
  admin,
  aJar,
  aName,
  anAddress,
  anOrganization,
  aPerson,
  type CookieJar,
  call,
  fine,
  PROFILE,
  place,
  ROOT_ORG,
} from './visitor.ts'

const AUTHENTICATION = '/api/v1/authentication/'
const KINDS = ['saml2-providers', 'cas-servers', 'radius-servers', 'openid-providers']
const PAGE = { accept: 'text/html' }
const FORM = { ...PAGE, 'content-type': 'application/x-www-form-urlencoded' }
const PERSISTENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent'

interface Further<D> {
  id: string
  name: string
  pages: string
  double: D
}
let saml: [Further<IdpDouble>, Further<IdpDouble>]
let cas: [Further<CasDouble>, Further<CasDouble>]
let radius: [Further<FreeRadius>, Further<FreeRadius>]
/** A user name that both RADIUS servers know, each with its own password. */
const both = aName('both')
let local: Awaited<ReturnType<typeof aPerson>>

async function further<D>(kind: string, pages: string, double: D, values: object): Promise<Further<D>> {
  const name = aName('provider')
  const { id } = fine(await (await admin()).call('POST', `${AUTHENTICATION}${kind}/`, { name, ...values }))
  return { id, name, pages: `${pages}${id}/`, double }
}
const rowOf = async (username: string) =>
  fine(
    await (await admin()).in(ROOT_ORG).call('GET', `/api/v1/users/users/?username=${encodeURIComponent(username)}`),
  )[0]

beforeAll(async () => {
  local = await aPerson({ username: aName('local') })
  fine(await (await admin()).call('PATCH', '/api/v1/settings/setting/?category=basic', { SITE_URL: place.url }))
  fine(
    await (await admin()).call('PATCH', '/api/v1/settings/setting/?category=cas', { CAS_ROOT_PROXIED_AS: place.url }),
  )
  const names = (password: string) => ({ [both]: password, [local.username]: password, admin: password })
  const [idps, servers, radii] = await Promise.all([
    Promise.all([startIdp(), startIdp()]),
    Promise.all([startCas(), startCas()]),
    Promise.all([
      startFreeRadius(names('Of-one-1'), 'Secret-of-one'),
      startFreeRadius(names('Of-two-1'), 'Secret-of-two'),
    ]),
  ])
  const ofSaml = (idp: IdpDouble) =>
    further('saml2-providers', '/core/auth/saml2/providers/', idp, { metadata_xml: idp.metadata() })
  const ofCas = (one: CasDouble) => further('cas-servers', '/core/auth/cas/providers/', one, { server_url: one.url })
  const ofRadius = (one: FreeRadius) =>
    further('radius-servers', '', one, { host: '127.0.0.1', port: one.port, secret: one.secret })
  saml = [await ofSaml(idps[0]), await ofSaml(idps[1])]
  cas = [await ofCas(servers[0]), await ofCas(servers[1])]
  radius = [await ofRadius(radii[0]), await ofRadius(radii[1])]
}, 120_000)
afterAll(async () => {
  const keeper = await admin()
  for (const [kind, all] of [
    ['saml2-providers', saml],
    ['cas-servers', cas],
    ['radius-servers', radius],
  ] as const)
    for (const one of all ?? []) {
      await keeper.call('DELETE', `${AUTHENTICATION}${kind}/${one.id}/`)
      await one.double.close()
    }
})

const whoIs = async (browser: CookieJar): Promise<string | undefined> =>
  (await browser.call('GET', PROFILE)).body.username
const begin = async (browser: CookieJar, pages: string) =>
  (await browser.call('GET', `${pages}login/`, undefined, PAGE)).headers.get('location') ?? ''
const visit = (browser: CookieJar, address: string) =>
  browser.call('GET', address.replace(place.url, ''), undefined, PAGE)
/** Has a browser bring what a provider posted; answers who is signed in then. */
async function bring(browser: CookieJar, callback: string, message: string): Promise<string | undefined> {
  const form = new URLSearchParams({ SAMLResponse: packed(message) }).toString()
  const posted = await call('POST', new URL(callback, place.url).pathname, form, FORM)
  const location = posted.headers.get('location') ?? ''
  expect(location).toMatch(/^\/(?![/\\])/)
  await visit(browser, location)
  return whoIs(browser)
}
const claims = (uid: string, more: Partial<Claims> = {}): Claims => ({
  name: uid,
  nameFormat: PERSISTENT,
  attributes: { uid },
  ...more,
})
async function bySaml({ pages, double }: Further<IdpDouble>, what: Claims) {
  const browser = aJar()
  const request = readAuthnRequest(await begin(browser, pages))
  return { browser, who: await bring(browser, request.callback, answer(double, request, what)) }
}
async function byCas({ pages, double }: Further<CasDouble>, user: string, uid: string) {
  double.attributes.set(user, { uid: [uid] })
  const browser = aJar()
  const back = double.signIn(await begin(browser, pages), user)
  await visit(browser, back)
  return { browser, who: await whoIs(browser), ticket: new URL(back).searchParams.get('ticket') ?? '' }
}

test('an assertion of one provider signs nobody in at the pages of another, whatever issuer, audience or address it names', async () => {
  const [a, b] = saml
  const name = aName('traveller')
  const there = `${place.url}${b.pages}`
  for (const forge of [
    // As it was given, and addressed to the other pages by the operator of the first provider.
    (asked: ReturnType<typeof readAuthnRequest>) => answer(a.double, asked, claims(name)),
    (asked: ReturnType<typeof readAuthnRequest>) =>
      answer(a.double, { ...asked, callback: `${there}callback/`, issuer: `${there}login/` }, claims(name)),
    // The same, in the name of the other provider.
    (asked: ReturnType<typeof readAuthnRequest>) =>
      answer(
        a.double,
        { ...asked, callback: `${there}callback/`, issuer: `${there}login/` },
        claims(name, { issuer: b.double.entityId }),
      ),
  ]) {
    // In a browser that has asked the first, and in one that has asked the second.
    for (const pages of [a.pages, b.pages]) {
      const browser = aJar()
      const request = readAuthnRequest(await begin(browser, pages))
      expect(await bring(browser, `${b.pages}callback/`, forge(request))).toBeUndefined()
    }
  }
  expect(await rowOf(name)).toBeUndefined()
  // A right answer, whose code is taken to the pages of the other provider.
  const browser = aJar()
  const request = readAuthnRequest(await begin(browser, a.pages))
  const form = new URLSearchParams({ SAMLResponse: packed(answer(a.double, request, claims(name))) }).toString()
  const { headers } = await call('POST', `${a.pages}callback/`, form, FORM)
  await visit(browser, (headers.get('location') ?? '').replace(a.pages, b.pages))
  expect(await whoIs(browser)).toBeUndefined()
})

test('a provider that calls itself as another one does is nobody else: neither its people nor their sessions', async () => {
  const [a, b] = saml
  const keeper = await admin()
  const victim = aName('victim')
  const theirs = await bySaml(a, claims(victim))
  expect(theirs.who).toBe(victim)
  const address = `${AUTHENTICATION}saml2-providers/${b.id}/`
  fine(await keeper.call('PATCH', address, { metadata_xml: b.double.metadata({ entityId: a.double.entityId }) }))
  const same = { issuer: a.double.entityId }
  // The NameID of the victim, with their user name and with another one.
  expect((await bySaml(b, claims(victim, same))).who).toBeUndefined()
  const other = aName('other')
  expect((await bySaml(b, { ...claims(other, same), name: victim })).who).toBe(other)
  expect((await rowOf(other)).id).not.toBe((await rowOf(victim)).id)
  const signOut = `<samlp:LogoutRequest xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="_out" Version="2.0" IssueInstant="${new Date().toISOString()}"><saml:Issuer>${a.double.entityId}</saml:Issuer><saml:NameID>${victim}</saml:NameID></samlp:LogoutRequest>`
  for (const pages of [a.pages, b.pages]) {
    const form = new URLSearchParams({ SAMLRequest: packed(signElement(signOut, 'LogoutRequest', b.double.pair)) })
    await call('POST', `${pages}logout/`, form.toString(), FORM)
    expect(await whoIs(theirs.browser)).toBe(victim)
  }
  fine(await keeper.call('PATCH', address, { metadata_xml: b.double.metadata() }))
})

test('a ticket of one CAS server is not even shown to another, and ends no session of it', async () => {
  const [a, b] = cas
  const browser = aJar()
  const back = a.double.signIn(await begin(browser, a.pages), aName('cas'))
  b.double.asked.length = 0
  await visit(browser, back.replace(a.pages, b.pages))
  expect([b.double.asked, await whoIs(browser)]).toEqual([[], undefined])
  const name = aName('cas')
  const own = await byCas(a, name, name)
  expect(own.who).toBe(name)
  await call('POST', `${b.pages}callback/`, new URLSearchParams(b.double.signOutBody(own.ticket)).toString(), {
    'content-type': 'application/x-www-form-urlencoded',
  })
  expect(await whoIs(own.browser)).toBe(name)
})

test('a name of one provider opens nothing at another, nor of here, in any kind', async () => {
  const [a, b] = saml
  const [c, d] = cas
  const name = aName('owner')
  expect((await bySaml(a, claims(name))).who).toBe(name)
  const row = await rowOf(name)
  for (const attempt of [
    () => bySaml(b, claims(name)),
    () => bySaml(b, claims(name.toUpperCase())),
    () => byCas(c, name, name),
    () => byCas(d, aName('sub'), name),
  ])
    expect((await attempt()).who).toBeUndefined()
  for (const victim of [local.username, 'admin']) {
    expect((await bySaml(b, claims(victim))).who).toBeUndefined()
    expect((await byCas(d, victim, victim)).who).toBeUndefined()
  }
  expect(await rowOf(name)).toMatchObject({ id: row.id, source: 'saml2', directory: a.name, role: 'User' })
})

test('the password of one RADIUS server is none for people of another or of here, and says nothing of them', async () => {
  const token = (username: string, password: string) =>
    call('POST', `${AUTHENTICATION}tokens/`, { username, password }, { 'x-forwarded-for': anAddress() })
  expect((await token(both, 'Of-one-1')).status).toBe(201)
  expect(await rowOf(both)).toMatchObject({ source: 'radius', directory: radius[0].name })
  for (const username of [both, both.toUpperCase(), local.username, 'admin']) {
    const refused = await token(username, 'Of-two-1')
    expect([username, refused.status, refused.body.error]).toEqual([username, 400, 'password_failed'])
  }
  // Once its own server is off, a person is nobody's.
  const address = `${AUTHENTICATION}radius-servers/${radius[0].id}/`
  fine(await (await admin()).call('PATCH', address, { is_active: false }))
  for (const password of ['Of-one-1', 'Of-two-1']) expect((await token(both, password)).status).toBe(400)
  fine(await (await admin()).call('PATCH', address, { is_active: true }))
  expect((await token(both, 'Of-one-1')).status).toBe(201)
})

test('administrators of an organization neither see, change nor try providers, and no call sends a kept secret elsewhere', async () => {
  const boss = await aPerson({ username: aName('boss'), org: await anOrganization(), orgRoles: ['Admin'] })
  const ids = {
    'saml2-providers': saml[0].id,
    'cas-servers': cas[0].id,
    'radius-servers': radius[0].id,
    'openid-providers': radius[0].id,
  }
  for (const kind of KINDS) {
    const path = `${AUTHENTICATION}${kind}/`
    const one = `${path}${ids[kind as keyof typeof ids]}/`
    for (const [method, address] of [
      ['GET', path],
      ['POST', path],
      ['GET', one],
      ['PATCH', one],
      ['DELETE', one],
      ['POST', `${path}test/`],
    ] as const)
      expect([method, address, (await boss.call(method, address, method === 'GET' ? undefined : {})).status]).toEqual([
        method,
        address,
        403,
      ])
  }
  const keeper = await admin()
  const [{ id, double }] = radius
  const elsewhere = { id, host: '127.0.0.1', port: radius[1].double.port, secret: '' }
  for (const answer of [
    await keeper.call('POST', `${AUTHENTICATION}radius-servers/test/`, elsewhere),
    await keeper.call('PATCH', `${AUTHENTICATION}radius-servers/${id}/`, { port: elsewhere.port }),
  ])
    expect([answer.status, Object.keys(answer.body)]).toEqual([400, ['secret']])
  expect((await keeper.call('GET', `${AUTHENTICATION}radius-servers/${id}/`)).text).not.toContain(double.secret)
})
