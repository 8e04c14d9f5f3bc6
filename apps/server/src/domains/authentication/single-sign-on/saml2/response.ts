import { decryptXml } from '@node-saml/node-saml/lib/xml.js'
import type { Element } from '@xmldom/xmldom'
import { attributeOf, childOf, childrenOf, parseXml, textOf, textOfBase64 } from '../../../../kernel/xml/strict-xml.ts'
import { checkAssertionShape, checkResponseShape } from './message-shape.ts'
import { BEARER, SAML, SAMLP, SUCCESS } from './namespaces.ts'
import { type SamlProvider, TOLERANCE_MS } from './saml-library.ts'

/**
 * Characters of a response in base64; the largest, with hundreds of groups, have a tenth of that.
 */
export const MAX_RESPONSE = 262_144

/**
 * An identity provider's statement about the person who came back, all of it from within the signed
 * part.
 */
export interface SamlProof {
  /** The id of the further provider to whose pages it came; missing for that of the settings. */
  provider?: string
  issuer: string
  assertion: string
  /** ID of the AuthnRequest that it answers. */
  inResponseTo: string
  /** Missing where the provider sends none. */
  name?: SamlName
  sessionIndex?: string
  /** First values, by name of the attribute and by its friendly name. */
  attributes: Record<string, string>
  /** All values by name. */
  lists: Record<string, string[]>
}

/** SAML 2.0 Core §2.2.2; repeated in the request to sign out at the provider. */
export interface SamlName {
  value: string
  format?: string
  qualifier?: string
  spQualifier?: string
}

/**
 * Reads a response that came by POST. Throws unless it is addressed to us, from this provider,
 * signed by a key of its metadata, within its time, and the answer to a request. The caller checks
 * whose request that was, and that the response is used once.
 */
export async function readResponse({ idp, sp, saml }: SamlProvider, encoded: string): Promise<SamlProof> {
  if (encoded.length > MAX_RESPONSE) throw new Error('the response is too large')
  const response = parseXml(textOfBase64(encoded))
  if (response.namespaceURI !== SAMLP || response.localName !== 'Response') throw new Error('this is no response')
  // Refusals are often unsigned; they prove nothing.
  checkStatus(response)
  const destination = attributeOf(response, 'Destination')
  if (destination && destination !== sp.callback) throw new Error(`the response is for ${destination}`)
  const assertion = checkResponseShape(response)
  if (assertion.localName === 'EncryptedAssertion') {
    if (!sp.key) throw new Error('the assertion is encrypted, and there is no private key')
    // The library decrypts it once more for itself; here its shape is checked.
    checkAssertionShape(parseXml(await decryptXml(String(assertion), sp.key)))
  } else if (sp.advanced.wantAssertionsEncrypted) throw new Error('the assertion is not encrypted')
  const { profile } = await saml().validatePostResponseAsync({ SAMLResponse: encoded.replace(/\s+/g, '') })
  const signed = profile?.getAssertionXml?.()
  if (!signed) throw new Error('the response holds no assertion')
  return readAssertion(parseXml(signed), idp.entityId, sp.callback)
}

/**
 * Checks what the library does not: issuer, recipient and request (SAML 2.0 Profiles §4.1.4.3).
 * Audience and times have been checked.
 */
function readAssertion(assertion: Element, entityId: string, callback: string): SamlProof {
  const issuer = textOf(childOf(assertion, SAML, 'Issuer'))
  if (issuer !== entityId) throw new Error(`the assertion is of ${issuer}`)
  const id = attributeOf(assertion, 'ID')
  if (!id) throw new Error('the assertion has no ID')
  const subject = childOf(assertion, SAML, 'Subject')
  const statement = childrenOf(assertion, SAML, 'AuthnStatement')[0]
  if (!subject || !statement) throw new Error('the assertion says nothing of a sign-in')
  const ends = attributeOf(statement, 'SessionNotOnOrAfter')
  if (ends && !(Date.parse(ends) + TOLERANCE_MS > Date.now())) throw new Error('the sign-in at the provider has ended')
  const name = nameOf(childOf(subject, SAML, 'NameID'))
  const sessionIndex = attributeOf(statement, 'SessionIndex')
  return {
    issuer,
    assertion: id,
    inResponseTo: requestConfirmedBy(subject, callback),
    ...(name ? { name } : {}),
    ...(sessionIndex ? { sessionIndex } : {}),
    attributes: attributesOf(assertion),
    lists: listsOf(assertion),
  }
}

