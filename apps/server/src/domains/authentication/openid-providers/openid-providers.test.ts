import { decodeJwt } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestBrowser } from '../../../../test/browser.ts'
import { openTestServer, type TestServer } from '../../../../test/server.ts'
import { settingsOf } from '../../settings/index.ts'
import { CLIENT, type OidcProvider, startOidcProvider } from '../single-sign-on/openid/oidc-provider-fixture.ts'
import { type OutsideTest, outsideTest, settingsAt } from '../single-sign-on/outside-sign-in-fixture.ts'

const SITE = 'http://sallyport.example'
const PROVIDERS = '/api/v1/authentication/openid-providers/'
const RULES = '/api/v1/authentication/group-mappings/'
const FIRST = '/core/auth/openid/'
const PROFILE = '/api/v1/users/profile/'

/** The provider of the settings, and a further one. */
let first: OidcProvider
let second: OidcProvider
let server: TestServer
let outside: OutsideTest
/** The further one, as it is kept here, and where its pages are. */
let partner: string
let pages: string
beforeAll(async () => {
  first = await startOidcProvider(SITE)
  server = await openTestServer()
  outside = outsideTest(server, SITE)
  const set = await server.admin.patch(settingsAt('oidc'), {
    ...{ AUTH_OPENID: true, BASE_SITE_URL: SITE, AUTH_OPENID_KEYCLOAK: false },
    ...{ AUTH_OPENID_CLIENT_ID: CLIENT.id, AUTH_OPENID_CLIENT_SECRET: CLIENT.secret },
    AUTH_OPENID_PROVIDER_ENDPOINT: first.issuer,
    AUTH_OPENID_PROVIDER_AUTHORIZATION_ENDPOINT: `${first.issuer}/auth`,
    AUTH_OPENID_PROVIDER_TOKEN_ENDPOINT: 'token',
    AUTH_OPENID_PROVIDER_JWKS_ENDPOINT: 'jwks',
    AUTH_OPENID_PROVIDER_USERINFO_ENDPOINT: 'me',
    AUTH_OPENID_PROVIDER_END_SESSION_ENDPOINT: 'session/end',
    AUTH_OPENID_PROVIDER_SIGNATURE_ALG: 'RS256',
    AUTH_OPENID_GROUPS_CLAIM: 'groups',
  })
  expect(set.status).toBe(200)
  // The provider has to know the address of its pages, which has the id.
  const made = await server.admin.post(PROVIDERS, draft('https://not.yet.example'))
  expect([made.status, made.body]).toEqual([201, expect.anything()])
  partner = made.body.id
  pages = `/core/auth/openid/providers/${partner}/`
  second = await startOidcProvider(SITE, pages)
  await change({ issuer: second.issuer, client_secret: CLIENT.secret })
  for (const provider of [first, second])
    for (const [sub, name] of Object.entries({ 's-1': 'one', 's-both': 'both', 's-late': 'late' }))
      provider.people.set(sub, { preferred_username: name, email: `${name}@corp.example`, email_verified: true })
  first.people.set('s-1', { preferred_username: 'anna', email: 'anna@corp.example', email_verified: true })
  second.people.set('s-1', { preferred_username: 'berta', email: 'berta@corp.example', email_verified: true })
})
afterAll(async () => {
  await server?.close()
  await Promise.all([first?.close(), second?.close()])
})

const draft = (issuer: string, values: object = {}) => ({
  name: 'Partner',
  client_id: CLIENT.id,
  client_secret: CLIENT.secret,
  issuer,
  authorization_endpoint: 'auth',
  token_endpoint: 'token',
  jwks_endpoint: 'jwks',
  userinfo_endpoint: 'me',
  end_session_endpoint: 'session/end',
  groups_claim: 'groups',
  ...values,
})
async function change(values: object) {
  const answer = await server.admin.patch(`${PROVIDERS}${partner}/`, values)
  expect([answer.status, answer.body]).toEqual([200, expect.anything()])
  return answer
}
/** Starts at the pages of one provider; answers where that leads. */
const begin = (browser: TestBrowser, at: string) => outside.visit(browser, `${at}login/`)
async function signIn(at: string, subject: string) {
  const browser = outside.aBrowser()
  const provider = at === FIRST ? first : second
  const to = await outside.visit(browser, await provider.signIn(await begin(browser, at), subject))
  return Object.assign(browser, { to, refusal: to === '/ui/' ? undefined : await outside.refusalOf(browser) })
}
const undo = (answer: { headers: Record<string, unknown> }) =>
  server.admin.post(`/api/v1/audits/undo/${answer.headers['x-change']}/`, {})

