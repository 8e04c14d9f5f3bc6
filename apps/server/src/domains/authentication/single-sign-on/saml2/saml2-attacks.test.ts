import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestServer, type TestServer } from '../../../../../test/server.ts'
import { LOCAL, type OutsideTest, outsideTest, settingsAt } from '../outside-sign-in-fixture.ts'
import {
  type AuthnRequest,
  answer,
  assertionFor,
  type Claims,
  encryptAssertion,
  type IdpDouble,
  type KeyPair,
  makeKeyPair,
  packed,
  readAuthnRequest,
  responseAround,
  signElement,
  startIdp,
} from './idp-fixture.ts'
import { SAML } from './namespaces.ts'

const SITE = 'http://sallyport.example'
const CALLBACK = '/core/auth/saml2/callback/'

let idp: IdpDouble
let sp: KeyPair
let stranger: KeyPair
let server: TestServer
let outside: OutsideTest
beforeAll(async () => {
  idp = await startIdp()
  sp = makeKeyPair('sallyport')
  stranger = makeKeyPair('stranger')
  server = await openTestServer()
  outside = outsideTest(server, SITE)
  await server.admin.patch(settingsAt('basic'), { SITE_URL: SITE })
  await configure()
})
afterAll(async () => {
  await server?.close()
  await idp?.close()
})

async function configure(security: object = {}) {
  const { status } = await server.admin.patch(settingsAt('saml2'), {
    AUTH_SAML2: true,
    SAML2_IDP_METADATA_XML: idp.metadata(),
    SAML2_SP_KEY_CONTENT: sp.key,
    SAML2_SP_CERT_CONTENT: sp.certificate,
    SAML2_SP_ADVANCED_SETTINGS: { security },
  })
  expect(status).toBe(200)
}

const claims = (uid: string, more: Partial<Claims> = {}): Claims => ({ attributes: { uid }, name: uid, ...more })
/** Sends what `forge` makes of a request of this browser; answers who is signed in then. */
async function attempt(forge: (request: AuthnRequest) => string): Promise<string | undefined> {
  const browser = outside.aBrowser()
  const request = readAuthnRequest(await outside.visit(browser, '/core/auth/saml2/login/'))
  const { status, location } = await outside.post(request.callback, { SAMLResponse: packed(forge(request)) })
  expect(status).toBe(303)
  const to = await outside.visit(browser, location)
  const who = await outside.whoIs(browser)
  expect(to).toBe(who ? '/ui/' : LOCAL)
  return who
}

const SIGNATURE = /<(?:ds:)?Signature [\s\S]*?<\/(?:ds:)?Signature>/
const ASSERTION = /<saml:Assertion[\s\S]*<\/saml:Assertion>/
const partOf = (pattern: RegExp, xml: string) => pattern.exec(xml)?.[0] ?? ''

/** A right answer about Eve, and an assertion of her own making about Mallory. */
function wrapping(
  sign: 'assertion' | 'response',
  rebuild: (parts: { right: string; signed: string; signature: string; evil: string }) => string,
) {
  return (request: AuthnRequest) => {
    const right = answer(idp, request, claims('eve', { id: '_right' }), { sign })
    const evil = assertionFor(idp, request, claims('mallory', { id: '_evil' }))
    return rebuild({ right, signed: partOf(ASSERTION, right), signature: partOf(SIGNATURE, right), evil })
  }
}
const into = (assertion: string, where: string, what: string) => assertion.replace(where, `${what}${where}`)
const object = (signature: string, what: string) =>
  signature.replace(
    /<\/((?:ds:)?)Signature>$/,
    `<$1Object xmlns:ds="http://www.w3.org/2000/09/xmldsig#">${what}</$1Object></$1Signature>`,
  )

