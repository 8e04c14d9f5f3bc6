import { createSign, createVerify, generateKeyPairSync, X509Certificate } from 'node:crypto'
import { deflateRawSync } from 'node:zlib'
import { IdentityProvider, SamlLib, ServiceProvider, setSchemaValidator } from 'samlify'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { SignedXml } from 'xml-crypto'
import type { TestBrowser } from '../../../../../test/browser.ts'
import { openTestServer, type TestServer } from '../../../../../test/server.ts'
import { attributeOf, childOf, everyElement, parseXml, textOf } from '../../../../kernel/xml/strict-xml.ts'
import { type Settings, settingsOf } from '../../../settings/index.ts'
import { LOCAL, type OutsideTest, outsideTest, settingsAt } from '../outside-sign-in-fixture.ts'
import {
  answer,
  type Claims,
  type IdpDouble,
  type KeyPair,
  makeKeyPair,
  messageOf,
  packed,
  readAuthnRequest,
  type Signing,
  signElement,
  startIdp,
} from './idp-fixture.ts'
import { SAML, SAMLP } from './namespaces.ts'

const SITE = 'http://sallyport.example'
const START = '/core/auth/saml2/login/'
const SIGN_OUT = '/core/auth/saml2/logout/'
const EVERY_DAY = [0, 1, 2, 3, 4, 5, 6].map((day) => ({ id: day, value: '00:00~00:00' }))

let idp: IdpDouble
let sp: KeyPair
let server: TestServer
let outside: OutsideTest
beforeAll(async () => {
  idp = await startIdp()
  sp = makeKeyPair('sallyport')
  server = await openTestServer()
  outside = outsideTest(server, SITE)
  await server.admin.patch(settingsAt('basic'), { SITE_URL: SITE })
})
afterAll(async () => {
  await server?.close()
  await idp?.close()
})
beforeEach(() => configure())

async function configure(changes: Record<string, unknown> = {}) {
  const { status, body } = await server.admin.patch(settingsAt('saml2'), {
    AUTH_SAML2: true,
    SAML2_IDP_METADATA_URL: '',
    SAML2_IDP_METADATA_XML: idp.metadata(),
    SAML2_SP_KEY_CONTENT: sp.key,
    SAML2_SP_CERT_CONTENT: sp.certificate,
    SAML2_SP_ADVANCED_SETTINGS: {},
    SAML2_RENAME_ATTRIBUTES: { uid: 'username', email: 'email' },
    SAML2_LOGOUT_COMPLETELY: true,
    AUTH_SAML2_ALWAYS_UPDATE_USER: true,
    ...changes,
  })
  expect([status, body.SAML2_SP_KEY_CONTENT]).toEqual([200, undefined])
}

async function begin(browser: TestBrowser, next = '') {
  return outside.visit(browser, `${START}${next && `?next=${encodeURIComponent(next)}`}`)
}
/** From the sign-in page over the provider back to where that leads. */
async function signIn(browser: TestBrowser, claims: Claims, signing: Signing = {}, next = ''): Promise<string> {
  const request = readAuthnRequest(await begin(browser, next))
  const { status, location } = await outside.post(request.callback, {
    SAMLResponse: packed(answer(idp, request, claims, signing)),
  })
  expect(status).toBe(303)
  return outside.visit(browser, location)
}
const person = (uid: string, more: Record<string, string> = {}): Claims => ({
  attributes: { uid, ...more },
  name: `name-of-${uid}`,
})

test('the first sign-in makes the person, the second brings them up to date, and the way on stays on this server', async () => {
  const browser = outside.aBrowser()
  expect(
    await signIn(
      browser,
      person('olga', { email: 'olga@corp.example', name: 'Olga', phone: '13900000000', comment: 'From SAML' }),
      {},
      '/ui/assets/assets?tab=1',
    ),
  ).toBe('/ui/assets/assets?tab=1')
  expect(await outside.whoIs(browser)).toBe('olga')
  const row = await outside.userRow('olga')
  expect(row).toMatchObject({
    source: 'saml2',
    name: 'Olga',
    email: 'olga@corp.example',
    phone: '13900000000',
    comment: 'From SAML',
    role: 'User',
  })
  expect(await outside.lastLog('olga')).toMatchObject({ status: true, backend: 'SAML2' })
  expect(
    await signIn(outside.aBrowser(), person('olga', { name: 'Olga Married' }), { sign: 'response' }, '//evil.example'),
  ).toBe('/ui/')
  expect(await outside.userRow('olga')).toMatchObject({ id: row?.id, name: 'Olga Married' })
  await configure({ AUTH_SAML2_ALWAYS_UPDATE_USER: false })
  expect(await signIn(outside.aBrowser(), person('olga', { name: 'Third' }), {}, '/\\evil.example')).toBe('/ui/')
  expect((await outside.userRow('olga'))?.name).toBe('Olga Married')
})

