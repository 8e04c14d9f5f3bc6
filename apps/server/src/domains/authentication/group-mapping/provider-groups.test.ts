import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openTestServer, type TestServer } from '../../../../test/server.ts'
import { type FreeRadius, startFreeRadius } from '../radius/freeradius-fixture.ts'
import { type CasDouble, startCas } from '../single-sign-on/cas/cas-fixture.ts'
import {
  CLIENT,
  type OidcPerson,
  type OidcProvider,
  startOidcProvider,
} from '../single-sign-on/openid/oidc-provider-fixture.ts'
import { type OutsideTest, outsideTest, settingsAt } from '../single-sign-on/outside-sign-in-fixture.ts'
import {
  answer,
  type IdpDouble,
  makeKeyPair,
  packed,
  readAuthnRequest,
  startIdp,
} from '../single-sign-on/saml2/idp-fixture.ts'

const SITE = 'http://sallyport.example'
const RULES = '/api/v1/authentication/group-mappings/'

let provider: OidcProvider
let cas: CasDouble
let idp: IdpDouble
let radius: FreeRadius
let server: TestServer
let outside: OutsideTest
beforeAll(async () => {
  provider = await startOidcProvider(SITE)
  cas = await startCas()
  idp = await startIdp()
  radius = await startFreeRadius({ rita: 'Radius-1', ruth: 'Radius-1' }, 'Radius-secret-1', {
    rita: ['operators', 'night shift'],
  })
  server = await openTestServer()
  outside = outsideTest(server, SITE)
  const { issuer } = provider
  const sp = makeKeyPair('sp')
  await configure('basic', { SITE_URL: SITE })
  await configure('oidc', {
    ...{ AUTH_OPENID: true, BASE_SITE_URL: SITE, AUTH_OPENID_KEYCLOAK: false },
    ...{ AUTH_OPENID_CLIENT_ID: CLIENT.id, AUTH_OPENID_CLIENT_SECRET: CLIENT.secret },
    AUTH_OPENID_PROVIDER_ENDPOINT: issuer,
    AUTH_OPENID_PROVIDER_AUTHORIZATION_ENDPOINT: `${issuer}/auth`,
    AUTH_OPENID_PROVIDER_TOKEN_ENDPOINT: 'token',
    AUTH_OPENID_PROVIDER_JWKS_ENDPOINT: 'jwks',
    AUTH_OPENID_PROVIDER_USERINFO_ENDPOINT: 'me',
    AUTH_OPENID_PROVIDER_SIGNATURE_ALG: 'RS256',
    AUTH_OPENID_GROUPS_CLAIM: 'groups',
  })
  await configure('cas', {
    ...{ AUTH_CAS: true, CAS_SERVER_URL: cas.url, CAS_ROOT_PROXIED_AS: SITE, CAS_VERSION: 3 },
    CAS_GROUPS_ATTRIBUTE: 'memberOf',
  })
  await configure('saml2', {
    ...{ AUTH_SAML2: true, SAML2_IDP_METADATA_XML: idp.metadata(), SAML2_SP_ADVANCED_SETTINGS: {} },
    ...{ SAML2_SP_KEY_CONTENT: sp.key, SAML2_SP_CERT_CONTENT: sp.certificate },
    SAML2_GROUPS_ATTRIBUTE: 'http://schemas.example/claims/groups',
  })
  await configure('radius', {
    ...{ AUTH_RADIUS: true, RADIUS_SERVER: '127.0.0.1', RADIUS_PORT: radius.port, RADIUS_SECRET: radius.secret },
  })
})
afterAll(async () => {
  await server?.close()
  await Promise.all([provider?.close(), cas?.close(), idp?.close(), radius?.close()])
})
beforeEach(async () => {
  for (const { id } of (await server.admin.get(RULES)).body) await server.admin.delete(`${RULES}${id}/`)
})

async function configure(category: string, changes: Record<string, unknown>) {
  const { status, body } = await server.admin.patch(settingsAt(category), changes)
  expect([category, status, body]).toEqual([category, 200, expect.anything()])
}
let count = 0
async function rule(draft: Record<string, unknown>) {
  const { status, body } = await server.admin.post(RULES, { name: `rule ${++count}`, org_role: 'Auditor', ...draft })
  expect([status, body]).toEqual([201, expect.anything()])
}
async function byOpenid(subject: string, groups?: unknown, more: object = {}) {
  provider.people.set(subject, {
    preferred_username: subject,
    ...(groups === undefined ? {} : { groups }),
    ...more,
  } as OidcPerson)
  const browser = outside.aBrowser()
  const back = await provider.signIn(await outside.visit(browser, '/core/auth/openid/login/'), subject)
  expect(await outside.visit(browser, back)).toBe('/ui/')
}
const rolesOf = async (username: string) => {
  const [row] = (await server.admin.get(`/api/v1/users/users/?username=${username}`)).body
  return { org_roles: row?.given_org_roles, role: (await outside.userRow(username))?.role }
}
const NOTHING = { org_roles: [], role: 'User' }
const AUDITOR = { org_roles: ['Auditor'], role: 'User' }