test('each provider has its button in their order, its own address, and its own people; one `sub` is two people', async () => {
  const names = async () =>
    (await server.call('GET', '/api/v1/settings/public/')).body.data.LOGIN_METHODS.map(
      ({ name, url }: { name: string; url: string }) => [name, url],
    )
  const earlier = await server.admin.post(PROVIDERS, draft('https://a.example', { name: 'Zulu', priority: 1 }))
  expect(await names()).toEqual([
    ['OpenID', `${FIRST}login/`],
    ['Zulu', `/core/auth/openid/providers/${earlier.body.id}/login/`],
    ['Partner', `${pages}login/`],
  ])
  await server.admin.delete(`${PROVIDERS}${earlier.body.id}/`)
  const [a, b] = [await signIn(FIRST, 's-1'), await signIn(pages, 's-1')]
  expect([await outside.whoIs(a), await outside.whoIs(b)]).toEqual(['anna', 'berta'])
  expect(await outside.userRow('anna')).toMatchObject({ source: 'openid', directory: '' })
  expect(await outside.userRow('berta')).toMatchObject({ source: 'openid', directory: 'Partner' })
  const row = (await server.admin.get(`${PROVIDERS}${partner}/`)).body
  expect(row).toMatchObject({
    people_amount: 1,
    callback_url: `${SITE}${pages}callback/`,
    backchannel_logout_url: `${SITE}${pages}backchannel-logout/`,
  })
})

test('the sign-in page leads to no provider by itself where there are several, unless the settings name one', async () => {
  const page = () => server.call('GET', '/core/auth/login/', { headers: { accept: 'text/html' } })
  expect((await page()).status).toBe(200)
  await settingsOf(server.kernel).set('LOGIN_REDIRECT_TO_BACKEND', 'OPENID')
  expect((await page()).status).toBe(302)
  await settingsOf(server.kernel).set('LOGIN_REDIRECT_TO_BACKEND', '')
})

test('nobody is taken over by a name or an address that another provider, or this server, knows somebody by', async () => {
  await signIn(FIRST, 's-both')
  const taken = await signIn(pages, 's-both')
  expect(taken.refusal).toBe('The person of this name belongs to another account of the sign-in provider')
  expect((await taken.call('GET', PROFILE)).status).toBe(401)
  await server.aPerson('locally')
  second.people.set('s-admin', { preferred_username: 'admin' })
  second.people.set('s-local', { preferred_username: 'locally' })
  for (const subject of ['s-admin', 's-local'])
    expect((await signIn(pages, subject)).refusal).toBe('A user with this name comes from another source')
  // Someone whom an administrator entered is of the provider of the settings.
  const draftOfPerson = { username: 'entered', name: 'E', email: 'entered@corp.example', source: 'openid' }
  expect((await server.admin.post('/api/v1/users/users/', draftOfPerson)).status).toBe(201)
  second.people.set('s-entered', { preferred_username: 'entered' })
  expect((await signIn(pages, 's-entered')).refusal).toBe('A user with this name comes from another sign-in provider')
  second.people.set('s-mail', { preferred_username: 'mailer', email: 'both@corp.example', email_verified: true })
  expect((await signIn(pages, 's-mail')).refusal).toMatch(/both@corp.example belongs to somebody else/)
  expect(await outside.userRow('mailer')).toBeUndefined()
  expect(await outside.userRow('both')).toMatchObject({ directory: '', email: 'both@corp.example' })
})

test('an answer counts at the pages of the provider that was asked alone, with its state and its name', async () => {
  const other = { [FIRST]: pages, [pages]: FIRST }
  for (const [at, elsewhere] of Object.entries(other)) {
    const [asked, unasked] = at === FIRST ? [first, second] : [second, first]
    const refused = async (browser: TestBrowser, address: string) => {
      await outside.visit(browser, address)
      expect([at, await outside.refusalOf(browser)]).toEqual([
        at,
        expect.stringMatching(/did not sign you in|too long/),
      ])
      expect((await browser.call('GET', PROFILE)).status).toBe(401)
    }
    // The answer of the provider that was asked, sent to the pages of the other one: its code would go there.
    let browser = outside.aBrowser()
    const answer = new URL(await asked.signIn(await begin(browser, at), 's-1'))
    answer.searchParams.delete('iss')
    unasked.paths.length = 0
    await refused(browser, answer.href.replace(at, elsewhere))
    expect(unasked.paths, 'it never sees the code').toEqual([])
    await refused(browser, answer.href)
    // An answer of the provider that was not asked, with the state that this browser was given.
    browser = outside.aBrowser()
    const state = new URL(await begin(browser, at)).searchParams.get('state') ?? ''
    const theirs = new URL(await unasked.signIn(await begin(outside.aBrowser(), elsewhere), 's-1'))
    theirs.searchParams.set('state', state)
    await refused(browser, theirs.href.replace(elsewhere, at))
    // The right code, said to come from the other one (RFC 9207 §2.4).
    browser = outside.aBrowser()
    const named = new URL(await asked.signIn(await begin(browser, at), 's-1'))
    expect(named.searchParams.get('iss')).toBe(asked.issuer)
    named.searchParams.set('iss', unasked.issuer)
    await refused(browser, named.href)
    // And the start of another browser.
    browser = outside.aBrowser()
    const foreign = await asked.signIn(await begin(outside.aBrowser(), at), 's-1')
    await refused(browser, foreign)
  }
})