test('the request names us by our addresses and is signed with our key; the metadata tells the same, with the attributes we ask for', async () => {
  await configure({
    SAML2_RENAME_ATTRIBUTES: { 'http://corp/uid': 'username' },
    SAML2_SP_ADVANCED_SETTINGS: {
      organization: { en: { name: 'Corp & Co', displayname: 'Corp', url: 'https://corp.example' } },
      contactPerson: { technical: { givenName: 'Ada', emailAddress: 'ada@corp.example' } },
    },
  })
  const address = await begin(outside.aBrowser())
  expect(readAuthnRequest(address)).toMatchObject({
    issuer: `${SITE}/core/auth/saml2/login/`,
    callback: `${SITE}/core/auth/saml2/callback/`,
    destination: address.split('?')[0],
  })
  const [signed = '', signature = ''] = new URL(address).search.slice(1).split('&Signature=')
  expect(
    createVerify('sha256')
      .update(signed)
      .verify(sp.certificate, Buffer.from(decodeURIComponent(signature), 'base64')),
  ).toBe(true)
  const { status, body, headers } = await server.call('GET', '/core/auth/saml2/metadata/')
  expect([status, headers['content-type']]).toEqual([200, 'application/samlmetadata+xml; charset=utf-8'])
  const root = parseXml(body)
  const [first] = everyElement(root).slice(1)
  expect(first?.localName).toBe('Signature')
  const verifier = new SignedXml({ publicCert: sp.certificate })
  verifier.loadSignature(String(first))
  expect([verifier.checkSignature(body), verifier.getSignedReferences().length]).toEqual([true, 1])
  expect(attributeOf(root, 'entityID')).toBe(`${SITE}/core/auth/saml2/login/`)
  for (const text of [
    `${SITE}/core/auth/saml2/callback/`,
    `${SITE}/core/auth/saml2/logout/`,
    'Name="http://corp/uid" FriendlyName="username"',
    'Corp &amp; Co',
    'ada@corp.example',
    new X509Certificate(sp.certificate).raw.toString('base64'),
  ])
    expect(body).toContain(text)
  await configure({
    SAML2_SP_ADVANCED_SETTINGS: {
      security: { authnRequestsSigned: false, requestedAuthnContext: ['urn:x509'], forceAuthn: true },
    },
  })
  const plain = await begin(outside.aBrowser())
  expect(plain).not.toContain('Signature=')
  const message = messageOf(plain)
  expect(attributeOf(message, 'ForceAuthn')).toBe('true')
  expect(textOf(childOf(message, SAMLP, 'RequestedAuthnContext'))).toBe('urn:x509')
})

