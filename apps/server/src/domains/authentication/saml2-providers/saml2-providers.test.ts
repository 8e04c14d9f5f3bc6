import { X509Certificate } from 'node:crypto'
import { saml2Provider } from '@sallyport/contract/resources/authentication/saml2-provider.ts'
import { IdentityProvider, ServiceProvider, setSchemaValidator } from 'samlify'
import { beforeAll, expect, test } from 'vitest'
import { attributeOf, parseXml } from '../../../kernel/xml/strict-xml.ts'
import { type Known, SITE, testFurtherProviders } from '../people-sources/further-fixture.ts'
import { settingsAt } from '../single-sign-on/outside-sign-in-fixture.ts'
import {
  answer,
  type IdpDouble,
  type KeyPair,
  makeKeyPair,
  messageOf,
  packed,
  readAuthnRequest,
  signElement,
  startIdp,
} from '../single-sign-on/saml2/idp-fixture.ts'
import { SAML, SAMLP } from '../single-sign-on/saml2/namespaces.ts'

const FIRST = '/core/auth/saml2/'
const PERSISTENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent'
const { path } = saml2Provider

const idps: IdpDouble[] = []
let sp: KeyPair
let own: KeyPair
beforeAll(() => {
  sp = makeKeyPair('sallyport')
  own = makeKeyPair('sallyport-for-partner')
})

const claimsOf = ({ subject, username, groups = [] }: Known) => ({
  name: subject,
  nameFormat: PERSISTENT,
  attributes: { uid: username, groups: [...groups] },
})

const here = testFurtherProviders({
  source: 'saml2',
  path,
  one: 'saml2_provider',
  all: 'all_saml2_providers',
  firstPages: FIRST,
  name: 'SAML2',
  tooMany: 'There are 20 SAML2 providers at most',
  async start() {
    const idp = await startIdp()
    idps.push(idp)
    return {
      values: { metadata_xml: idp.metadata() },
      async answer(address, who) {
        const request = readAuthnRequest(address)
        return { address: request.callback, form: { SAMLResponse: packed(answer(idp, request, claimsOf(who))) } }
      },
      close: () => idp.close(),
    }
  },
  async setFirst({ admin }, { values }) {
    const { metadata_xml } = values as { metadata_xml: string }
    const { status } = await admin.patch(settingsAt('saml2'), {
      AUTH_SAML2: true,
      SAML2_IDP_METADATA_XML: metadata_xml,
      SAML2_SP_KEY_CONTENT: sp.key,
      SAML2_SP_CERT_CONTENT: sp.certificate,
      SAML2_GROUPS_ATTRIBUTE: 'groups',
    })
    expect(status).toBe(200)
  },
  another: { metadata_url: 'https://idp.example.com/metadata' },
  bad: { metadata_url: 'javascript:alert(1)', metadata_xml: '<no/>', sp_key: 'no key', sp_certificate: '' },
})

const idpAt = (pages: string) => idps[here.pages === pages ? 1 : 0] as IdpDouble

test('to each provider we are another service, with addresses of its own, which its metadata names', async () => {
  setSchemaValidator({ validate: async () => 'left to our own parser' })
  const { body } = await here.server.admin.get(`${path}${here.partner}/`)
  const place = `${SITE}${here.pages}`
  expect(body).toMatchObject({
    entity_id: `${place}login/`,
    callback_url: `${place}callback/`,
    logout_url: `${place}logout/`,
    sp_metadata_url: `${place}metadata/`,
  })
  // Also before it is switched on, for those who set it up; nothing of one that is not there.
  await here.change({ is_active: false })
  const metadata = await here.server.call('GET', `${here.pages}metadata/`)
  expect(metadata.status).toBe(200)
  await here.change({ is_active: true })
  expect((await here.server.call('GET', `${FIRST}providers/${crypto.randomUUID()}/metadata/`)).status).toBe(404)
  expect(attributeOf(parseXml(metadata.body), 'entityID')).toBe(body.entity_id)
  // A real identity provider reads the metadata, and takes the request that is signed by the key in them.
  const us = ServiceProvider({ metadata: String(metadata.body), wantMessageSigned: true })
  const idp = idpAt(here.pages)
  const other = IdentityProvider({
    metadata: idp.metadata().replace('<IDPSSODescriptor ', '<IDPSSODescriptor WantAuthnRequestsSigned="true" '),
    privateKey: idp.pair.key,
    requestSignatureAlgorithm: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
  })
  const address = new URL(await here.begin(here.outside.aBrowser(), here.pages))
  const [octetString = ''] = address.search.slice(1).split('&Signature=')
  const request = await other.parseLoginRequest(us, 'redirect', {
    query: Object.fromEntries(address.searchParams),
    octetString,
  })
  expect(request.extract.issuer).toBe(body.entity_id)
})