/** The provider's name for the last session of somebody. */
async function sessionName(subject: string) {
  const { rows } = await server.kernel.pool.query<{ hint: string }>(
    `SELECT state #>> '{outside,hint,$sealed}' AS hint FROM authentication_session
     WHERE state ? 'outside' ORDER BY date_created DESC`,
  )
  for (const { hint } of rows) {
    const { sub, sid } = decodeJwt(server.kernel.secrets.open('sign_in', 'test')(Buffer.from(hint, 'base64')))
    if (sub === subject) return String(sid)
  }
  throw new Error('there is no session')
}

test('a provider ends the sessions that began with it, and none of another', async () => {
  const [a, b] = [await signIn(FIRST, 's-1'), await signIn(pages, 's-1')]
  const form = await second.logoutOf('s-1', await sessionName('s-1'))
  const token = new URLSearchParams(form).get('logout_token') ?? ''
  const send = async (at: string) =>
    (await outside.post(`${at}backchannel-logout/`, { logout_token: token }, '')).status
  expect(await send(FIRST)).toBe(400)
  expect(await send(`/core/auth/openid/providers/${crypto.randomUUID()}/`)).toBe(400)
  expect([await outside.whoIs(a), await outside.whoIs(b)]).toEqual(['anna', 'berta'])
  expect(await send(pages)).toBe(200)
  expect([await outside.whoIs(a), (await b.call('GET', PROFILE)).status]).toEqual(['anna', 401])
  const again = await signIn(pages, 's-1')
  const sid = await sessionName('s-1')
  const front = (at: string, iss: string) =>
    again.call('GET', `${at}frontchannel-logout/?iss=${encodeURIComponent(iss)}&sid=${sid}`)
  for (const [at, iss] of [
    [FIRST, first.issuer],
    [FIRST, second.issuer],
    [pages, first.issuer],
  ] as const)
    expect((await front(at, iss)).status).toBe(200)
  expect(await outside.whoIs(again)).toBe('berta')
  await front(pages, second.issuer)
  expect((await again.call('GET', PROFILE)).status).toBe(401)
})

test('people who sign out here are led to the sign-out of their own provider, where there is one', async () => {
  const leaves = (browser: TestBrowser) => outside.visit(browser, '/core/auth/logout/')
  expect(await leaves(await signIn(pages, 's-1'))).toContain(`${second.issuer}/session/end`)
  expect(await leaves(await signIn(FIRST, 's-1'))).toContain(`${first.issuer}/session/end`)
  await change({ end_session_endpoint: '' })
  expect(await leaves(await signIn(pages, 's-1'))).not.toContain(second.issuer)
  await change({ end_session_endpoint: 'session/end' })
})

test('with nobody new, only people of the provider come in', async () => {
  await change({ existing_only: true })
  expect((await signIn(pages, 's-late')).refusal).toBe('There is no such user, and new users are not created')
  expect(await outside.whoIs(await signIn(pages, 's-1'))).toBe('berta')
  await change({ existing_only: false })
})