test.each([false, true])(
  'a provider of other making reads our metadata and request, and we its answer; encrypted: %s',
  async (isAssertionEncrypted) => {
    await configure({
      SAML2_IDP_METADATA_XML: idp
        .metadata()
        .replace('<IDPSSODescriptor ', '<IDPSSODescriptor WantAuthnRequestsSigned="true" '),
    })
    setSchemaValidator({ validate: async () => 'not looked at' })
    const statement =
      '<saml:AuthnStatement AuthnInstant="{IssueInstant}" SessionIndex="one"><saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>'
    const { context } = SamlLib.defaultLoginResponseTemplate
    const other = IdentityProvider({
      metadata: idp.metadata().replace('<IDPSSODescriptor ', '<IDPSSODescriptor WantAuthnRequestsSigned="true" '),
      privateKey: idp.pair.key,
      requestSignatureAlgorithm: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
      isAssertionEncrypted,
      loginResponseTemplate: {
        context: context.replace('{AuthnStatement}', statement),
        attributes: [
          {
            name: 'uid',
            valueTag: 'uid',
            nameFormat: 'urn:oasis:names:tc:SAML:2.0:attrname-format:basic',
            valueXsiType: 'xs:string',
          },
        ],
      },
    })
    const us = ServiceProvider({
      metadata: String((await server.call('GET', '/core/auth/saml2/metadata/')).body),
      wantMessageSigned: true,
    })
    const browser = outside.aBrowser()
    const address = new URL(await begin(browser))
    const [octetString = ''] = address.search.slice(1).split('&Signature=')
    const request = await other.parseLoginRequest(us, 'redirect', {
      query: Object.fromEntries(address.searchParams),
      octetString,
    })
    const asked = { id: String(request.extract.request?.id) }
    const at = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString()
    const uid = `other-${isAssertionEncrypted}`
    const callback = us.entityMeta.getAssertionConsumerService('post') as string
    const { context: SAMLResponse } = await other.createLoginResponse(
      us,
      { extract: { request: asked } },
      'post',
      {},
      (template) => ({
        id: '_response',
        context: SamlLib.replaceTagsByValue(template, {
          ID: '_response',
          AssertionID: `_assertion-${uid}`,
          Destination: callback,
          Audience: us.entityMeta.getEntityID(),
          SubjectRecipient: callback,
          Issuer: idp.entityId,
          IssueInstant: at(0),
          AssertionConsumerServiceURL: callback,
          StatusCode: 'urn:oasis:names:tc:SAML:2.0:status:Success',
          ConditionsNotBefore: at(-60),
          ConditionsNotOnOrAfter: at(300),
          SubjectConfirmationDataNotOnOrAfter: at(300),
          NameIDFormat: 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified',
          NameID: uid,
          InResponseTo: asked.id,
          attrUid: uid,
        }),
      }),
      // Signed around the encrypted assertion.
      true,
    )
    expect(await outside.visit(browser, (await outside.post(callback, { SAMLResponse })).location)).toBe('/ui/')
    expect(await outside.whoIs(browser)).toBe(uid)
  },
)

test('a missing or wrong key or certificate is named on a page, in the language of the browser', async () => {
  const page = async (changes: Partial<Settings>, language = 'en') => {
    await configure()
    await settingsOf(server.kernel).change(changes)
    const { status, body } = await server.call('GET', '/core/auth/saml2/metadata/', {
      headers: { cookie: `django_language=${language}` },
    })
    expect([status, String(body).includes('<a href="/core/auth/login/?admin=1">')]).toEqual([412, true])
    return String(body)
  }
  expect(await page({ SAML2_SP_KEY_CONTENT: '' })).toContain('The SP private key is missing')
  const chinese = await page({ SAML2_SP_CERT_CONTENT: '' }, 'zh-hans')
  expect([chinese.includes('缺少 SP 证书'), chinese.includes('<html lang="zh-CN">')]).toEqual([true, true])
  // People who can't read it have the other language on the page.
  expect(chinese).toMatch(/<a href="#en" lang="en">English<\/a>/)
  expect(/<main id="en"[^>]*>(.*)<\/main>/.exec(chinese)?.[1]).toContain('The SP certificate is missing')
  const english = await page({ SAML2_SP_KEY_CONTENT: 'no key' })
  expect([english.includes('The SP private key cannot be read'), english.includes('<html lang="en">')]).toEqual([
    true,
    true,
  ])
  expect(await page({ SAML2_SP_CERT_CONTENT: idp.pair.certificate })).toContain('belongs to another private key')
})

