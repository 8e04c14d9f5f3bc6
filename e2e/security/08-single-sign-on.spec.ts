// Class 8: SSO. Signatures, audiences, states and nonces are tried against real providers beside
// each way of signing in (README.md); here, that no callback signs anybody in by itself, whatever
// it is handed and whether its provider is set up or not.
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startIdp } from '../../apps/server/src/domains/authentication/single-sign-on/saml2/idp-fixture.ts'
import { admin, aJar, aPerson, type CookieJar, fine, PROFILE, place } from './visitor.ts'

const SAML = Buffer.from(
  '<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol"><Assertion/></samlp:Response>',
).toString('base64')
const CALLBACKS: [string, string, string?][] = [
  ['GET', '/core/auth/openid/callback/?code=guessed&state=guessed'],
  ['GET', '/core/auth/openid/callback/?error=access_denied&error_description=<script>alert(1)</script>'],
  ['GET', '/core/auth/cas/callback/?ticket=ST-1-guessed'],
  ['GET', '/core/auth/cas/login/?ticket=ST-1-guessed'],
  ['POST', '/core/auth/saml2/callback/', `SAMLResponse=${encodeURIComponent(SAML)}&RelayState=//evil.example`],
  ['GET', '/core/auth/wecom/qr/login/callback/?code=guessed&state=guessed'],
  ['GET', '/core/auth/dingtalk/qr/login/callback/?code=guessed&state=guessed'],
  ['GET', '/core/auth/feishu/qr/login/callback/?code=guessed&state=guessed'],
  ['GET', '/api/v1/authentication/sso/login/?authkey=00000000-0000-4000-8000-000000000001&next=//evil.example'],
  ['GET', '/api/v1/authentication/sso/login/?authkey=%27%20OR%201=1--'],
]

/** Ways over a provider: where they start, and by what its answer comes back. */
const WAYS: [start: string, callback: string, answer: string][] = [
  ['/core/auth/openid/login/', '/core/auth/openid/callback/', 'code=guessed'],
  ['/core/auth/cas/login/', '/core/auth/cas/callback/', 'ticket=ST-1-guessed'],
  ['/core/auth/saml2/login/', '/core/auth/saml2/callback/', `SAMLResponse=${encodeURIComponent(SAML)}`],
  ['/core/auth/wecom/qr/login/', '/core/auth/wecom/qr/login/callback/', 'code=guessed'],
  ['/core/auth/dingtalk/qr/login/', '/core/auth/dingtalk/qr/login/callback/', 'code=guessed'],
  ['/core/auth/feishu/qr/login/', '/core/auth/feishu/qr/login/callback/', 'code=guessed'],
]
const PAGE = { accept: 'text/html' }
const FORM = { ...PAGE, 'content-type': 'application/x-www-form-urlencoded' }

/** Comes back as if from a provider. */
async function signsNobodyIn(browser: CookieJar, method: string, path: string, form?: string): Promise<void> {
  const { status, headers, text } = await browser.call(method, path, form, form ? FORM : PAGE)
  expect(status).toBeLessThan(500)
  const location = headers.get('location') ?? '/'
  // The start of CAS, which takes no ticket, begins over; else nothing leads away from here.
  if (!location.startsWith(`${provider}/`)) expect(location).toMatch(/^\/(?![/\\])/)
  expect(text).not.toContain('<script>alert(1)')
  expect((await browser.call('GET', PROFILE)).status).toBe(401)
}

/** Where the providers are that are switched on. Knows nobody, and remembers what it was asked. */
let double: Server
let provider: string
let asked: string[] = []
beforeAll(async () => {
  double = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"errcode": 40001, "code": 99991663}')
  }).listen(0, '127.0.0.1')
  await once(double, 'listening')
  provider = `http://127.0.0.1:${(double.address() as AddressInfo).port}`
})
afterAll(() => double?.close())

test.each(CALLBACKS)('%s %s signs nobody in and leads nowhere else while no provider is set up', (method, path, form) =>
  signsNobodyIn(aJar(), method, path, form),
)

const settingsAt = (category: string) => `/api/v1/settings/setting/?category=${category}`