test('a provider may have a key of ours to itself; it is never shown, and of no use without its certificate', async () => {
  const certificateIn = async () => String((await here.server.call('GET', `${here.pages}metadata/`)).body)
  const base64 = ({ certificate }: KeyPair) => new X509Certificate(certificate).raw.toString('base64')
  expect(await certificateIn()).toContain(base64(sp))
  for (const [draft, field] of [
    [{ sp_key: own.key }, 'sp_certificate'],
    [{ sp_certificate: own.certificate }, 'sp_key'],
    [{ sp_key: own.key, sp_certificate: sp.certificate }, 'sp_certificate'],
  ] as const) {
    const { status, body } = await here.server.admin.patch(`${path}${here.partner}/`, draft)
    expect([status, Object.keys(body)]).toEqual([400, [field]])
  }
  await here.change({ sp_key: own.key, sp_certificate: own.certificate })
  expect(await certificateIn()).toContain(base64(own))
  const shown = await here.server.admin.get(`${path}${here.partner}/`)
  const { rows } = await here.server.kernel.pool.query('SELECT * FROM authentication_saml2_provider')
  expect(JSON.stringify([shown.body, rows])).not.toContain('PRIVATE KEY')
  expect((await here.signIn(here.pages, { subject: 's-1', username: 'berta' })).to).toBe('/ui/')
  // An empty key is the stored one, until its certificate is taken away: then both are gone.
  await here.change({ sp_key: '' })
  expect(await certificateIn()).toContain(base64(own))
  await here.change({ sp_key: '', sp_certificate: '' })
  expect(await certificateIn()).toContain(base64(sp))
  const { rows: kept } = await here.server.kernel.pool.query(
    'SELECT FROM authentication_saml2_provider WHERE sp_key_sealed IS NOT NULL',
  )
  expect(kept).toEqual([])
  await here.change({ sp_key: own.key, sp_certificate: own.certificate })
})

test('names of a provider are its own: NameIDs and user names apart, also where another calls itself the same', async () => {
  const plain = (username: string) => ({ subject: username, username })
  expect(await here.outside.whoIs(await here.signIn(here.pages, { subject: 'n-1', username: 'nina' }))).toBe('nina')
  // A user name that reads as the NameID of somebody is not that person.
  expect((await here.signIn(here.pages, plain('n-1'))).to).toBe('/ui/')
  expect(await here.outside.userRow('n-1')).toMatchObject({ username: 'n-1' })
  expect((await here.signIn(here.pages, plain('nina'))).refusal).toMatch(/belongs to another account/)
  // The partner calls itself as the first one does: its people are no others all the same.
  const [first, second] = [idpAt(FIRST), idpAt(here.pages)]
  await here.signIn(FIRST, { subject: 'same', username: 'of-first' })
  await here.change({ metadata_xml: second.metadata({ entityId: first.entityId }) })
  const request = readAuthnRequest(await here.begin(here.outside.aBrowser(), here.pages))
  expect(request.issuer).toContain(here.partner)
  const browser = here.outside.aBrowser()
  const asked = readAuthnRequest(await here.begin(browser, here.pages))
  const claims = { ...claimsOf({ subject: 'same', username: 'of-second' }), issuer: first.entityId }
  await here.bring(browser, { address: asked.callback, form: { SAMLResponse: packed(answer(second, asked, claims)) } })
  expect(await here.outside.whoIs(browser)).toBe('of-second')
  expect(await here.outside.userRow('of-second')).toMatchObject({ directory: 'Partner' })
  await here.change({ metadata_xml: second.metadata() })
})

test('a code for an assertion of one provider is none at the pages of another', async () => {
  const browser = here.outside.aBrowser()
  const request = readAuthnRequest(await here.begin(browser, here.pages))
  const form = {
    SAMLResponse: packed(answer(idpAt(here.pages), request, claimsOf({ subject: 's-1', username: 'berta' }))),
  }
  const { location } = await here.outside.post(request.callback, form)
  await here.outside.visit(browser, location.replace(here.pages, FIRST))
  expect(await here.outside.whoIs(browser)).toBeUndefined()
})