function checkStatus(response: Element): void {
  const status = childOf(response, SAMLP, 'Status')
  const code = status && childOf(status, SAMLP, 'StatusCode')
  if (code && attributeOf(code, 'Value') === SUCCESS) return
  const more = code && childOf(code, SAMLP, 'StatusCode')
  const words = [code, more].flatMap((one) => (one && attributeOf(one, 'Value')?.split(':').at(-1)) || [])
  throw new Error(
    `the provider refused: ${words.join(', ')} ${textOf(status && childOf(status, SAMLP, 'StatusMessage'))}`.slice(
      0,
      300,
    ),
  )
}

/** The request that a bearer confirmation for us, valid now, refers to. */
function requestConfirmedBy(subject: Element, callback: string): string {
  for (const one of childrenOf(subject, SAML, 'SubjectConfirmation')) {
    const about = attributeOf(one, 'Method') === BEARER ? childOf(one, SAML, 'SubjectConfirmationData') : undefined
    if (!about || attributeOf(about, 'Recipient') !== callback || attributeOf(about, 'NotBefore')) continue
    const request = attributeOf(about, 'InResponseTo')
    if (request && Date.parse(attributeOf(about, 'NotOnOrAfter') ?? '') + TOLERANCE_MS > Date.now()) return request
  }
  throw new Error('the assertion is for another recipient, too late, or the answer to no request')
}

export function nameOf(element: Element | undefined): SamlName | undefined {
  const value = textOf(element)
  if (!element || !value) return undefined
  const entries = [
    ['format', 'Format'],
    ['qualifier', 'NameQualifier'],
    ['spQualifier', 'SPNameQualifier'],
  ].flatMap(([key = '', attribute = '']) => {
    const text = attributeOf(element, attribute)
    return text ? [[key, text]] : []
  })
  return { value, ...Object.fromEntries(entries) }
}

const allAttributes = (assertion: Element): Element[] =>
  childrenOf(assertion, SAML, 'AttributeStatement').flatMap((statement) => childrenOf(statement, SAML, 'Attribute'))

/** By their whole names, and by the friendly ones that are nobody's whole name. */
function listsOf(assertion: Element): Record<string, string[]> {
  const all = allAttributes(assertion)
  const lists = new Map<string, string[]>()
  const add = (name: string, element: Element) => {
    const values = childrenOf(element, SAML, 'AttributeValue').map((one) => textOf(one))
    lists.set(name, [...(lists.get(name) ?? []), ...values])
  }
  for (const one of all) add(attributeOf(one, 'Name') ?? '', one)
  const whole = new Set(lists.keys())
  for (const one of all) {
    const friendly = attributeOf(one, 'FriendlyName')
    if (friendly && !whole.has(friendly)) add(friendly, one)
  }
  return Object.fromEntries(lists)
}

function attributesOf(assertion: Element): Record<string, string> {
  const found = new Map<string, string>()
  const add = (name: string | undefined, value: string) => {
    if (name && value && !found.has(name)) found.set(name, value)
  }
  const all = allAttributes(assertion)
  const values = all.map((one) => [one, textOf(childrenOf(one, SAML, 'AttributeValue')[0])] as const)
  for (const [one, value] of values) add(attributeOf(one, 'Name'), value)
  // Names are often URIs, whose last segment is the name proper
  // (docs/rules/authentication.md#saml2).
  for (const [one, value] of values) add(attributeOf(one, 'Name')?.split('/').at(-1), value)
  for (const [one, value] of values) add(attributeOf(one, 'FriendlyName'), value)
  return Object.fromEntries(found)
}
