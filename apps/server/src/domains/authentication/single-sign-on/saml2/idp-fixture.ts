/**
 * An identity provider on this machine: it reads real requests and signs real assertions, any part
 * of which can be made wrong.
 */
import { execFileSync } from 'node:child_process'
import { constants, createCipheriv, publicEncrypt, randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inflateRawSync } from 'node:zlib'
import type { Element } from '@xmldom/xmldom'
import { SignedXml } from 'xml-crypto'
import { attributeOf, childOf, parseXml, textOf } from '../../../../kernel/xml/strict-xml.ts'
import { SAML, SAMLP } from './namespaces.ts'

export interface KeyPair {
  key: string
  certificate: string
}

/** A key with a self-signed certificate, as identity providers have them. */
export function makeKeyPair(name: string): KeyPair {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-saml-'))
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')]
  const options = [
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-x509',
    '-days',
    '2',
    '-subj',
    `/CN=${name}`,
    '-keyout',
    key,
    '-out',
    certificate,
  ]
  execFileSync('openssl', ['req', ...options], { stdio: 'ignore' })
  const pair = { key: readFileSync(key, 'utf8'), certificate: readFileSync(certificate, 'utf8') }
  rmSync(folder, { recursive: true })
  return pair
}

/** Contents of an assertion; defaults are right. */
export interface Claims {
  inResponseTo?: string
  /** Inner XML: an attack would put a comment into it. */
  name?: string
  nameFormat?: string
  attributes?: Record<string, string | string[]>
  audience?: string
  recipient?: string
  issuer?: string
  destination?: string
  /** Seconds from now. */
  from?: number
  until?: number
  issued?: number
  sessionIndex?: string
  id?: string
}

export interface Signing {
  sign?: 'assertion' | 'response' | 'none'
  pair?: KeyPair
  signature?: string
  digest?: string
}

export interface AuthnRequest {
  id: string
  issuer: string
  callback: string
  destination: string
}

export interface IdpDouble {
  entityId: string
  metadataUrl: string
  pair: KeyPair
  metadata(change?: { certificate?: string; entityId?: string }): string
  /** The answer of the metadata address, and how often it was asked. */
  served: { body: string; status: number; headers: Record<string, string>; asked: number }
  close(): Promise<void>
}