test('the metadata of the provider is read from its address, kept, and read again when the setting changes; without any the start answers 412', async () => {
  const other = makeKeyPair('other')
  idp.served.asked = 0
  await configure({
    SAML2_IDP_METADATA_URL: idp.metadataUrl,
    SAML2_IDP_METADATA_XML: idp.metadata({ certificate: other.certificate }),
  })
  for (const uid of ['by-url', 'by-url-too']) expect(await signIn(outside.aBrowser(), person(uid))).toBe('/ui/')
  expect(idp.served.asked).toBe(1)
  // The address can be read no more after it was changed: the XML counts, whose key is another.
  const { body } = idp.served
  try {
    for (const broken of [
      { status: 500 },
      { status: 302, headers: { location: idp.metadataUrl } },
      { body: 'x'.repeat(1_100_000) },
      { body: '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>' },
    ]) {
      Object.assign(idp.served, { status: 200, headers: {}, body }, broken)
      await configure({
        SAML2_IDP_METADATA_URL: `${idp.metadataUrl}?${JSON.stringify(broken).length}`,
        SAML2_IDP_METADATA_XML: idp.metadata({ certificate: other.certificate }),
      })
      expect(await signIn(outside.aBrowser(), person('by-xml'), { pair: other })).toBe('/ui/')
    }
    await configure({ SAML2_IDP_METADATA_URL: `${idp.metadataUrl}?none`, SAML2_IDP_METADATA_XML: '' })
    const { status, body: page } = await server.call('GET', START)
    expect([status, String(page).includes('The metadata of the identity provider cannot be read')]).toEqual([412, true])
  } finally {
    Object.assign(idp.served, { status: 200, headers: {}, body })
  }
  await settingsOf(server.kernel).change({ SAML2_IDP_METADATA_XML: idp.metadata().replace('</EntityDescriptor>', '') })
  expect((await server.call('GET', START)).status).toBe(412)
})

test('a key, certificate or metadata that is of no use is refused at its field when it is saved, and nothing is stored; what was stored before is not asked about', async () => {
  const other = makeKeyPair('other')
  const save = (changes: Partial<Settings>) => server.admin.patch(settingsAt('saml2'), changes)
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString()
  const wrong: [changes: Partial<Settings>, field: string, text: RegExp][] = [
    [{ SAML2_SP_KEY_CONTENT: 'no key' }, 'SAML2_SP_KEY_CONTENT', /^The SP private key cannot be read/],
    [{ SAML2_SP_KEY_CONTENT: ec, SAML2_SP_CERT_CONTENT: other.certificate }, 'SAML2_SP_KEY_CONTENT', /of an RSA key/],
    [{ SAML2_SP_CERT_CONTENT: sp.key }, 'SAML2_SP_CERT_CONTENT', /^The SP certificate cannot be read/],
    [{ SAML2_SP_CERT_CONTENT: other.certificate }, 'SAML2_SP_CERT_CONTENT', /belongs to another private key/],
    [{ SAML2_IDP_METADATA_XML: '<a/>' }, 'SAML2_IDP_METADATA_XML', /describes no identity provider/],
    [
      { SAML2_IDP_METADATA_XML: idp.metadata().replace(/<IDPSSODescriptor[\s\S]*<\/IDPSSODescriptor>/, '$&$&') },
      'SAML2_IDP_METADATA_XML',
      /describes several identity providers/,
    ],
    [{ SAML2_IDP_METADATA_XML: '<!DOCTYPE a><a/>' }, 'SAML2_IDP_METADATA_XML', /^The metadata cannot be read: /],
    [
      { SAML2_IDP_METADATA_XML: idp.metadata().replace(/(X509Certificate>)[^<]{20}/, '$1') },
      'SAML2_IDP_METADATA_XML',
      /certificate that cannot be read/,
    ],
  ]
  for (const [changes, field, text] of wrong) {
    const { status, body } = await save({ ...changes, SAML2_LOGOUT_COMPLETELY: false })
    expect([status, Object.keys(body), body[field]?.[0]]).toEqual([400, [field], expect.stringMatching(text)])
  }
  expect(settingsOf(server.kernel).get('SAML2_LOGOUT_COMPLETELY')).toBe(true)
  expect((await save({ SAML2_SP_KEY_CONTENT: other.key, SAML2_SP_CERT_CONTENT: other.certificate })).status).toBe(200)
  // Run out meanwhile: other fields of the form are saved all the same.
  const SAML2_IDP_METADATA_XML = idp
    .metadata()
    .replace('<EntityDescriptor ', '<EntityDescriptor validUntil="2020-01-01T00:00:00Z" ')
  expect((await save({ SAML2_IDP_METADATA_XML })).body.SAML2_IDP_METADATA_XML).toEqual([
    'The metadata is no longer valid',
  ])
  await settingsOf(server.kernel).change({ SAML2_IDP_METADATA_XML })
  expect((await save({ SAML2_IDP_METADATA_XML, SAML2_LOGOUT_COMPLETELY: false })).status).toBe(200)
})