/** The form by which a provider ends a session. */
function signOutOf(pages: string, name: string, at = pages) {
  const idp = idpAt(pages)
  const xml = `<samlp:LogoutRequest xmlns:samlp="${SAMLP}" xmlns:saml="${SAML}" ID="_out-${crypto.randomUUID()}" Version="2.0" IssueInstant="${new Date().toISOString()}" Destination="${SITE}${at}logout/"><saml:Issuer>${idp.entityId}</saml:Issuer><saml:NameID>${name}</saml:NameID></samlp:LogoutRequest>`
  return { SAMLRequest: packed(signElement(xml, 'LogoutRequest', idp.pair)) }
}

test('a provider ends the sessions that began with it, and none of another; signing out here leads to its own', async () => {
  const signIn = (pages: string) => here.signIn(pages, { subject: 's-1', username: pages === FIRST ? 'anna' : 'berta' })
  const [a, b] = [await signIn(FIRST), await signIn(here.pages)]
  const who = async () => [await here.outside.whoIs(a), await here.outside.whoIs(b)]
  for (const [pages, at] of [
    [here.pages, FIRST],
    [FIRST, here.pages],
  ] as const)
    expect((await here.outside.post(`${at}logout/`, signOutOf(pages, 's-1', at))).status).toBe(400)
  expect(await who()).toEqual(['anna', 'berta'])
  const ended = await here.outside.post(`${here.pages}logout/`, signOutOf(here.pages, 's-1'))
  expect([ended.status, new URL(ended.location).origin]).toEqual([303, new URL(idpAt(here.pages).entityId).origin])
  expect(await who()).toEqual(['anna', undefined])
  for (const pages of [FIRST, here.pages]) {
    const address = await here.outside.visit(await signIn(pages), '/core/auth/logout/')
    expect(address).toContain(`${new URL(idpAt(pages).entityId).origin}/slo`)
    expect(messageOf(address).toString()).toContain(`${SITE}${pages}login/`)
  }
  await here.change({ logout_completely: false })
  expect(await here.outside.visit(await signIn(here.pages), '/core/auth/logout/')).not.toContain('/slo')
  await here.change({ logout_completely: true })
})

test('the metadata of each provider are read at its own address, and once', async () => {
  const [first, second] = [idpAt(FIRST), idpAt(here.pages)]
  await here.change({ metadata_url: second.metadataUrl, metadata_xml: '' })
  second.served.asked = 0
  for (let n = 0; n < 2; n++)
    expect((await here.signIn(here.pages, { subject: 's-1', username: 'berta' })).to).toBe('/ui/')
  expect(second.served.asked).toBe(1)
  await here.server.admin.patch(settingsAt('saml2'), { SAML2_IDP_METADATA_URL: first.metadataUrl })
  expect((await here.signIn(FIRST, { subject: 's-1', username: 'anna' })).to).toBe('/ui/')
  expect((await here.signIn(here.pages, { subject: 's-1', username: 'berta' })).to).toBe('/ui/')
  expect(second.served.asked).toBe(1)
})

test('metadata are tried before they are saved, by address or as text', async () => {
  const idp = idpAt(here.pages)
  const attempt = (form: object) => here.server.admin.post(`${path}test/`, form)
  const reason = 'Enter the address of the metadata, or the metadata itself'
  expect((await attempt({})).body).toMatchObject({ metadata_url: [reason] })
  expect((await attempt({ metadata_xml: '<a' })).body.detail).toBe(
    'The provider cannot be used: the XML is not well-formed',
  )
  const good = { msg: `The metadata of ${idp.entityId} can be read.` }
  for (const form of [{ metadata_url: idp.metadataUrl }, { metadata_xml: idp.metadata() }])
    expect(await attempt(form)).toMatchObject({ status: 200, body: good })
  idp.served.status = 404
  for (const form of [{ metadata_url: idp.metadataUrl }, { metadata_xml: '<no/>' }])
    expect(await attempt(form)).toMatchObject({
      status: 400,
      body: { detail: expect.stringMatching(/^The provider cannot be used: ./) },
    })
  idp.served.status = 200
})