test('people of a provider that is switched off or deleted are shut out at once, and stay its own', async () => {
  const [a, b] = [await signIn(FIRST, 's-1'), await signIn(pages, 's-1')]
  const { id } = (await outside.userRow('berta')) ?? {}
  const off = await change({ is_active: false })
  expect([await outside.whoIs(a), (await b.call('GET', PROFILE)).status]).toEqual(['anna', 401])
  expect(await outside.userRow('berta')).toMatchObject({ id, is_active: true, is_valid: false, is_directory_off: true })
  const late = outside.aBrowser()
  await outside.visit(late, `${pages}login/`)
  expect(await outside.refusalOf(late)).toBe('Sign-in by OpenID is not enabled')
  expect((await server.call('GET', '/api/v1/settings/public/')).body.data.LOGIN_METHODS).toHaveLength(1)
  expect([(await undo(off)).status, (await b.call('GET', PROFILE)).status]).toEqual([200, 401])
  const back = await signIn(pages, 's-1')
  expect(await outside.whoIs(back)).toBe('berta')
  const deleted = await server.admin.delete(`${PROVIDERS}${partner}/`)
  expect([deleted.status, (await back.call('GET', PROFILE)).status]).toEqual([204, 401])
  first.people.set('s-berta', { preferred_username: 'berta' })
  expect((await signIn(FIRST, 's-berta')).refusal).toMatch(/belongs to another account/)
  const undone = await undo(deleted)
  expect([undone.status, undone.body]).toEqual([200, expect.anything()])
  expect(await outside.whoIs(await signIn(pages, 's-1'))).toBe('berta')
})

test('a sign-in that began before the provider was switched off ends nowhere', async () => {
  const browser = outside.aBrowser()
  const answer = await second.signIn(await begin(browser, pages), 's-1')
  await change({ is_active: false })
  await outside.visit(browser, answer)
  expect((await browser.call('GET', PROFILE)).status).toBe(401)
  await change({ is_active: true })
})

test('a person who is made local here is of no provider any more', async () => {
  second.people.set('s-moved', { preferred_username: 'moved' })
  await signIn(pages, 's-moved')
  const { id } = (await outside.userRow('moved')) ?? {}
  const moved = await server.admin.in('root').patch(`/api/v1/users/users/${id}/`, { source: 'local' })
  expect([moved.status, await outside.userRow('moved')]).toMatchObject([200, { source: 'local', directory: '' }])
  expect((await signIn(pages, 's-moved')).refusal).toBe('A user with this name comes from another source')
})

test('a rule about groups holds for one provider, unless it says all', async () => {
  const values = { source: 'openid', value: 'ops' }
  first.people.set('s-1', { ...first.people.get('s-1'), groups: ['ops'] } as never)
  second.people.set('s-1', { ...second.people.get('s-1'), groups: ['ops'] } as never)
  const roles = async () => {
    for (const at of [FIRST, pages]) await signIn(at, 's-1')
    return [(await outside.userRow('anna'))?.role, (await outside.userRow('berta'))?.role]
  }
  const rule = (name: string, more: object) => server.admin.post(RULES, { name, ...values, ...more })
  const ofFirst = await rule('first', { system_role: 'Admin' })
  expect([ofFirst.status, await roles()]).toEqual([201, ['Admin', 'User']])
  const ofAll = await rule('all', { system_role: 'Auditor', all_openid_providers: true })
  expect([ofAll.status, await roles()]).toEqual([201, ['Admin', 'Auditor']])
  const ofSecond = await rule('second', { system_role: 'Admin', openid_provider: partner })
  expect([ofSecond.status, await roles()]).toEqual([201, ['Admin', 'Admin']])
  expect((await rule('x', { system_role: 'Admin', all_openid_providers: true })).body).toHaveProperty('system_role')
  expect((await rule('x', { all_openid_providers: true, openid_provider: partner })).body).toHaveProperty(
    'openid_provider',
  )
  expect((await rule('x', { source: 'saml2', openid_provider: partner })).body).toHaveProperty('openid_provider')
  expect((await server.admin.delete(`${PROVIDERS}${partner}/`)).status).toBe(400)
  for (const { body } of [ofFirst, ofAll, ofSecond]) await server.admin.delete(`${RULES}${body.id}/`)
  expect(await roles()).toEqual(['User', 'User'])
})

test('the client secret is never shown, and goes only where it was entered for', async () => {
  const shown = await server.admin.get(`${PROVIDERS}${partner}/`)
  const { rows } = await server.kernel.pool.query('SELECT * FROM authentication_openid_provider')
  expect(JSON.stringify([shown.body, rows])).not.toContain(CLIENT.secret)
  for (const elsewhere of [
    { issuer: 'https://elsewhere.example' },
    { token_endpoint: 'https://elsewhere.example/token' },
    { client_id: 'other' },
    { ignore_ssl_verification: true },
  ]) {
    const { status, body } = await server.admin.patch(`${PROVIDERS}${partner}/`, { ...elsewhere, client_secret: '' })
    expect([status, Object.keys(body)]).toEqual([400, ['client_secret']])
  }
  await change({ client_secret: '', scopes: 'openid profile email' })
  expect(await outside.whoIs(await signIn(pages, 's-1'))).toBe('berta')
})