test('claims of OpenID give by rules, at each sign-in; a person without any loses it', async () => {
  await rule({ source: 'openid', value: 'operators' })
  await byOpenid('olga', ['staff', 'operators'])
  expect(await rolesOf('olga')).toEqual(AUDITOR)
  await byOpenid('omar', ['Operators', 'operators2'])
  expect(await rolesOf('omar')).toEqual(NOTHING)
  await byOpenid('olga')
  expect((await rolesOf('olga')).org_roles ?? []).toEqual([])
})

test('a claim that names a role, or says that somebody is an administrator, gives nothing without a rule', async () => {
  await rule({ source: 'openid', value: 'operators' })
  const words = ['Admin', 'admin', 'System administrator', 'Administrators', 'superuser', '*', 'org_admin']
  await byOpenid('oscar', words, { role: 'Admin', is_superuser: true, org_roles: ['Admin'] })
  expect(await rolesOf('oscar')).toEqual(NOTHING)
})

test('a link in place of too many groups, and 100,000 groups, change nothing', async () => {
  const many = Array.from({ length: 100_000 }, (_, n) => `g${n}`)
  await rule({ source: 'openid', value: 'operators' })
  await byOpenid('otto', ['operators'])
  await byOpenid('otto', undefined, { _claim_names: { groups: 'src1' } })
  expect(await rolesOf('otto')).toEqual(AUDITOR)
  await byOpenid('otto', [...many.slice(0, 5000), 'operators'])
  expect(await rolesOf('otto')).toEqual(AUDITOR)
  await byOpenid('otto', many)
  expect(await rolesOf('otto')).toEqual(AUDITOR)
  await byOpenid('otto', ['none of these'])
  expect((await rolesOf('otto')).org_roles ?? []).toEqual([])
})

test('attributes of SAML 2 and of CAS, and the class of RADIUS give by rules of their own source', async () => {
  await rule({ source: 'saml2', match: 'subtree', value: 'ou=ops,dc=example,dc=org' })
  await rule({ source: 'cas', match: 'pattern', value: 'team-*' })
  await rule({ source: 'radius', value: 'night shift' })
  const bySaml = async (uid: string, groups: string[]) => {
    const browser = outside.aBrowser()
    const request = readAuthnRequest(await outside.visit(browser, '/core/auth/saml2/login/'))
    const claims = { name: `name-of-${uid}`, attributes: { uid, 'http://schemas.example/claims/groups': groups } }
    const { location } = await outside.post(request.callback, { SAMLResponse: packed(answer(idp, request, claims)) })
    expect(await outside.visit(browser, location)).toBe('/ui/')
  }
  await bySaml('sam', ['team-a', 'CN=Night, OU=Ops,DC=Example,DC=org'])
  expect(await rolesOf('sam')).toEqual(AUDITOR)
  await bySaml('sara', ['cn=x\\,ou=ops,dc=example,dc=org', 'team-a', 'night shift'])
  expect(await rolesOf('sara')).toEqual(NOTHING)

  const byCas = async (user: string, memberOf: string[]) => {
    cas.attributes.set(user, { uid: [user], memberOf })
    const browser = outside.aBrowser()
    const back = cas.signIn(await outside.visit(browser, '/core/auth/cas/login/'), user)
    expect(await outside.visit(browser, back)).toBe('/ui/')
  }
  await byCas('carl', ['staff', 'team-b'])
  expect(await rolesOf('carl')).toEqual(AUDITOR)
  await byCas('carl', ['staff'])
  expect((await rolesOf('carl')).org_roles ?? []).toEqual([])

  for (const username of ['rita', 'ruth'])
    expect(
      (await server.call('POST', '/api/v1/authentication/tokens/', { body: { username, password: 'Radius-1' } }))
        .status,
    ).toBe(201)
  expect([await rolesOf('rita'), await rolesOf('ruth')]).toEqual([AUDITOR, NOTHING])
})

test('a rule that could mean nobody of a provider is refused by its field', async () => {
  for (const [changes, field] of [
    [{ match: 'pattern', value: ' ** ' }, 'value'],
    [{ match: 'pattern', value: 'team' }, 'value'],
    [{ match: 'subtree', value: 'no dn' }, 'value'],
  ] as const) {
    const { status, body } = await server.admin.post(RULES, { name: 'wrong', source: 'openid', ...changes })
    expect([changes, status, Object.keys(body)]).toEqual([changes, 400, [field]])
  }
})
