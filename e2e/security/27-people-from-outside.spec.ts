// Class 27: people from outside. The operator of a directory or provider says of its people anything; here
// they try to become administrators, people of here, and each other.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { entry, ldapSettings, ou } from '../../apps/server/src/domains/authentication/ldap/people-fixture.ts'
import { type Slapd, SUFFIX, startSlapd } from '../../apps/server/src/domains/authentication/ldap/slapd-fixture.ts'
import {
  CLIENT,
  type OidcProvider,
  startOidcProvider,
} from '../../apps/server/src/domains/authentication/single-sign-on/openid/oidc-provider-fixture.ts'
import {
  answer,
  type Claims,
  type IdpDouble,
  makeKeyPair,
  packed,
  readAuthnRequest,
  startIdp,
} from '../../apps/server/src/domains/authentication/single-sign-on/saml2/idp-fixture.ts'
import { admin, aJar, aName, aPerson, call, fine, PASSWORD, PROFILE, place, ROOT_ORG, signIn } from './visitor.ts'

const RULES = '/api/v1/authentication/group-mappings/'
const DIRECTORIES = '/api/v1/authentication/directories/'
const USERS = '/api/v1/users/users/'
const PAGE = { accept: 'text/html' }
const FORM = { ...PAGE, 'content-type': 'application/x-www-form-urlencoded' }
const PERSISTENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent'
/** A password that the operator of a directory gives to everybody there. */
const OPERATOR = 'Of-the-operator-1'
/** What somebody could call a group who hopes that a name alone does something. */
const GRAND = [
  'admin',
  'Admin',
  'administrators',
  'System administrator',
  'superuser',
  'root',
  'Domain Admins',
  'org_admin',
]

let provider: OidcProvider
let idp: IdpDouble
let first: Slapd
let second: Slapd
let directory: string
/** Somebody of here, with a password of here. */
let local: Awaited<ReturnType<typeof aPerson>>
const settingsAt = (category: string) => `/api/v1/settings/setting/?category=${category}`
const change = async (category: string, values: object) =>
  fine(await (await admin()).call('PATCH', settingsAt(category), values))
const everywhere = async () => (await admin()).in(ROOT_ORG)
const rowOf = async (username: string) =>
  fine(await (await everywhere()).call('GET', `${USERS}?username=${encodeURIComponent(username)}`))[0]
const emailOf = (row: { email: string }) => row.email

beforeAll(async () => {
  local = await aPerson({ username: aName('local') })
  const sp = makeKeyPair('sallyport')
  const names = ['admin', local.username, 'pair', 'grand', 'of-first']
  const group = (name: string) => `dn: cn=${name},ou=groups,${SUFFIX}\nobjectClass: groupOfNames\ncn: ${name}\n`
  const member = `member: employeeNumber=4,ou=people,${SUFFIX}\n\n`
  const people = names.map((uid, n) => entry('people', n + 1, { uid, password: OPERATOR })).join('')
  ;[provider, idp, first, second] = await Promise.all([
    startOidcProvider(place.url),
    startIdp(),
    startSlapd(ou('people') + people),
    startSlapd(
      ou('people') +
        ou('groups') +
        people +
        GRAND.filter((name) => name !== 'Admin')
          .map((name) => group(name) + member)
          .join(''),
    ),
  ])
  await change('basic', { SITE_URL: place.url })
  await change('oidc', {
    AUTH_OPENID: true,
    AUTH_OPENID_KEYCLOAK: false,
    BASE_SITE_URL: place.url,
    AUTH_OPENID_CLIENT_ID: CLIENT.id,
    AUTH_OPENID_CLIENT_SECRET: CLIENT.secret,
    AUTH_OPENID_PROVIDER_ENDPOINT: provider.issuer,
    AUTH_OPENID_PROVIDER_AUTHORIZATION_ENDPOINT: `${provider.issuer}/auth`,
    AUTH_OPENID_PROVIDER_TOKEN_ENDPOINT: `${provider.issuer}/token`,
    AUTH_OPENID_PROVIDER_JWKS_ENDPOINT: `${provider.issuer}/jwks`,
    AUTH_OPENID_PROVIDER_USERINFO_ENDPOINT: `${provider.issuer}/me`,
    AUTH_OPENID_PROVIDER_SIGNATURE_ALG: 'RS256',
    AUTH_OPENID_GROUPS_CLAIM: 'groups',
    AUTH_OPENID_ID_TOKEN_INCLUDE_CLAIMS: true,
  })
  await change('saml2', {
    AUTH_SAML2: true,
    SAML2_IDP_METADATA_URL: '',
    SAML2_IDP_METADATA_XML: idp.metadata(),
    SAML2_SP_KEY_CONTENT: sp.key,
    SAML2_SP_CERT_CONTENT: sp.certificate,
    SAML2_RENAME_ATTRIBUTES: { uid: 'username', email: 'email', role: 'role', groups: 'groups' },
    SAML2_GROUPS_ATTRIBUTE: 'groups',
  })
  await change('ldap', { ...ldapSettings(first.url), AUTH_LDAP_GROUP_SEARCH_OU: '' })
  const { AUTH_LDAP_BIND_DN: bind_dn, AUTH_LDAP_BIND_PASSWORD: bind_password } = ldapSettings('')
  directory = fine(
    await (await admin()).call('POST', DIRECTORIES, {
      name: aName('partner'),
      server_uri: second.url,
      bind_dn,
      bind_password,
      search_ou: `ou=people,${SUFFIX}`,
      group_search_ou: `ou=groups,${SUFFIX}`,
      // Attributes of the operator's choice, for more than a directory may say.
      user_attr_map: { username: 'uid', name: 'cn', email: 'mail', role: 'sn', is_superuser: 'sn', system_role: 'sn' },
    }),
  ).id
}, 60_000)
afterAll(async () => {
  const keeper = await everywhere()
  if (directory) await keeper.call('DELETE', `${DIRECTORIES}${directory}/`)
  await change('auth', { AUTH_OPENID: false, AUTH_SAML2: false })
  await change('ldap', { AUTH_LDAP: false })
  for (const one of [provider, idp, first, second]) await one?.close()
})