test('the endpoints of a provider are read from its own document, and held against it before they are saved', async () => {
  const discover = (issuer: string) => server.admin.post(`${PROVIDERS}discover/`, { issuer })
  const found = await discover(second.issuer)
  expect(found).toMatchObject({
    status: 200,
    body: {
      authorization_endpoint: `${second.issuer}/auth`,
      token_endpoint: `${second.issuer}/token`,
      jwks_endpoint: `${second.issuer}/jwks`,
      userinfo_endpoint: `${second.issuer}/me`,
      end_session_endpoint: `${second.issuer}/session/end`,
      signature_alg: 'RS256',
    },
  })
  const attempt = (values: object) => server.admin.post(`${PROVIDERS}test/`, draft(second.issuer, values))
  const good = { msg: 'The provider is as the form has it: issuer, endpoints and keys.' }
  for (const form of [{}, found.body, { signature_alg: 'HS256' }])
    expect(await attempt(form)).toMatchObject({ status: 200, body: good })
  for (const [form, reason] of [
    [{ token_endpoint: 'tokens' }, `Token endpoint: ${second.issuer}/token`],
    [{ jwks_endpoint: `${first.issuer}/jwks` }, `JWKS endpoint: ${second.issuer}/jwks`],
    [{ signature_alg: 'ES512' }, 'Signature algorithm: HS256, RS256'],
    // The slash is part of an issuer's name: tokens with another one are refused.
    [{ issuer: `${second.issuer}/` }, `the provider names itself ${second.issuer}`],
    [{ issuer: 'http://127.0.0.1:1' }, ''],
  ] as const)
    expect(await attempt(form)).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining(`The provider cannot be used: ${reason}`) },
    })
  expect((await discover('http://127.0.0.1:1')).status).toBe(400)
})

test('where people of a further provider ask for a new password counts also when none of the settings is on', async () => {
  const address = async () => (await outside.aBrowser().call('GET', '/core/auth/login/')).body.forgot_password_url
  const settings = settingsOf(server.kernel)
  await settings.set('FORGOT_PASSWORD_URL', 'https://directory.example.com/forgot')
  await settings.set('AUTH_OPENID', false)
  expect(await address()).toBe('https://directory.example.com/forgot')
  const page = await server.call('GET', '/core/auth/password/forgot/', { headers: { accept: 'text/html' } })
  expect([page.status, page.headers.location]).toEqual([302, 'https://directory.example.com/forgot'])
  await change({ is_active: false })
  expect(await address()).toBe('')
  await change({ is_active: true })
  await settings.set('AUTH_OPENID', true)
  await settings.set('FORGOT_PASSWORD_URL', '')
})

test('bad values of a provider are refused by field; there are 20 at most, for system administrators alone', async () => {
  const bad = {
    issuer: 'javascript:alert(1)',
    token_endpoint: 'ftp://x',
    signature_alg: 'none',
    signature_key: 'x',
    user_attr_map: { username: 1 },
  }
  const names = ['authorization', 'jwks', 'userinfo', 'end_session'].map((name) => `${name}_endpoint`)
  const absolute = Object.fromEntries(names.map((name) => [name, `https://a.example/${name}`]))
  const { status, body } = await server.admin.post(PROVIDERS, draft('', { ...bad, ...absolute, name: 'Bad' }))
  expect([status, Object.keys(body).toSorted()]).toEqual([400, Object.keys(bad).toSorted()])
  const shared = draft('https://a.example', { name: 'Shared', signature_alg: 'HS256', client_secret: '' })
  expect((await server.admin.post(PROVIDERS, shared)).body).toHaveProperty('client_secret')
  expect((await server.admin.post(PROVIDERS, draft('https://a.example'))).body).toHaveProperty('name')
  const org = await server.aPerson('org-admin', { orgRoles: ['Admin'] })
  expect([(await org.get(PROVIDERS)).status, (await org.post(PROVIDERS, draft('https://a.example'))).status]).toEqual([
    403, 403,
  ])
  for (let n = 2; n <= 20; n++)
    expect((await server.admin.post(PROVIDERS, draft('https://a.example', { name: `P${n}` }))).status).toBe(201)
  expect((await server.admin.post(PROVIDERS, draft('https://a.example', { name: 'P21' }))).body.detail).toBe(
    'There are 20 OpenID providers at most',
  )
})