test('attributes are known by the last part of their names, and without a username nobody is signed in', async () => {
  const claims = {
    attributes: {
      'http://schemas.example/claims/uid': 'by-claim',
      'http://schemas.example/claims/email': ['first@corp.example', 'second@corp.example'],
    },
  }
  expect(await signIn(outside.aBrowser(), claims)).toBe('/ui/')
  expect(await outside.userRow('by-claim')).toMatchObject({ email: 'first@corp.example' })
  const browser = outside.aBrowser()
  expect(await signIn(browser, { attributes: { mail: 'x@corp.example' }, name: 'somebody' })).toBe(LOCAL)
  expect(await outside.refusalOf(browser)).toContain('does not tell your username')
})

test('[S1.08] a local person is not taken over by a name, nor anybody’s address, nor a persistent name’s person by a new one of the same username', async () => {
  await server.aPerson('locally')
  for (const uid of ['admin', 'locally', 'Locally']) {
    const browser = outside.aBrowser()
    expect(await signIn(browser, person(uid))).toBe(LOCAL)
    expect(await outside.refusalOf(browser)).toBe('A user with this name comes from another source')
    expect(await outside.whoIs(browser)).toBeUndefined()
  }
  expect(await outside.lastLog('locally')).toMatchObject({
    status: false,
    reason: 'backend_not_match',
    backend: 'SAML2',
  })
  expect(await signIn(outside.aBrowser(), person('grabber', { email: 'locally@example.com' }))).toBe(LOCAL)
  expect(await outside.userRow('grabber')).toBeUndefined()
  const persistent = (name: string) => ({
    ...person('reused'),
    name,
    nameFormat: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
  })
  expect(await signIn(outside.aBrowser(), persistent('first'))).toBe('/ui/')
  expect(await signIn(outside.aBrowser(), persistent('second'))).toBe(LOCAL)
  // Renamed at the provider, it is the same person.
  const renamed = outside.aBrowser()
  expect(await signIn(renamed, { ...persistent('first'), attributes: { uid: 'renamed' } })).toBe('/ui/')
  expect(await outside.whoIs(renamed)).toBe('reused')
})

test('a persistent name that reads as somebody’s user name is not theirs, nor a user name that reads as a persistent name', async () => {
  const format = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent'
  const by = async (claims: Parameters<typeof signIn>[1]) => {
    const browser = outside.aBrowser()
    await signIn(browser, claims)
    return outside.whoIs(browser)
  }
  expect(await by(person('vic'))).toBe('vic')
  expect(await by({ ...person('mallory'), name: 'vic', nameFormat: format })).toBe('mallory')
  expect(await by({ ...person('nina'), name: '_9f3', nameFormat: format })).toBe('nina')
  expect(await by(person('_9f3'))).toBe('_9f3')
  // Each is who they were.
  expect(await by(person('vic'))).toBe('vic')
  expect(await by({ ...person('nina'), name: '_9f3', nameFormat: format })).toBe('nina')
  expect(await by({ ...person('vic'), name: 'vic', nameFormat: format })).toBe('vic')
})