test.each<[string, (request: AuthnRequest) => string]>([
  [
    'a second assertion before the signed one',
    wrapping('assertion', ({ right, signed, evil }) => right.replace(signed, evil + signed)),
  ],
  [
    'a second assertion after the signed one',
    wrapping('assertion', ({ right, signed, evil }) => right.replace(signed, signed + evil)),
  ],
  [
    'the signed one in the extensions',
    wrapping('assertion', ({ right, signed, evil }) =>
      right
        .replace(signed, evil)
        .replace('<samlp:Status>', `<samlp:Extensions>${signed}</samlp:Extensions><samlp:Status>`),
    ),
  ],
  [
    'the signed one inside of the other, with its signature outside',
    wrapping('assertion', ({ right, signed, signature, evil }) =>
      right.replace(signed, into(evil, '<saml:Subject>', signature + signed.replace(signature, ''))),
    ),
  ],
  [
    'the signed one in an object of the signature',
    wrapping('assertion', ({ right, signed, signature, evil }) =>
      right.replace(signed, into(evil, '<saml:Subject>', object(signature, signed.replace(signature, '')))),
    ),
  ],
  [
    'the signed one in an object, with the same ID',
    wrapping('assertion', ({ right, signed, signature, evil }) =>
      right.replace(
        signed,
        into(evil.replace('_evil', '_right'), '<saml:Subject>', object(signature, signed.replace(signature, ''))),
      ),
    ),
  ],
  [
    'the other inside of the signed one',
    wrapping('assertion', ({ right, signed, evil }) => right.replace(signed, into(signed, '</saml:Assertion>', evil))),
  ],
  [
    'the signed response inside of another',
    wrapping('response', ({ right, evil }) =>
      responseAround({ id: '_any', issuer: '', callback: `${SITE}${CALLBACK}`, destination: '' }, evil + right),
    ),
  ],
  [
    'the signed response in an object of its signature',
    wrapping('response', ({ right, signed, signature, evil }) =>
      right
        .replace(signed, evil)
        .replace(signature, object(signature, right.replace(signature, '')))
        .replace(/ID="_\w+"/, 'ID="_outer"'),
    ),
  ],
  [
    'the assertion changed after it was signed',
    wrapping('assertion', ({ right }) => right.replaceAll('eve', 'mallory')),
  ],
  [
    'the signature of the response left, with another assertion',
    wrapping('response', ({ right, signed, evil }) => right.replace(signed, evil)),
  ],
  [
    'an assertion in a namespace of nobody',
    wrapping('assertion', ({ right, signed, evil }) =>
      right.replace(signed, evil.replaceAll(SAML, 'urn:other') + signed),
    ),
  ],
])('[S1.08] signature wrapping is refused: %s', async (_, forge) => {
  expect(await attempt(forge)).toBeUndefined()
  expect(await outside.userRow('mallory')).toBeUndefined()
})

