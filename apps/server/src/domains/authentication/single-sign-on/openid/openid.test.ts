import { createPublicKey } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ALL_SETTINGS } from '@sallyport/contract/settings/index.ts'
import { decodeJwt, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { openTestBrowser, type TestBrowser } from '../../../../../test/browser.ts'
import { openTestServer, PASSWORD, type TestServer } from '../../../../../test/server.ts'
import { settingsOf } from '../../../settings/index.ts'
import { CLIENT, type OidcProvider, SHARED_KEY_CLIENT, startOidcProvider } from './oidc-provider-fixture.ts'

const SITE = 'http://sallyport.example'
const START = '/core/auth/openid/login/'
const LOCAL = '/core/auth/login/?admin=1'
const EVERY_DAY = [0, 1, 2, 3, 4, 5, 6].map((day) => ({ id: day, value: '00:00~00:00' }))
const PROFILE = '/api/v1/users/profile/'
const MAP = ALL_SETTINGS.AUTH_OPENID_USER_ATTR_MAP.default
const settingsAt = (category: string) => `/api/v1/settings/setting/?category=${category}`

let provider: OidcProvider
let server: TestServer
const closing: Server[] = []
beforeAll(async () => {
  provider = await startOidcProvider(SITE)
  server = await openTestServer()
})
afterAll(async () => {
  await server?.close()
  await provider?.close()
})
beforeEach(() => configure())
afterEach(async () => {
  await settingsOf(server.kernel).set('AUTH_OPENID_USER_ATTR_MAP', MAP)
  await settingsOf(server.kernel).set('AUTH_OPENID_EMAIL_IS_TRUSTED', false)
  for (const one of closing.splice(0)) one.close().closeAllConnections()
})

async function configure(changes: Record<string, unknown> = {}) {
  const { issuer } = provider
  const { status, body } = await server.admin.patch(settingsAt('oidc'), {
    AUTH_OPENID: true,
    BASE_SITE_URL: SITE,
    AUTH_OPENID_CLIENT_ID: CLIENT.id,
    AUTH_OPENID_CLIENT_SECRET: CLIENT.secret,
    AUTH_OPENID_KEYCLOAK: false,
    AUTH_OPENID_PROVIDER_ENDPOINT: issuer,
    AUTH_OPENID_PROVIDER_AUTHORIZATION_ENDPOINT: `${issuer}/auth`,
    // Relative ones are below the provider.
    AUTH_OPENID_PROVIDER_TOKEN_ENDPOINT: 'token',
    AUTH_OPENID_PROVIDER_JWKS_ENDPOINT: 'jwks',
    AUTH_OPENID_PROVIDER_USERINFO_ENDPOINT: 'me',
    AUTH_OPENID_PROVIDER_END_SESSION_ENDPOINT: 'session/end',
    AUTH_OPENID_PROVIDER_SIGNATURE_ALG: 'RS256',
    AUTH_OPENID_PROVIDER_SIGNATURE_KEY: '',
    AUTH_OPENID_SHARE_SESSION: true,
    AUTH_OPENID_ALWAYS_UPDATE_USER: true,
    AUTH_OPENID_USE_STATE: true,
    AUTH_OPENID_USE_NONCE: true,
    AUTH_OPENID_ID_TOKEN_INCLUDE_CLAIMS: true,
    ...changes,
  })
  expect([status, body.AUTH_OPENID_CLIENT_SECRET]).toEqual([200, undefined])
}

const aBrowser = () => openTestBrowser(server)
async function begin(browser: TestBrowser, next = ''): Promise<URL> {
  const { status, headers } = await browser.call('GET', `${START}${next && `?next=${encodeURIComponent(next)}`}`)
  expect(status).toBe(302)
  return new URL(String(headers.location))
}
/** The browser goes where the provider sent it; answers where that leads. */
async function comeBack(browser: TestBrowser, address: string): Promise<string> {
  const { status, headers } = await browser.call('GET', address.replace(SITE, ''))
  expect(status).toBe(302)
  return String(headers.location)
}
const signIn = async (browser: TestBrowser, subject: string, next = '') =>
  comeBack(browser, await provider.signIn((await begin(browser, next)).href, subject))
/** The refusal on the sign-in page, which shows it once. */
const refusalOf = async (browser: TestBrowser) => (await browser.call('GET', '/core/auth/login/')).body.refusal
const flashed = async (browser: TestBrowser, page: string) => (await browser.call('GET', page)).body
const whoIs = async (browser: TestBrowser) => (await browser.call('GET', PROFILE)).body.username
const userRow = async (username: string) =>
  (await server.admin.in('root').get(`/api/v1/users/users/?username=${encodeURIComponent(username)}`)).body[0]
const lastLog = async (username: string) =>
  (await server.admin.in('root').get(`/api/v1/audits/login-logs/?username=${encodeURIComponent(username)}`)).body[0]

test('the first sign-in makes the person, the second brings them up to date; a new name at the provider is the same person', async () => {
  provider.people.set('s-olga', {
    preferred_username: 'olga',
    name: 'Olga',
    email: 'olga@corp.example',
    email_verified: true,
  })
  const browser = aBrowser()
  expect(await signIn(browser, 's-olga', '/ui/assets/assets?tab=1')).toBe('/ui/assets/assets?tab=1')
  expect(await whoIs(browser)).toBe('olga')
  const row = await userRow('olga')
  expect(row).toMatchObject({ source: 'openid', name: 'Olga', email: 'olga@corp.example', role: 'User' })
  expect(await lastLog('olga')).toMatchObject({ status: true, backend: 'OpenID' })
  provider.people.set('s-olga', {
    preferred_username: 'olga.married',
    name: 'Olga Married',
    email: 'married@corp.example',
  })
  await server.admin.in('root').patch(`/api/v1/users/users/${row.id}/`, { phone: '13800000001' })
  const again = aBrowser()
  expect(await signIn(again, 's-olga')).toBe('/ui/')
  expect((await userRow('olga')).phone, 'what the provider does not tell stays').toBe('13800000001')
  expect(await userRow('olga')).toMatchObject({ id: row.id, name: 'Olga Married', email: 'married@corp.example' })
  expect(await userRow('olga.married')).toBeUndefined()
  await configure({ AUTH_OPENID_ALWAYS_UPDATE_USER: false })
  provider.people.set('s-olga', { preferred_username: 'olga', name: 'Third' })
  expect(await signIn(aBrowser(), 's-olga')).toBe('/ui/')
  expect((await userRow('olga')).name).toBe('Olga Married')
})

test('the start asks with PKCE, state and nonce, all new each time', async () => {
  const one = (await begin(aBrowser())).searchParams
  const two = (await begin(aBrowser())).searchParams
  expect(one.get('code_challenge_method')).toBe('S256')
  expect(one.get('redirect_uri')).toBe(`${SITE}/core/auth/openid/callback/`)
  expect(one.get('scope')?.split(' ')).toEqual(['openid', 'profile', 'email'])
  for (const name of ['code_challenge', 'state', 'nonce']) {
    expect(one.get(name)).toMatch(/^[\w-]{43}$/)
    expect(one.get(name)).not.toBe(two.get(name))
  }
  await configure({ AUTH_OPENID_USE_STATE: false, AUTH_OPENID_USE_NONCE: false })
  const least = (await begin(aBrowser())).searchParams
  expect([least.get('state'), least.get('nonce')]).toEqual([null, expect.stringMatching(/^[\w-]{43}$/)])
})

test.each([
  [
    'neither state nor claims in the token',
    { AUTH_OPENID_USE_STATE: false, AUTH_OPENID_ID_TOKEN_INCLUDE_CLAIMS: false },
  ],
  [
    'tokens signed with the client secret',
    {
      AUTH_OPENID_CLIENT_ID: SHARED_KEY_CLIENT.id,
      AUTH_OPENID_CLIENT_SECRET: SHARED_KEY_CLIENT.secret,
      AUTH_OPENID_PROVIDER_SIGNATURE_ALG: 'HS256',
    },
  ],
])('sign-in with %s', async (_, changes) => {
  await configure(changes)
  provider.people.set('s-var', { preferred_username: 'variant', name: 'Variant' })
  const browser = aBrowser()
  expect(await signIn(browser, 's-var')).toBe('/ui/')
  expect(await whoIs(browser)).toBe('variant')
})

test('sign-in with a key in the settings, and no other key counts', async () => {
  const { keys } = (await (await fetch(`${provider.issuer}/jwks`)).json()) as { keys: JWK[] }
  const key = keys.find(({ kty, use }) => kty === 'RSA' && use === 'sig')
  const pem = (one: JWK = {}) => createPublicKey({ key: one, format: 'jwk' }).export({ type: 'spki', format: 'pem' })
  provider.people.set('s-pem', { preferred_username: 'pem' })
  await configure({
    AUTH_OPENID_PROVIDER_SIGNATURE_KEY: pem(await exportJWK((await generateKeyPair('RS256')).publicKey)),
  })
  expect(await signIn(aBrowser(), 's-pem')).toBe(LOCAL)
  await configure({ AUTH_OPENID_PROVIDER_SIGNATURE_KEY: pem(key) })
  expect(await signIn(aBrowser(), 's-pem')).toBe('/ui/')
})

test.each(['https://evil.example/', '//evil.example', '/\\evil.example', 'javascript:alert(1)'])(
  'a return address that leaves this site leads to the console: %s',
  async (next) => {
    provider.people.set('s-redirected', { preferred_username: 'redirected' })
    expect(await signIn(aBrowser(), 's-redirected', next)).toBe('/ui/')
  },
)

test('an answer counts once, in the browser that asked, with its state', async () => {
  provider.people.set('s-once', { preferred_username: 'once' })
  const browser = aBrowser()
  const back = await provider.signIn((await begin(browser)).href, 's-once')
  const stranger = aBrowser()
  expect(await comeBack(stranger, back)).toBe(LOCAL)
  expect(await refusalOf(stranger)).toBe('The sign-in took too long, please start again')
  await begin(stranger)
  expect(await comeBack(stranger, back)).toBe(LOCAL)
  expect(await refusalOf(stranger)).toContain('did not sign you in')
  expect(await refusalOf(stranger)).toBeUndefined()
  const planted = browser.jar.get('sessionid') ?? ''
  expect(await comeBack(browser, back)).toBe('/ui/')
  expect(browser.jar.get('sessionid')).not.toBe(planted)
  const replay = aBrowser()
  replay.jar.set('sessionid', planted)
  expect(await comeBack(replay, back)).toBe(LOCAL)
  const forged = new URL(await provider.signIn((await begin(replay)).href, 's-once'))
  forged.searchParams.set('state', 'forged')
  expect(await comeBack(replay, forged.href)).toBe(LOCAL)
  expect(await whoIs(replay)).toBeUndefined()
})

test('a code that was obtained by another browser is refused although the state is right', async () => {
  provider.people.set('s-thief', { preferred_username: 'thief' })
  const victim = aBrowser()
  const state = (await begin(victim)).searchParams.get('state') ?? ''
  const stolen = new URL(await provider.signIn((await begin(aBrowser())).href, 's-thief'))
  stolen.searchParams.set('state', state)
  expect(await comeBack(victim, stolen.href)).toBe(LOCAL)
  expect(await userRow('thief')).toBeUndefined()
})

test('the sign-in page shows the refusal of the provider, and a provider that is away', async () => {
  const browser = aBrowser()
  const state = (await begin(browser)).searchParams.get('state')
  expect(await comeBack(browser, `/core/auth/openid/callback/?error=access_denied&state=${state}`)).toBe(LOCAL)
  expect(await refusalOf(browser)).toContain('did not sign you in')
  await configure({ AUTH_OPENID_PROVIDER_TOKEN_ENDPOINT: 'http://127.0.0.1:1/token' })
  const other = (await begin(browser)).searchParams.get('state')
  expect(await comeBack(browser, `/core/auth/openid/callback/?code=any&state=${other}`)).toBe(LOCAL)
  expect(await refusalOf(browser)).toContain('cannot be reached')
})

test('an answer of another issuer than the one in the settings is refused', async () => {
  provider.people.set('s-mixed', { preferred_username: 'mixed' })
  await configure({
    AUTH_OPENID_PROVIDER_ENDPOINT: 'https://other.example',
    AUTH_OPENID_PROVIDER_TOKEN_ENDPOINT: `${provider.issuer}/token`,
    AUTH_OPENID_PROVIDER_JWKS_ENDPOINT: `${provider.issuer}/jwks`,
    AUTH_OPENID_PROVIDER_USERINFO_ENDPOINT: `${provider.issuer}/me`,
  })
  const browser = aBrowser()
  const back = new URL(await provider.signIn((await begin(browser)).href, 's-mixed'))
  expect(await comeBack(browser, back.href)).toBe(LOCAL)
  // Without the parameter that names the issuer, the token still does.
  const again = new URL(await provider.signIn((await begin(browser)).href, 's-mixed'))
  again.searchParams.delete('iss')
  expect(await comeBack(browser, again.href)).toBe(LOCAL)
  expect(await userRow('mixed')).toBeUndefined()
})

/** A provider of our own making: what it signs may be wrong in one thing at a time. */
async function aForger() {
  const [ours, foreign] = [await generateKeyPair('RS256'), await generateKeyPair('RS256')]
  const jwk = { ...(await exportJWK(ours.publicKey)), kid: 'one', alg: 'RS256', use: 'sig' }
  let idToken = ''
  const http = createServer((request, response) => {
    response.setHeader('content-type', 'application/json')
    const tokens = { access_token: 'any', token_type: 'Bearer', id_token: idToken }
    response.end(JSON.stringify(request.url === '/jwks' ? { keys: [jwk] } : tokens))
  })
  closing.push(http)
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  const configured = () =>
    configure({
      AUTH_OPENID_PROVIDER_ENDPOINT: issuer,
      AUTH_OPENID_PROVIDER_AUTHORIZATION_ENDPOINT: `${issuer}/auth`,
    })
  await configured()
  return {
    configured,
    async issue(claims: JWTPayload, isForeign = false) {
      const now = Math.floor(Date.now() / 1000)
      const right = {
        iss: issuer,
        aud: CLIENT.id,
        sub: 's-forged',
        iat: now,
        exp: now + 60,
        preferred_username: 'forged',
      }
      idToken = await new SignJWT({ ...right, ...claims })
        .setProtectedHeader({ alg: 'RS256', kid: 'one' })
        .sign(isForeign ? foreign.privateKey : ours.privateKey)
    },
    token: () => idToken,
    issueUnsigned(claims: JWTPayload) {
      const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
      idToken = `${part({ alg: 'none' })}.${part(claims)}.`
    },
  }
}

test('tokens with a wrong signature, audience, issuer, nonce or age are refused, and only those', async () => {
  const forger = await aForger()
  const now = Math.floor(Date.now() / 1000)
  const attempt = async (make: (nonce: string) => unknown) => {
    const browser = aBrowser()
    const asked = (await begin(browser)).searchParams
    await make(asked.get('nonce') ?? '')
    return comeBack(browser, `/core/auth/openid/callback/?code=any&state=${asked.get('state')}`)
  }
  expect(await attempt((nonce) => forger.issue({ nonce }, true))).toBe(LOCAL)
  expect(await attempt((nonce) => forger.issue({ nonce, aud: 'somebody-else' }))).toBe(LOCAL)
  expect(await attempt((nonce) => forger.issue({ nonce, aud: [CLIENT.id, 'more'], azp: 'somebody-else' }))).toBe(LOCAL)
  expect(await attempt((nonce) => forger.issue({ nonce, iss: 'https://other.example' }))).toBe(LOCAL)
  expect(await attempt(() => forger.issue({ nonce: 'of-another-sign-in' }))).toBe(LOCAL)
  expect(await attempt(() => forger.issue({}))).toBe(LOCAL)
  expect(await attempt((nonce) => forger.issue({ nonce, iat: now - 3600 }))).toBe(LOCAL)
  expect(await attempt((nonce) => forger.issue({ nonce, exp: now - 600 }))).toBe(LOCAL)
  expect(await attempt((nonce) => forger.issue({ nonce, azp: 'somebody-else' }))).toBe(LOCAL)
  expect(await attempt((nonce) => forger.issue({ nonce, azp: null }))).toBe(LOCAL)
  expect(await attempt((nonce) => forger.issue({ nonce, iat: now + 3600, exp: now + 7200 }))).toBe(LOCAL)
  expect(await attempt((nonce) => forger.issueUnsigned({ nonce, sub: 's-forged' }))).toBe(LOCAL)
  expect(await userRow('forged')).toBeUndefined()
  expect(await attempt((nonce) => forger.issue({ nonce }))).toBe('/ui/')
  expect(await attempt((nonce) => forger.issue({ nonce, azp: CLIENT.id }))).toBe('/ui/')
})

test('a local person of the same name, or of one that only looks like it, is not taken over, nor somebody else’s address', async () => {
  await server.aPerson('locally')
  for (const name of ['admin', 'locally', 'Locally']) {
    provider.people.set(`s-${name}`, { preferred_username: name, email: 'free@corp.example' })
    const browser = aBrowser()
    expect(await signIn(browser, `s-${name}`)).toBe(LOCAL)
    expect(await refusalOf(browser)).toBe('A user with this name comes from another source')
    expect(await whoIs(browser)).toBeUndefined()
  }
  expect((await userRow('locally')).source).toBe('local')
  const { email } = await userRow('locally')
  provider.people.set('s-address', { preferred_username: 'address', email })
  expect(await signIn(aBrowser(), 's-address')).toBe(LOCAL)
  expect(await userRow('address')).toBeUndefined()
  expect(await lastLog('locally')).toMatchObject({ status: false, reason: 'backend_not_match', backend: 'OpenID' })
})

test('another account of the provider does not become the person whose name it now has, until an administrator unties them', async () => {
  provider.people.set('s-first', { preferred_username: 'reused', name: 'First' })
  expect(await signIn(aBrowser(), 's-first')).toBe('/ui/')
  provider.people.set('s-later', { preferred_username: 'reused', name: 'Later' })
  const browser = aBrowser()
  expect(await signIn(browser, 's-later')).toBe(LOCAL)
  expect(await refusalOf(browser)).toContain('belongs to another account')
  const { id, name } = await userRow('reused')
  expect(name).toBe('First')
  for (const source of ['local', 'openid'])
    expect((await server.admin.in('root').patch(`/api/v1/users/users/${id}/`, { source })).status).toBe(200)
  expect(await signIn(browser, 's-later')).toBe('/ui/')
})

test('an account of another kind of provider is not this one, whatever their names', async () => {
  provider.people.set('s-same', { preferred_username: 'same', name: 'Same' })
  expect(await signIn(aBrowser(), 's-same')).toBe('/ui/')
  await server.kernel.pool.query("UPDATE authentication_outside_account SET source = 'saml2' WHERE subject = 's-same'")
  const browser = aBrowser()
  expect(await signIn(browser, 's-same')).toBe(LOCAL)
  expect(await refusalOf(browser)).toContain('belongs to another account')
})

test.each([false, 'false', 'true', 0, 1, null])(
  'an address that the provider does not vouch for is not taken: email_verified is %j',
  async (email_verified) => {
    const name = `claimer-${JSON.stringify(email_verified)}`.replaceAll('"', '_')
    provider.people.set(name, { preferred_username: name, email: 'chief@corp.example', email_verified })
    expect(await signIn(aBrowser(), name)).toBe('/ui/')
    expect((await userRow(name)).email).toBe(`${name}@example.com`)
  },
)

test('a user name that is an email address opens and makes an account only where the address is verified, or trusted', async () => {
  const settings = settingsOf(server.kernel)
  await settings.set('AUTH_OPENID_USER_ATTR_MAP', { ...MAP, username: 'email' })
  const email = 'chief.of.all@corp.example'
  const draft = { name: 'Chief', username: email, email, source: 'openid' }
  expect((await server.admin.post('/api/v1/users/users/', draft)).status).toBe(201)
  for (const claims of [{}, { email_verified: false }, { email_verified: 'true' }]) {
    for (const address of [email, 'nobody.yet@corp.example']) {
      provider.people.set('s-mail', { name: 'Mallory', email: address, ...claims })
      const browser = aBrowser()
      expect(await signIn(browser, 's-mail')).toBe(LOCAL)
      expect(await refusalOf(browser)).toContain('is verified')
    }
  }
  expect((await userRow(email)).name).toBe('Chief')
  await settings.set('AUTH_OPENID_EMAIL_IS_TRUSTED', true)
  provider.people.set('s-mail', { name: 'Mallory', email, email_verified: false })
  expect(await signIn(aBrowser(), 's-mail'), 'what is said to be unverified is never trusted').toBe(LOCAL)
  provider.people.set('s-mail', { name: 'Chief Mail', email })
  expect(await signIn(aBrowser(), 's-mail')).toBe('/ui/')
  expect((await userRow(email)).name).toBe('Chief Mail')
  await settings.set('AUTH_OPENID_EMAIL_IS_TRUSTED', false)
  expect(await signIn(aBrowser(), 's-mail'), 'who is known by the subject stays so').toBe('/ui/')
  provider.people.set('s-proven', { name: 'New', email: 'proven@corp.example', email_verified: true })
  expect(await signIn(aBrowser(), 's-proven')).toBe('/ui/')
})

test('a phone number that the provider does not vouch for is not taken', async () => {
  const phones = [
    ['13800000007', false, null],
    ['13800000008', true, '13800000008'],
  ] as const
  for (const [phone_number, phone_number_verified, kept] of phones) {
    const name = `phone-${phone_number}`
    provider.people.set(name, { preferred_username: name, phone_number, phone_number_verified })
    expect(await signIn(aBrowser(), name)).toBe('/ui/')
    expect((await userRow(name)).phone).toBe(kept)
  }
})

test('nobody new is made where only existing people may sign in', async () => {
  await server.admin.patch(settingsAt('security'), { ONLY_ALLOW_EXIST_USER_AUTH: true })
  provider.people.set('s-new', { preferred_username: 'newcomer' })
  const browser = aBrowser()
  expect(await signIn(browser, 's-new')).toBe(LOCAL)
  expect(await refusalOf(browser)).toContain('new users are not created')
  await server.admin.patch(settingsAt('security'), { ONLY_ALLOW_EXIST_USER_AUTH: false })
  expect(await userRow('newcomer')).toBeUndefined()
})

test('disabled people and those whom a login rule forbids stay out, and the login log says why', async () => {
  provider.people.set('s-gone', { preferred_username: 'gone' })
  expect(await signIn(aBrowser(), 's-gone')).toBe('/ui/')
  const { id } = await userRow('gone')
  const rule = {
    name: 'nowhere',
    reviewers: [],
    action: 'reject',
    user: id,
    rules: { ip_group: ['*'], time_period: EVERY_DAY },
  }
  const made = await server.admin.post('/api/v1/acls/login-acls/', rule)
  expect([made.status, made.body]).toMatchObject([201, {}])
  expect(await signIn(aBrowser(), 's-gone')).toBe(LOCAL)
  expect(await lastLog('gone')).toMatchObject({ status: false, reason: 'acl_not_allow', backend: 'OpenID' })
  await server.admin.in('root').patch(`/api/v1/users/users/${id}/`, { is_active: false })
  const browser = aBrowser()
  expect(await signIn(browser, 's-gone')).toBe(LOCAL)
  expect(await refusalOf(browser)).toBe('This account is disabled')
  expect(await lastLog('gone')).toMatchObject({ status: false, reason: 'user_inactive' })
})

test('the second factor is asked for afterwards, unless people of providers are spared', async () => {
  provider.people.set('s-factor', { preferred_username: 'factor' })
  expect(await signIn(aBrowser(), 's-factor')).toBe('/ui/')
  const { id } = await userRow('factor')
  await server.admin.in('root').patch(`/api/v1/users/users/${id}/`, { mfa_level: 2 })
  const browser = aBrowser()
  expect(await signIn(browser, 's-factor')).toBe('/core/auth/profile/otp/enable/start/')
  expect(await whoIs(browser)).toBeUndefined()
  expect((await browser.call('GET', '/core/auth/login/guard/')).headers.location).toBe(
    '/core/auth/profile/otp/enable/start/',
  )
  await server.admin.patch(settingsAt('security'), { SECURITY_MFA_AUTH_ENABLED_FOR_THIRD_PARTY: false })
  expect(await signIn(aBrowser(), 's-factor')).toBe('/ui/')
  // A person who was asked before goes on, and is signed out at the provider as everybody is.
  expect((await browser.call('GET', '/core/auth/login/guard/')).headers.location).toBe('/ui/')
  await server.admin.patch(settingsAt('security'), { SECURITY_MFA_AUTH_ENABLED_FOR_THIRD_PARTY: true })
  expect(await comeBack(browser, '/core/auth/logout/')).toContain('post_logout_redirect_uri')
})

test('[A1.01] the sign-in page leads to the provider at once, unless asked for with admin=1; pages learn the ways there are', async () => {
  const open = (query: string) =>
    aBrowser().call('GET', `/core/auth/login/${query}`, undefined, { accept: 'text/html' })
  const message = String((await open('?next=/ui/audits')).headers.location)
  expect(message).toMatch(/^\/core\/common\/flash-message\/\?code=\w{12}$/)
  const shown = await aBrowser().call('GET', message)
  expect(shown.body).toEqual({
    title: 'Sign in',
    message: 'You are taken to OpenID to sign in. Cancel to use a password instead.',
    seconds: 3,
    url: `${START}?next=%2Fui%2Faudits`,
    cancel_url: '/core/auth/login/?admin=1&next=%2Fui%2Faudits',
  })
  expect((await aBrowser().call('GET', `${message.slice(0, -1)}-`)).status).toBe(404)
  await server.kernel.pool.query('UPDATE authentication_flash_message SET date_expired = now()')
  expect((await aBrowser().call('GET', message)).status).toBe(404)
  await server.admin.patch(settingsAt('auth'), { LOGIN_REDIRECT_MSG_ENABLED: false })
  expect((await open('?next=//evil.example')).headers.location).toBe(`${START}?next=%2Fui%2F`)
  expect((await open('?admin=1')).status).not.toBe(302)
  const method = { backend: 'OPENID', name: 'OpenID', url: START }
  const pages = async () => (await server.call('GET', '/api/v1/settings/public/')).body.data
  expect(await pages()).toMatchObject({ LOGIN_METHODS: [method] })
  await configure({ AUTH_OPENID: false })
  expect(await pages()).toMatchObject({ LOGIN_METHODS: [] })
  expect((await open('')).status).not.toBe(302)
  const browser = aBrowser()
  for (const path of [START, '/core/auth/openid/callback/?code=any']) {
    expect(await comeBack(browser, path)).toBe(LOCAL)
    expect(await refusalOf(browser)).toBe('Sign-in by OpenID is not enabled')
  }
})

test('sign-out ends the session here and leads to the sign-out of the provider, where sessions are shared', async () => {
  provider.people.set('s-out', { preferred_username: 'outgoing' })
  const browser = aBrowser()
  await signIn(browser, 's-out')
  const cookie = browser.jar.get('sessionid') ?? ''
  const out = new URL(await comeBack(browser, '/core/auth/logout/?next=/ui/'))
  expect(`${out.origin}${out.pathname}`).toBe(`${provider.issuer}/session/end`)
  expect(out.searchParams.get('post_logout_redirect_uri')).toBe(`${SITE}/core/auth/login/`)
  // The provider takes the hint, and asks.
  expect((await fetch(out)).status).toBe(200)
  browser.jar.set('sessionid', cookie)
  expect((await browser.call('GET', PROFILE)).status).toBe(401)
  await configure({ AUTH_OPENID_SHARE_SESSION: false })
  const other = aBrowser()
  await signIn(other, 's-out')
  expect(await flashed(other, await comeBack(other, '/core/auth/openid/logout/'))).toMatchObject({
    title: 'Signed out',
    url: LOCAL,
  })
  expect(await whoIs(other)).toBeUndefined()
})

/** The provider's name for the session of the browser that came back last. */
async function sessionName(subject: string): Promise<string> {
  const { rows } = await server.kernel.pool.query<{ hint: { $sealed: string } }>(
    `SELECT s.state #> '{outside,hint}' AS hint FROM authentication_session s
     JOIN authentication_outside_account a ON a.user_id = s.user_id WHERE a.subject = $1 ORDER BY s.id DESC LIMIT 1`,
    [subject],
  )
  const open = server.kernel.secrets.open('sign_in', 'sign-out at OpenID')
  return String(decodeJwt(open(Buffer.from(rows[0]?.hint.$sealed ?? '', 'base64'))).sid)
}

const BACK_CHANNEL = '/core/auth/openid/backchannel-logout/'
const sendForm = async (payload: string) => {
  const { statusCode, body } = await server.kernel.app.inject({
    method: 'POST',
    url: BACK_CHANNEL,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload,
  })
  return [statusCode, body]
}
const REFUSED = [
  400,
  JSON.stringify({ error: 'invalid_request', error_description: 'The logout token was not accepted' }),
]

test('a session that was ended at the provider ends here, once, and no other one does', async () => {
  provider.people.set('s-back', { preferred_username: 'back' })
  const [one, other] = [aBrowser(), aBrowser()]
  await signIn(one, 's-back')
  const first = await sessionName('s-back')
  await signIn(other, 's-back')
  const second = await sessionName('s-back')
  expect(first).not.toBe(second)
  const form = await provider.logoutOf('s-back', first)
  expect(await sendForm(form)).toEqual([200, ''])
  expect([(await one.call('GET', PROFILE)).status, await whoIs(other)]).toEqual([401, 'back'])
  expect(await sendForm(form), 'a token counts once').toEqual(REFUSED)
  const front = (iss: string, sid: string) =>
    other.call('GET', `/core/auth/openid/frontchannel-logout/?iss=${encodeURIComponent(iss)}&sid=${sid}`)
  expect((await front('https://other.example', second)).status).toBe(200)
  expect((await front(provider.issuer, 'unknown')).status).toBe(200)
  expect(await whoIs(other)).toBe('back')
  expect((await front(provider.issuer, second)).status).toBe(200)
  expect((await other.call('GET', PROFILE)).status).toBe(401)
})

test('only a recent logout token of the provider for us ends sessions: all of a person where it names none', async () => {
  const forger = await aForger()
  const events = { 'http://schemas.openid.net/event/backchannel-logout': {} }
  const comes = async (claims: JWTPayload, isForeign = false) => {
    await forger.issue({ preferred_username: undefined, ...claims }, isForeign)
    return sendForm(new URLSearchParams({ logout_token: forger.token() }).toString())
  }
  const browser = aBrowser()
  const asked = (await begin(browser)).searchParams
  await forger.issue({ nonce: asked.get('nonce') ?? '', sub: 's-ended', preferred_username: 'ended' })
  const idToken = forger.token()
  await comeBack(browser, `/core/auth/openid/callback/?code=any&state=${asked.get('state')}`)
  expect(await whoIs(browser)).toBe('ended')
  const right = { sub: 's-ended', jti: 'j-1', events }
  const now = Math.floor(Date.now() / 1000)
  for (const [claims, isForeign] of [
    [{}, true],
    [{ aud: 'somebody-else' }],
    [{ iss: 'https://other.example' }],
    [{ iat: now - 3600 }],
    [{ iat: now + 3600, exp: now + 7200 }],
    [{ exp: now - 600 }],
    [{ nonce: 'any' }],
    [{ events: { other: {} } }],
    [{ events: 'http://schemas.openid.net/event/backchannel-logout' }],
    [{ jti: undefined }],
    [{ sub: undefined }],
    [{ sid: 5 }],
    [{ sub: 'x'.repeat(300) }],
  ] as const)
    expect(await comes({ ...right, ...claims } as JWTPayload, isForeign), JSON.stringify(claims)).toEqual(REFUSED)
  forger.issueUnsigned({ ...right, iss: provider.issuer, aud: CLIENT.id, iat: now })
  for (const form of [`logout_token=${forger.token()}`, `logout_token=${idToken}`, 'logout_token=x', '', 'other=1'])
    expect(await sendForm(form)).toEqual(REFUSED)
  expect(await whoIs(browser)).toBe('ended')
  await configure({ AUTH_OPENID: false })
  expect(await comes(right)).toEqual(REFUSED)
  await forger.configured()
  expect(await comes(right)).toEqual([200, ''])
  expect((await browser.call('GET', PROFILE)).status).toBe(401)
})

test('settings that could not work are refused', async () => {
  for (const change of [
    { AUTH_OPENID_PROVIDER_SIGNATURE_ALG: 'none' },
    { AUTH_OPENID_PROVIDER_ENDPOINT: 'idp.example' },
    { AUTH_OPENID_SERVER_URL: 'javascript:alert(1)' },
  ])
    expect((await server.admin.patch(settingsAt('oidc'), change)).status).toBe(400)
})

test('the Keycloak form makes the addresses of server and realm', async () => {
  await configure({
    AUTH_OPENID_KEYCLOAK: true,
    AUTH_OPENID_SERVER_URL: 'https://idp.example/',
    AUTH_OPENID_REALM_NAME: 'our staff',
  })
  const { origin, pathname } = await begin(aBrowser())
  expect(origin + pathname).toBe('https://idp.example/realms/our%20staff/protocol/openid-connect/auth')
})

test('somebody of a local password is nobody of the provider: their sign-out stays here', async () => {
  await server.aPerson('homely')
  const browser = aBrowser()
  await browser.call('POST', '/core/auth/login/', { username: 'homely', password: PASSWORD })
  expect(await whoIs(browser)).toBe('homely')
  expect((await flashed(browser, await comeBack(browser, '/core/auth/logout/'))).url).toBe('/core/auth/login/')
})