test('nobody new where only existing people may sign in; disabled people and login rules hold; the second factor is asked for afterwards', async () => {
  expect(await signIn(outside.aBrowser(), person('known'))).toBe('/ui/')
  await server.admin.patch(settingsAt('security'), { ONLY_ALLOW_EXIST_USER_AUTH: true })
  expect(await signIn(outside.aBrowser(), person('newcomer'))).toBe(LOCAL)
  expect(await signIn(outside.aBrowser(), person('known'))).toBe('/ui/')
  await server.admin.patch(settingsAt('security'), { ONLY_ALLOW_EXIST_USER_AUTH: false })
  expect(await outside.userRow('newcomer')).toBeUndefined()
  const { id } = (await outside.userRow('known')) ?? {}
  const change = (values: object) => server.admin.in('root').patch(`/api/v1/users/users/${id}/`, values)
  await change({ mfa_level: 2 })
  const factor = outside.aBrowser()
  expect(await signIn(factor, person('known'))).toBe('/core/auth/profile/otp/enable/start/')
  expect(await outside.whoIs(factor)).toBeUndefined()
  await server.admin.patch(settingsAt('security'), { SECURITY_MFA_AUTH_ENABLED_FOR_THIRD_PARTY: false })
  expect(await signIn(outside.aBrowser(), person('known'))).toBe('/ui/')
  await server.admin.patch(settingsAt('security'), { SECURITY_MFA_AUTH_ENABLED_FOR_THIRD_PARTY: true })
  await change({ mfa_level: 0 })
  const rule = {
    name: 'nowhere',
    reviewers: [],
    action: 'reject',
    user: id,
    rules: { ip_group: ['*'], time_period: EVERY_DAY },
  }
  expect((await server.admin.post('/api/v1/acls/login-acls/', rule)).status).toBe(201)
  expect(await signIn(outside.aBrowser(), person('known'))).toBe(LOCAL)
  expect(await outside.lastLog('known')).toMatchObject({ status: false, reason: 'acl_not_allow', backend: 'SAML2' })
  await change({ is_active: false })
  expect(await signIn(outside.aBrowser(), person('known'))).toBe(LOCAL)
  expect(await outside.lastLog('known')).toMatchObject({ status: false, reason: 'user_inactive' })
})

test('sign-out goes on to the provider with the name and index of its session, or stays here where the settings say so', async () => {
  const browser = outside.aBrowser()
  await signIn(browser, { ...person('outgoing'), sessionIndex: 'index-7' })
  const address = await outside.visit(browser, '/core/auth/logout/')
  const message = messageOf(address)
  expect([address.split('?')[0], message.localName]).toEqual([`${new URL(idp.entityId).origin}/slo`, 'LogoutRequest'])
  expect([textOf(childOf(message, SAML, 'NameID')), textOf(childOf(message, SAMLP, 'SessionIndex'))]).toEqual([
    'name-of-outgoing',
    'index-7',
  ])
  expect(new URL(address).searchParams.get('Signature')).toBeTruthy()
  expect(await outside.whoIs(browser)).toBeUndefined()
  // The provider's answer leads to the page for name and password.
  expect(await outside.flashed(browser, await outside.visit(browser, `${SIGN_OUT}?SAMLResponse=any`))).toMatchObject({
    title: 'Signed out',
    url: LOCAL,
  })
  await configure({ SAML2_LOGOUT_COMPLETELY: false })
  await signIn(browser, person('outgoing'))
  expect((await outside.flashed(browser, await outside.visit(browser, SIGN_OUT))).url).toBe(LOCAL)
  expect(await outside.whoIs(browser)).toBeUndefined()
})

/** A sign-out request of the provider, as a query with its signature. */
function signOutQuery({
  name = 'name-of-ended',
  index = '',
  issued = 0,
  issuer = idp.entityId,
  pair = idp.pair,
  hash = 'sha256',
} = {}) {
  const at = new Date(Date.now() + issued * 1000).toISOString()
  const xml = `<samlp:LogoutRequest xmlns:samlp="${SAMLP}" xmlns:saml="${SAML}" ID="_out-1" Version="2.0" IssueInstant="${at}" Destination="${SITE}${SIGN_OUT}"><saml:Issuer>${issuer}</saml:Issuer><saml:NameID>${name}</saml:NameID>${index && `<samlp:SessionIndex>${index}</samlp:SessionIndex>`}</samlp:LogoutRequest>`
  const algorithm = `http://www.w3.org/${hash === 'sha1' ? '2000/09/xmldsig' : '2001/04/xmldsig-more'}#rsa-${hash}`
  const signed = `SAMLRequest=${encodeURIComponent(deflateRawSync(xml).toString('base64'))}&RelayState=a%20b&SigAlg=${encodeURIComponent(algorithm)}`
  const signature = createSign(hash).update(signed).sign(pair.key).toString('base64')
  return { xml, signed, query: `${signed}&Signature=${encodeURIComponent(signature)}` }
}