export async function startIdp(): Promise<IdpDouble> {
  const pair = makeKeyPair('idp')
  const served = { body: '', status: 200, headers: {} as Record<string, string>, asked: 0 }
  const http = createServer((_request, response) => {
    served.asked++
    response
      .writeHead(served.status, { 'content-type': 'application/samlmetadata+xml', ...served.headers })
      .end(served.body)
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  const metadata: IdpDouble['metadata'] = ({ certificate = pair.certificate, entityId = `${origin}/metadata` } = {}) =>
    `<?xml version="1.0"?>
<!-- of the tests -->
<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${entityId}">
  <IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">
    <KeyDescriptor use="signing"><KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#"><X509Data><X509Certificate>
      ${certificate.replace(/-----[A-Z ]+-----|\s/g, '')}
    </X509Certificate></X509Data></KeyInfo></KeyDescriptor>
    <SingleLogoutService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="${origin}/slo"/>
    <SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="${origin}/sso-post"/>
    <SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="${origin}/sso"/>
  </IDPSSODescriptor>
</EntityDescriptor>`
  served.body = metadata()
  return {
    entityId: `${origin}/metadata`,
    metadataUrl: `${origin}/metadata`,
    pair,
    metadata,
    served,
    close: () =>
      new Promise((resolve) => {
        http.close(() => resolve())
        http.closeAllConnections()
      }),
  }
}

/** The message in a redirect, decoded. */
export function messageOf(address: string, parameter: 'SAMLRequest' | 'SAMLResponse' = 'SAMLRequest'): Element {
  const packed = Buffer.from(new URL(address).searchParams.get(parameter) ?? '', 'base64')
  return parseXml(inflateRawSync(packed).toString('utf8'))
}

/** The request that a sign-in starts with. */
export function readAuthnRequest(address: string): AuthnRequest {
  const root = messageOf(address)
  if (root.localName !== 'AuthnRequest' || root.namespaceURI !== SAMLP) throw new Error('this is no AuthnRequest')
  return {
    id: attributeOf(root, 'ID') ?? '',
    issuer: textOf(childOf(root, SAML, 'Issuer')),
    callback: attributeOf(root, 'AssertionConsumerServiceURL') ?? '',
    destination: attributeOf(root, 'Destination') ?? '',
  }
}

const newId = () => `_${randomBytes(16).toString('hex')}`
const at = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString()
const escaped = (text: string) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`)

/** An unsigned assertion that answers the request. */
export function assertionFor(idp: IdpDouble, request: AuthnRequest, claims: Claims): string {
  const {
    from = -60,
    until = 300,
    issued = 0,
    id = newId(),
    inResponseTo = request.id,
    sessionIndex = 'session-1',
  } = claims
  const attributes = Object.entries(claims.attributes ?? {}).map(
    ([name, values]) =>
      `<saml:Attribute Name="${name}">${[values]
        .flat()
        .map((one) => `<saml:AttributeValue>${escaped(one)}</saml:AttributeValue>`)
        .join('')}</saml:Attribute>`,
  )
  const answering = inResponseTo ? ` InResponseTo="${inResponseTo}"` : ''
  const format = claims.nameFormat ? ` Format="${claims.nameFormat}"` : ''
  return (
    `<saml:Assertion xmlns:saml="${SAML}" ID="${id}" Version="2.0" IssueInstant="${at(issued)}">` +
    `<saml:Issuer>${claims.issuer ?? idp.entityId}</saml:Issuer>` +
    `<saml:Subject><saml:NameID${format}>${claims.name ?? 'anybody'}</saml:NameID>` +
    '<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer">' +
    `<saml:SubjectConfirmationData NotOnOrAfter="${at(until)}" Recipient="${claims.recipient ?? request.callback}"${answering}/></saml:SubjectConfirmation></saml:Subject>` +
    `<saml:Conditions NotBefore="${at(from)}" NotOnOrAfter="${at(until)}">` +
    `${claims.audience === '' ? '' : `<saml:AudienceRestriction><saml:Audience>${claims.audience ?? request.issuer}</saml:Audience></saml:AudienceRestriction>`}</saml:Conditions>` +
    `<saml:AuthnStatement AuthnInstant="${at(issued)}" SessionIndex="${sessionIndex}"><saml:AuthnContext>` +
    '<saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>' +
    `<saml:AttributeStatement>${attributes.join('')}</saml:AttributeStatement></saml:Assertion>`
  )
}

/** A response that contains it. */
export function responseAround(
  request: AuthnRequest,
  assertion: string,
  { destination = request.callback }: Claims = {},
): string {
  return (
    `<samlp:Response xmlns:samlp="${SAMLP}" ID="${newId()}" Version="2.0" IssueInstant="${at(0)}" Destination="${destination}" InResponseTo="${request.id}">` +
    `<samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status>${assertion}</samlp:Response>`
  )
}

/**
 * Signs the element of that local name as identity providers do: enveloped, after its Issuer where
 * it has one.
 */
export function signElement(
  xml: string,
  element: string,
  pair: KeyPair,
  {
    signature = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
    digest = 'http://www.w3.org/2001/04/xmlenc#sha256',
  }: Pick<Signing, 'signature' | 'digest'> = {},
): string {
  const signer = new SignedXml({
    privateKey: pair.key,
    publicCert: pair.certificate,
    signatureAlgorithm: signature,
    canonicalizationAlgorithm: 'http://www.w3.org/2001/10/xml-exc-c14n#',
  })
  const place = `//*[local-name(.)='${element}']`
  signer.addReference({
    xpath: place,
    digestAlgorithm: digest,
    transforms: ['http://www.w3.org/2000/09/xmldsig#enveloped-signature', 'http://www.w3.org/2001/10/xml-exc-c14n#'],
  })
  signer.computeSignature(xml, { location: { reference: `${place}/*[1]`, action: 'before' } })
  return signer.getSignedXml()
}

/** A whole response, as the form on the provider's page posts it. */
export function answer(
  idp: IdpDouble,
  request: AuthnRequest,
  claims: Claims,
  { sign = 'assertion', pair = idp.pair, ...how }: Signing = {},
): string {
  const assertion = assertionFor(idp, request, claims)
  if (sign === 'assertion') return responseAround(request, signElement(assertion, 'Assertion', pair, how), claims)
  const response = responseAround(request, assertion, claims)
  return sign === 'none' ? response : signElement(response, 'Response', pair, how)
}

export const packed = (xml: string) => Buffer.from(xml).toString('base64')

/** Encrypts the assertion of a response for the owner of the certificate. */
export function encryptAssertion(
  response: string,
  certificate: string,
  transport: 'rsa-oaep-mgf1p' | 'rsa-1_5' = 'rsa-oaep-mgf1p',
): string {
  const [assertion = ''] = /<saml:Assertion[\s\S]*<\/saml:Assertion>/.exec(response) ?? []
  const [key, nonce] = [randomBytes(32), randomBytes(12)]
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  const content = Buffer.concat([
    nonce,
    cipher.update(assertion, 'utf8'),
    cipher.final(),
    cipher.getAuthTag(),
  ]).toString('base64')
  const padding = transport === 'rsa-1_5' ? constants.RSA_PKCS1_PADDING : constants.RSA_PKCS1_OAEP_PADDING
  const sealedKey = publicEncrypt({ key: certificate, padding }, key).toString('base64')
  const value = (text: string) => `<xenc:CipherData><xenc:CipherValue>${text}</xenc:CipherValue></xenc:CipherData>`
  return response.replace(
    assertion,
    `<saml:EncryptedAssertion xmlns:saml="${SAML}"><xenc:EncryptedData xmlns:xenc="http://www.w3.org/2001/04/xmlenc#" Type="http://www.w3.org/2001/04/xmlenc#Element">` +
      '<xenc:EncryptionMethod Algorithm="http://www.w3.org/2009/xmlenc11#aes256-gcm"/><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><xenc:EncryptedKey>' +
      `<xenc:EncryptionMethod Algorithm="http://www.w3.org/2001/04/xmlenc#${transport}"/>${value(sealedKey)}</xenc:EncryptedKey></ds:KeyInfo>${value(content)}` +
      '</xenc:EncryptedData></saml:EncryptedAssertion>',
  )
}