test.each<[string, (request: AuthnRequest) => string]>([
  ['unsigned', (request) => answer(idp, request, claims('mallory'), { sign: 'none' })],
  [
    'signed by a stranger whose certificate comes along',
    (request) => answer(idp, request, claims('mallory'), { pair: stranger }),
  ],
  [
    'signed with SHA-1',
    (request) => answer(idp, request, claims('mallory'), { signature: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1' }),
  ],
  [
    'with a digest of SHA-1',
    (request) => answer(idp, request, claims('mallory'), { digest: 'http://www.w3.org/2000/09/xmldsig#sha1' }),
  ],
  [
    'signed with our knowledge of the certificate as a shared key',
    (request) => sharedKey(answer(idp, request, claims('mallory'))),
  ],
  ['for another audience', (request) => answer(idp, request, claims('mallory', { audience: 'https://other.example' }))],
  ['for any audience', (request) => answer(idp, request, claims('mallory', { audience: '' }))],
  [
    'for another recipient',
    (request) => answer(idp, request, claims('mallory', { recipient: 'https://other.example/acs' })),
  ],
  [
    'for another destination',
    (request) => answer(idp, request, claims('mallory', { destination: 'https://other.example/acs' })),
  ],
  ['of another issuer', (request) => answer(idp, request, claims('mallory', { issuer: 'https://other.example' }))],
  ['too late', (request) => answer(idp, request, claims('mallory', { until: -60 }))],
  ['too early', (request) => answer(idp, request, claims('mallory', { from: 120 }))],
  [
    'made an hour ago for a day',
    (request) => answer(idp, request, claims('mallory', { issued: -3600, until: 86_400 })),
  ],
  ['the answer to another request', (request) => answer(idp, request, claims('mallory', { inResponseTo: '_foreign' }))],
  ['the answer to no request', (request) => answer(idp, request, claims('mallory', { inResponseTo: '' }))],
  [
    'with a comment in the username',
    (request) =>
      commented(answer(idp, request, claims('mallory.evil', { name: 'mallory<!-- -->.evil' })), 'mallory.evil'),
  ],
  [
    'with a processing instruction',
    (request) => answer(idp, request, claims('mallory')).replace('<samlp:Status>', '<?x y?><samlp:Status>'),
  ],
  ['with an entity bomb', (request) => bomb(answer(idp, request, claims('mallory')))],
  [
    'with an entity from a file',
    (request) => `<!DOCTYPE a SYSTEM "file:///etc/passwd">${answer(idp, request, claims('mallory'))}`,
  ],
  ['not closed', (request) => answer(idp, request, claims('mallory')).slice(0, -3)],
  ['of a thousand levels', () => '<a>'.repeat(40_000)],
  [
    'larger than a quarter of a megabyte',
    (request) => answer(idp, request, claims('mallory', { attributes: { uid: 'mallory', more: 'x'.repeat(250_000) } })),
  ],
  [
    'a refusal of the provider',
    (request) => answer(idp, request, claims('mallory')).replace('status:Success', 'status:Responder'),
  ],
])('[S1.08] an answer is refused that is %s', async (_, forge) => {
  expect(await attempt(forge)).toBeUndefined()
  expect(await outside.userRow('mallory')).toBeUndefined()
})

/** The signature as if the certificate were a secret that both sides know. */
function sharedKey(xml: string): string {
  const info = partOf(/<SignedInfo[\s\S]*<\/SignedInfo>/, xml).replace(
    'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
    'http://www.w3.org/2000/09/xmldsig#hmac-sha1',
  )
  const value = createHmac('sha1', idp.pair.certificate).update(info).digest('base64')
  return xml
    .replace(/<SignedInfo[\s\S]*<\/SignedInfo>/, info)
    .replace(/<SignatureValue>[^<]*/, `<SignatureValue>${value}`)
}

const commented = (xml: string, text: string) => xml.replace(`>${text}<`, `>${text.replace('.', '<!-- -->.')}<`)

function bomb(xml: string): string {
  const entities = Array.from({ length: 12 }, (_, index) => `<!ENTITY a${index + 1} "${`&a${index};`.repeat(10)}">`)
  return `<!DOCTYPE a [<!ENTITY a0 "mallory">${entities.join('')}]>${xml.replaceAll('>mallory<', '>&a12;<')}`
}

test('[S1.08] an answer counts once, also twice at once and on the way to the browser, and only in the browser that asked', async () => {
  const browser = outside.aBrowser()
  const begin = async () => readAuthnRequest(await outside.visit(browser, '/core/auth/saml2/login/'))
  const request = await begin()
  const response = { SAMLResponse: packed(answer(idp, request, claims('once'))) }
  const posted = await Promise.all([1, 2, 3].map(() => outside.post(request.callback, response)))
  const codes = posted.map(({ location }) => location).filter((location) => location.includes('code='))
  expect([codes.length, posted.filter(({ location }) => location.endsWith('?error=refused')).length]).toEqual([1, 2])
  // Without a cookie of ours nothing is set: a person who is signed in stays so.
  const thief = outside.aBrowser()
  expect(await outside.visit(thief, codes[0] ?? '')).toBe(LOCAL)
  expect(await outside.refusalOf(thief)).toBe('The sign-in took too long, please start again')
  await outside.visit(thief, '/core/auth/saml2/login/')
  const visits = [outside.visit(browser, codes[0] ?? ''), outside.visit(browser, codes[0] ?? '')]
  expect((await Promise.all(visits)).sort()).toEqual([LOCAL, '/ui/'])
  expect(await outside.visit(thief, codes[0] ?? '')).toBe(LOCAL)
  expect((await outside.post(request.callback, response)).location).toBe(`${CALLBACK}?error=refused`)
  const stored = await server.kernel.pool.query('SELECT proof_sealed FROM authentication_saml2_assertion')
  expect(stored.rows.every(({ proof_sealed }) => proof_sealed === null)).toBe(true)
})

test('[S1.08] an answer to what somebody else asked signs nobody in, though the provider signed it', async () => {
  const [victim, attacker] = [outside.aBrowser(), outside.aBrowser()]
  const theirs = readAuthnRequest(await outside.visit(attacker, '/core/auth/saml2/login/'))
  await outside.visit(victim, '/core/auth/saml2/login/')
  const { location } = await outside.post(theirs.callback, {
    SAMLResponse: packed(answer(idp, theirs, claims('attacker'))),
  })
  expect(await outside.visit(victim, location)).toBe(LOCAL)
  expect(await outside.whoIs(victim)).toBeUndefined()
  expect(await outside.userRow('attacker')).toBeUndefined()
})

test('[S1.08] assertions are read when they are encrypted for us, and refused in the clear or with a weak key transport where the settings say so', async () => {
  const encrypted = (who: string, transport?: 'rsa-1_5') => (request: AuthnRequest) =>
    encryptAssertion(answer(idp, request, claims(who)), sp.certificate, transport)
  await configure({ wantAssertionsEncrypted: true })
  expect(await attempt(encrypted('hidden'))).toBe('hidden')
  expect(await attempt((request) => answer(idp, request, claims('open')))).toBeUndefined()
  expect(await attempt(encrypted('weak', 'rsa-1_5'))).toBeUndefined()
  expect(
    await attempt((request) =>
      encryptAssertion(answer(idp, request, claims('unsigned'), { sign: 'none' }), sp.certificate),
    ),
  ).toBeUndefined()
  expect(
    await attempt((request) =>
      encryptAssertion(
        answer(idp, request, claims('old'), { signature: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1' }),
        sp.certificate,
      ),
    ),
  ).toBeUndefined()
  // A response that is signed around the encrypted assertion.
  const around = (request: AuthnRequest) =>
    signElement(
      encryptAssertion(answer(idp, request, claims('around'), { sign: 'none' }), sp.certificate),
      'Response',
      idp.pair,
    )
  expect(await attempt(around)).toBe('around')
  await configure({ wantAssertionsSigned: true })
  expect(await attempt((request) => answer(idp, request, claims('half'), { sign: 'response' }))).toBeUndefined()
  await configure({ wantMessagesSigned: true })
  expect(await attempt((request) => answer(idp, request, claims('half')))).toBeUndefined()
  expect(await attempt((request) => answer(idp, request, claims('whole'), { sign: 'response' }))).toBe('whole')
  await configure()
})

test('the callback withstands any body', async () => {
  const bodies: Record<string, string>[] = [
    {},
    { SAMLResponse: '' },
    { SAMLResponse: 'no base64!' },
    { SAMLResponse: Buffer.from([0xff, 0xfe, 0]).toString('base64') },
    { SAMLResponse: packed('<a/>') },
  ]
  for (const body of bodies)
    expect(await outside.post(CALLBACK, body)).toMatchObject({ status: 303, location: `${CALLBACK}?error=refused` })
  const browser = outside.aBrowser()
  expect(await outside.visit(browser, `${CALLBACK}?error=refused`)).toBe(LOCAL)
  expect(await outside.refusalOf(browser)).toContain('did not sign you in')
  expect((await outside.post(CALLBACK, { SAMLResponse: 'x'.repeat(600_000) })).status).toBe(413)
})

/** Processor time of this thread, in milliseconds, for refusing it: the least of some, as others disturb. */
async function costOf(address: string, xml: string): Promise<number> {
  const tries: number[] = []
  for (let n = 0; n < 3; n++) {
    const before = process.threadCpuUsage()
    await outside.post(address, { SAMLResponse: packed(xml), SAMLRequest: packed(xml) })
    const { user, system } = process.threadCpuUsage(before)
    tries.push((user + system) / 1000)
  }
  return Math.min(...tries)
}

const DUMMY = (id: string) =>
  '<ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:SignedInfo>' +
  '<ds:CanonicalizationMethod Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"/>' +
  '<ds:SignatureMethod Algorithm="http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"/>' +
  `<ds:Reference URI="#${id}"><ds:DigestMethod Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"/>` +
  '<ds:DigestValue>AAAA</ds:DigestValue></ds:Reference></ds:SignedInfo><ds:SignatureValue>AAAA</ds:SignatureValue></ds:Signature>'

const SUCCESS = '<samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status>'

test.each<[string, string]>([
  ['far too many elements', '<a/>'.repeat(26_000)],
  ['as many elements as are read', '<a/>'.repeat(1900)],
  ['a thousand levels', `${'<a>'.repeat(1000)}${'</a>'.repeat(1000)}`],
  ['an element of ten thousand attributes', `<a ${Array.from({ length: 10_000 }, (_, n) => `b${n}=""`).join(' ')}/>`],
])('a stranger who posts a message with a made-up signature and %s does not hold the node up', async (_, more) => {
  const forged = {
    [CALLBACK]:
      `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol">${SUCCESS}${more}` +
      `<saml:Assertion xmlns:saml="${SAML}" ID="_a">${DUMMY('_a')}</saml:Assertion></samlp:Response>`,
    '/core/auth/saml2/logout/': `<samlp:LogoutRequest xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" ID="_a">${DUMMY('_a')}${more}</samlp:LogoutRequest>`,
  }
  for (const [address, xml] of Object.entries(forged)) {
    // The system counts processor time in steps.
    const transport = Math.max(await costOf(address, 'x'.repeat(xml.length)), 1)
    expect(await costOf(address, xml)).toBeLessThan(10 * transport)
  }
})

test.each<[string, string]>([
  ['comments that nowhere end', '<!--'.repeat(200_000)],
  ['nothing but elements', '<a/>'.repeat(200_000)],
])('metadata of %s are refused at once', async (_, xml) => {
  const costOfSaving = async (text: string) => {
    const before = process.threadCpuUsage()
    const { status } = await server.admin.patch(settingsAt('saml2'), { SAML2_IDP_METADATA_XML: text })
    expect(status).toBe(400)
    const { user, system } = process.threadCpuUsage(before)
    return user + system
  }
  const plain = await costOfSaving('x'.repeat(xml.length))
  expect(await costOfSaving(xml)).toBeLessThan(10 * plain)
})

test('an answer with a thousand groups signs in', async () => {
  const groups = Array.from({ length: 1000 }, (_, n) => `group-${n}`)
  expect(
    await attempt((request) => answer(idp, request, claims('member', { attributes: { uid: 'member', groups } }))),
  ).toBe('member')
})