test('[S1.08] the provider ends the sessions that it names, by redirect or POST, and nobody else does', async () => {
  const [one, two] = [outside.aBrowser(), outside.aBrowser()]
  await signIn(one, { ...person('ended'), sessionIndex: 'index-1' })
  await signIn(two, { ...person('ended'), sessionIndex: 'index-2' })
  const send = (query: string) => server.call('GET', `${SIGN_OUT}?${query}`)
  const stranger = makeKeyPair('stranger')
  const right = signOutQuery({ index: 'index-1' })
  for (const query of [
    right.signed,
    right.signed.replace(/&SigAlg.*/, ''),
    signOutQuery({ pair: stranger }).query,
    signOutQuery({ hash: 'sha1' }).query,
    signOutQuery({ issuer: 'https://other.example' }).query,
    signOutQuery({ issued: -3600 }).query,
    `${right.query}&SAMLRequest=${encodeURIComponent(deflateRawSync(right.xml.replace('index-1', 'index-2')).toString('base64'))}`,
    right.query.replace('RelayState=a%20b', 'RelayState=other'),
    `SAMLRequest=${encodeURIComponent(deflateRawSync(' '.repeat(1_000_000)).toString('base64'))}`,
  ])
    expect((await send(query)).status).toBe(400)
  expect([await outside.whoIs(one), await outside.whoIs(two)]).toEqual(['ended', 'ended'])
  const { status, headers } = await send(right.query)
  expect(status).toBe(303)
  const reply = messageOf(String(headers.location), 'SAMLResponse')
  expect([
    reply.localName,
    attributeOf(reply, 'InResponseTo'),
    new URL(String(headers.location)).searchParams.get('RelayState'),
  ]).toEqual(['LogoutResponse', '_out-1', 'a b'])
  expect([await outside.whoIs(one), await outside.whoIs(two)]).toEqual([undefined, 'ended'])
  const post = (xml: string) => outside.post(SIGN_OUT, { SAMLRequest: packed(xml) })
  const whole = signOutQuery().xml
  expect((await post(whole)).status).toBe(400)
  expect((await post(signElement(whole, 'LogoutRequest', stranger))).status).toBe(400)
  expect(await outside.whoIs(two)).toBe('ended')
  expect((await post(signElement(whole, 'LogoutRequest', idp.pair))).status).toBe(303)
  expect(await outside.whoIs(two)).toBeUndefined()
  // A page of another site can't sign people out in its own name.
  expect((await outside.post(SIGN_OUT, {})).status).toBe(403)
})

test('[A1.01] OpenID, CAS and SAML2 are on the sign-in page in this order, the first or the named one leads there; switched off it signs nobody in', async () => {
  const openPage = async () =>
    (await outside.aBrowser().call('GET', '/core/auth/login/', undefined, { accept: 'text/html' })).headers.location
  const methods = async () =>
    (await server.call('GET', '/api/v1/settings/public/')).body.data.LOGIN_METHODS.map(
      ({ backend }: { backend: string }) => backend,
    )
  await server.admin.patch(settingsAt('auth'), { LOGIN_REDIRECT_MSG_ENABLED: false })
  expect([await methods(), await openPage()]).toEqual([['SAML2'], `${START}?next=%2Fui%2F`])
  await server.admin.patch(settingsAt('cas'), { AUTH_CAS: true })
  await server.admin.patch(settingsAt('oidc'), { AUTH_OPENID: true })
  expect([await methods(), await openPage()]).toEqual([
    ['OPENID', 'CAS', 'SAML2'],
    '/core/auth/openid/login/?next=%2Fui%2F',
  ])
  await server.admin.patch(settingsAt('oidc'), { AUTH_OPENID: false })
  expect(await openPage()).toBe('/core/auth/cas/login/?next=%2Fui%2F')
  await configure({ AUTH_SAML2: false })
  const browser = outside.aBrowser()
  for (const path of [START, '/core/auth/saml2/callback/?code=any']) {
    expect(await outside.visit(browser, path)).toBe(LOCAL)
    expect(await outside.refusalOf(browser)).toBe('Sign-in by SAML2 is not enabled')
  }
})