describe('with every provider switched on', () => {
  const switches = ['AUTH_OPENID', 'AUTH_CAS', 'AUTH_SAML2', 'AUTH_WECOM', 'AUTH_DINGTALK', 'AUTH_FEISHU', 'AUTH_SSO']
  let metadata: string
  beforeAll(async () => {
    const idp = await startIdp()
    metadata = idp.metadata()
    await idp.close()
    await change('basic', { SITE_URL: place.url })
    await change('oidc', {
      AUTH_OPENID: true,
      AUTH_OPENID_KEYCLOAK: false,
      // It is asked for again where another file had another address.
      AUTH_OPENID_CLIENT_SECRET: 'secret-of-the-client',
      BASE_SITE_URL: place.url,
      AUTH_OPENID_PROVIDER_ENDPOINT: provider,
      AUTH_OPENID_PROVIDER_AUTHORIZATION_ENDPOINT: `${provider}/auth`,
      AUTH_OPENID_PROVIDER_TOKEN_ENDPOINT: `${provider}/token`,
      AUTH_OPENID_PROVIDER_JWKS_ENDPOINT: `${provider}/jwks`,
      AUTH_OPENID_PROVIDER_USERINFO_ENDPOINT: `${provider}/me`,
    })
    await change('cas', { AUTH_CAS: true, CAS_SERVER_URL: provider, CAS_ROOT_PROXIED_AS: place.url })
    await change('saml2', { AUTH_SAML2: true, SAML2_IDP_METADATA_URL: '', SAML2_IDP_METADATA_XML: metadata })
    await change('wecom', { AUTH_WECOM: true, WECOM_CORPID: 'corp', WECOM_AGENTID: '1', WECOM_SECRET: 'secret' })
    await change('dingtalk', {
      AUTH_DINGTALK: true,
      DINGTALK_APPKEY: 'key',
      DINGTALK_AGENTID: '1',
      DINGTALK_APPSECRET: 'secret',
    })
    await change('feishu', { AUTH_FEISHU: true, FEISHU_APP_ID: 'app', FEISHU_APP_SECRET: 'secret' })
    await change('sso', { AUTH_SSO: true })
  })
  afterAll(() => change('auth', Object.fromEntries(switches.map((name) => [name, false]))))
  const change = async (category: string, values: object) =>
    fine(await (await admin()).call('PATCH', settingsAt(category), values))

  test.each(CALLBACKS)(
    '%s %s signs nobody in and leads nowhere else, and the provider is not asked',
    async (method, path, form) => {
      asked = []
      await signsNobodyIn(aJar(), method, path, form)
      expect(asked).toEqual([])
    },
  )

  test.each(WAYS)(
    '%s leads to its provider, and a guessed answer to that very start signs nobody in',
    async (start, callback, answer) => {
      const browser = aJar()
      const begun = await browser.call('GET', start, undefined, PAGE)
      expect(begun.status).toBe(302)
      const page = new URL(begun.headers.get('location') ?? '')
      expect(page.origin).not.toBe(place.url)
      const state = page.searchParams.get('state') ?? page.searchParams.get('RelayState') ?? ''
      if (callback.includes('saml2'))
        return signsNobodyIn(browser, 'POST', callback, `${answer}&RelayState=${encodeURIComponent(state)}`)
      const back = new URL(page.searchParams.get('service') ?? page.searchParams.get('redirect_uri') ?? '')
      expect(back.origin + back.pathname).toBe(place.url + callback)
      if (state) back.searchParams.set('state', state)
      asked = []
      await signsNobodyIn(browser, 'GET', `${callback}?${back.searchParams}&${answer}`)
      // The messengers are at the addresses that the installation was given, where nothing answers.
      if (page.origin === provider) expect(asked).not.toEqual([])
    },
  )
})

test('links that sign somebody in are for system administrators to hand out, and only while they are switched on', async () => {
  const keeper = await admin()
  const issue = (caller: Pick<CookieJar, 'call'>) =>
    caller.call('POST', '/api/v1/authentication/sso/login-url/', { username: 'admin' })
  const closed = await issue(keeper)
  expect([closed.status, closed.body.code]).toEqual([400, 'sso_auth_closed'])
  fine(await keeper.call('PATCH', settingsAt('sso'), { AUTH_SSO: true }))
  try {
    expect((await issue(aJar())).status).toBe(401)
    expect((await issue(await aPerson({ orgRoles: ['Admin'] }))).status).toBe(403)
    expect((await issue(await aPerson({ role: 'Auditor' }))).status).toBe(403)
    expect(new URL(fine(await issue(keeper)).login_url).searchParams.get('authkey')).toMatch(/^[\w-]{20,}$/)
  } finally {
    fine(await keeper.call('PATCH', settingsAt('sso'), { AUTH_SSO: false }))
  }
})