/** Over the provider and back; answers the user name of the session, if there is one. */
async function byOpenid(sub: string, claims: object): Promise<string | undefined> {
  provider.people.set(sub, claims)
  const browser = aJar()
  const begun = await browser.call('GET', '/core/auth/openid/login/', undefined, PAGE)
  const back = await provider.signIn(begun.headers.get('location') ?? '', sub)
  await browser.call('GET', back.replace(place.url, ''), undefined, PAGE)
  return (await browser.call('GET', PROFILE)).body.username
}
async function bySaml(claims: Claims): Promise<string | undefined> {
  const browser = aJar()
  const begun = await browser.call('GET', '/core/auth/saml2/login/', undefined, PAGE)
  const request = readAuthnRequest(begun.headers.get('location') ?? '')
  const form = new URLSearchParams({ SAMLResponse: packed(answer(idp, request, claims, {})) }).toString()
  const posted = await call('POST', new URL(request.callback).pathname, form, FORM)
  await browser.call('GET', (posted.headers.get('location') ?? '').replace(place.url, ''), undefined, PAGE)
  return (await browser.call('GET', PROFILE)).body.username
}
const byLdap = async (username: string): Promise<string | undefined> => {
  const browser = aJar()
  await browser.call('GET', '/core/auth/login/?admin=1')
  await browser.call('POST', '/core/auth/login/?admin=1', { username, password: OPERATOR })
  return (await browser.call('GET', PROFILE)).body.username
}

test('no claim, attribute, group or name from outside makes a system administrator; a rule that names the group and the role does', async () => {
  const keeper = await admin()
  const claims = { role: 'Admin', system_role: 'Admin', is_superuser: true, org_roles: ['Admin'], groups: GRAND }
  const [openid, saml] = [aName('grand'), aName('grand')]
  const all = async () => {
    expect(await byOpenid(openid, { preferred_username: openid, ...claims })).toBe(openid)
    expect(await bySaml({ name: saml, attributes: { uid: saml, role: 'Admin', groups: GRAND } })).toBe(saml)
    expect(await byLdap('of-first')).toBe('of-first')
    return Promise.all([openid, saml, 'of-first'].map(async (name) => (await rowOf(name)).role))
  }
  expect(await all()).toEqual(['User', 'User', 'User'])
  // Rules that give something to these groups give that and nothing more.
  const made: string[] = []
  const rule = (draft: object) => keeper.call('POST', RULES, { name: aName('rule'), ...draft })
  for (const source of ['openid', 'saml2', 'ldap'])
    made.push(fine(await rule({ source, match: 'everybody', org_role: 'Auditor' })).id)
  expect(await all()).toEqual(['User', 'User', 'User'])
  // Rules that could mean a group which somebody outside makes up are refused.
  for (const draft of [
    { source: 'openid', match: 'everybody' },
    { source: 'openid', match: 'pattern', value: '*admin*' },
    { source: 'ldap', match: 'subtree', value: SUFFIX },
    { source: 'ldap', value: `cn=admin,ou=groups,${SUFFIX}`, all_directories: true },
  ]) {
    const { status, body } = await rule({ ...draft, system_role: 'Admin' })
    expect([draft, status, Object.keys(body)]).toEqual([draft, 400, ['system_role']])
  }
  made.push(fine(await rule({ source: 'openid', value: 'root', system_role: 'Admin' })).id)
  expect(await all()).toEqual(['Admin', 'User', 'User'])
  for (const id of made) fine(await keeper.call('DELETE', `${RULES}${id}/`))
  expect(await all()).toEqual(['User', 'User', 'User'])
})

test('the operator of one directory makes no administrator by the rule for another, whatever DN they write', async () => {
  const keeper = await admin()
  const name = 'grand'
  // In the first directory this is nobody's password, and the second has a group of the very same DN.
  await change('ldap', { AUTH_LDAP_SEARCH_FILTER: '(&(uid=%(user)s)(!(uid=grand)))' })
  const { id } = fine(
    await keeper.call('POST', RULES, {
      name: aName('rule'),
      source: 'ldap',
      value: `cn=admin,ou=groups,${SUFFIX}`,
      system_role: 'Admin',
    }),
  )
  expect(await byLdap(name)).toBe(name)
  expect(await rowOf(name)).toMatchObject({ role: 'User', source: 'ldap' })
  fine(await keeper.call('DELETE', `${RULES}${id}/`))
  // Nor does the second take over a name of the first, which says later that it knows it.
  await change('ldap', { AUTH_LDAP_SEARCH_FILTER: '(uid=%(user)s)' })
  const before = await rowOf(name)
  expect(await byLdap(name)).toBe(name)
  expect((await rowOf(name)).directory).toBe(before.directory)
})

test('nobody from outside becomes somebody of here by the same name, in any letters, or the same address', async () => {
  const victims = [local.username, 'admin']
  const before = await Promise.all(victims.map(rowOf))
  for (const [at, victim] of victims.entries()) {
    const [email] = [emailOf(before[at])]
    const like = victim.replace('a', 'а')
    for (const name of [victim, victim.toUpperCase(), ` ${victim} `, `${victim}\u200b`, like]) {
      const subject = aName('sub')
      const claims = { preferred_username: name, name: victim, email, email_verified: true }
      expect([name, await byOpenid(subject, claims)]).toEqual([name, undefined])
      expect([name, await bySaml({ name: subject, attributes: { uid: name, email } })]).toEqual([name, undefined])
    }
    for (const name of [victim, victim.toUpperCase()]) expect([name, await byLdap(name)]).toEqual([name, undefined])
    // By the address alone, under a name of their own.
    const own = aName('own')
    expect(await byOpenid(own, { preferred_username: own, email, email_verified: true })).toBeUndefined()
    expect(await bySaml({ name: own, attributes: { uid: own, email } })).toBeUndefined()
  }
  expect(await Promise.all(victims.map(rowOf))).toEqual(
    before.map(({ last_login: _, ...row }) =>
      expect.objectContaining({ id: row.id, source: 'local', email: row.email }),
    ),
  )
  await signIn(local.username, PASSWORD)
  expect(before.map(({ role }) => role)).toEqual(['User', 'Admin'])
})

test('an address is verified where email_verified is true, and by nothing that looks like it', async () => {
  const email = `${aName('boss')}@corp.example`
  for (const email_verified of ['true', 'True', 'yes', 1, 'on', [true], { value: true }, null, false, 0, '']) {
    const name = aName('claimer')
    expect(await byOpenid(name, { preferred_username: name, email, email_verified })).toBe(name)
    expect([email_verified, (await rowOf(name)).email]).toEqual([email_verified, expect.not.stringContaining('boss')])
  }
  const boss = aName('boss')
  expect(await byOpenid(boss, { preferred_username: boss, email, email_verified: true })).toBe(boss)
  expect((await rowOf(boss)).email).toBe(email)
})

test('subjects of OpenID, NameIDs of SAML and user names are three name spaces: who is called one thing in one is nobody in another', async () => {
  const [one, two, three] = [aName('one'), aName('two'), aName('three')]
  const plain = (uid: string, name: string): Claims => ({ name, nameFormat: PERSISTENT, attributes: { uid } })
  expect(await byOpenid(one, { preferred_username: two })).toBe(two)
  // Another subject that reads as the user name, and a user name that reads as the subject.
  const other = aName('other')
  expect(await byOpenid(two, { preferred_username: other })).toBe(other)
  expect(await byOpenid(aName('sub'), { preferred_username: two })).toBeUndefined()
  expect(await byOpenid(aName('sub'), { preferred_username: one })).toBe(one)
  // A NameID that reads as a subject, as a user name, or as the user name of another person of SAML.
  expect(await bySaml(plain(three, one))).toBe(three)
  expect(await bySaml(plain(two, aName('name')))).toBeUndefined()
  const four = aName('four')
  expect(await bySaml(plain(four, three))).toBe(four)
  expect(await bySaml(plain(three, aName('name')))).toBeUndefined()
  // The same names again lead to the same people.
  expect(await byOpenid(one, { preferred_username: four })).toBe(two)
  expect(await bySaml(plain(two, one))).toBe(three)
  // Ids of people here are no names at all.
  const { id } = await rowOf(two)
  const stranger = await byOpenid(id, { preferred_username: aName('stranger') })
  expect(stranger).not.toBe(two)
  const rows = await Promise.all([two, three, four].map(rowOf))
  expect(new Set(rows.map((row) => row.id)).size).toBe(3)
})
