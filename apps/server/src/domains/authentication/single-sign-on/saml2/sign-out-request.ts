/** The provider's own request to end its sessions. */
import { createVerify } from 'node:crypto'
import { promisify } from 'node:util'
import { inflateRaw } from 'node:zlib'
import type { Element } from '@xmldom/xmldom'
import { attributeOf, childOf, childrenOf, parseXml, textOf, textOfBase64 } from '../../../../kernel/xml/strict-xml.ts'
import { checkSignatures } from './message-shape.ts'
import { DSIG, SAML, SAMLP } from './namespaces.ts'
import { nameOf, type SamlName } from './response.ts'
import { MAX_AGE_MS, type SamlProvider, TOLERANCE_MS } from './saml-library.ts'

/** Characters of a request, also when inflated. */
export const MAX_SIGN_OUT = 65_536
const inflate = promisify(inflateRaw)

/** The sessions that end: those with these indexes, or all. */
export interface SignOutRequest {
  id: string
  name: SamlName
  indexes: string[]
}

/** Reads a request that came by POST, with the signature in the document. Throws unless it is right. */
export async function readPostedSignOut({ idp, sp, saml }: SamlProvider, encoded: string): Promise<SignOutRequest> {
  const root = parseXml(textOfBase64(encoded))
  checkSignatures(root, [root])
  if (childrenOf(root, DSIG, 'Signature').length !== 1) throw new Error('the sign-out request is not signed')
  await saml().validatePostRequestAsync({ SAMLRequest: encoded.replace(/\s+/g, '') })
  return readSigned(root, { idp, sp })
}

const HASHES: Readonly<Record<string, string>> = {
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256': 'sha256',
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512': 'sha512',
}

/**
 * The signature is a parameter of the query, over the parameters as they were sent (SAML 2.0
 * Bindings §3.4.4.1). Not left to the library, which accepts a query without a signature, and takes
 * the first of two parameters with the same name where others take the last. Throws unless it is
 * right.
 */
export async function readRedirectedSignOut({ idp, sp }: SamlProvider, query: string): Promise<SignOutRequest> {
  const parts = query.split('&')
  const part = (name: string, isNeeded = true) => {
    const found = parts.filter((one) => decodeURIComponent(one.split('=')[0] ?? '') === name)
    if (found.length > 1 || (isNeeded && !found[0])) throw new Error(`there is not one ${name}`)
    return found[0]
  }
  const decoded = (one = '') => decodeURIComponent(one.slice(one.indexOf('=') + 1).replaceAll('+', '%20'))
  const [message, relay, algorithm] = [part('SAMLRequest'), part('RelayState', false), part('SigAlg')]
  const signature = Buffer.from(decoded(part('Signature')), 'base64')
  const named = decoded(algorithm)
  const hash = Object.hasOwn(HASHES, named) && HASHES[named]
  if (!hash) throw new Error('the signature algorithm is refused')
  const signed = [message, relay, algorithm].filter((one) => one !== undefined).join('&')
  const isRight = idp.certificates.some((certificate) =>
    createVerify(hash).update(signed).verify(certificate, signature),
  )
  if (!isRight) throw new Error('the signature of the sign-out request is wrong')
  const packed = Buffer.from(decoded(message).replaceAll(' ', '+'), 'base64')
  return readSigned(parseXml((await inflate(packed, { maxOutputLength: MAX_SIGN_OUT })).toString('utf8')), { idp, sp })
}

/** Throws unless the request is of the provider, addressed to us, and recent. */
function readSigned(root: Element, { idp, sp }: Pick<SamlProvider, 'idp' | 'sp'>): SignOutRequest {
  if (root.namespaceURI !== SAMLP || root.localName !== 'LogoutRequest') throw new Error('this is no sign-out request')
  const issuer = textOf(childOf(root, SAML, 'Issuer'))
  if (issuer !== idp.entityId) throw new Error(`the sign-out request is of ${issuer}`)
  const destination = attributeOf(root, 'Destination')
  if (destination && destination !== sp.signOut) throw new Error(`the sign-out request is for ${destination}`)
  const age = Date.now() - Date.parse(attributeOf(root, 'IssueInstant') ?? '')
  if (!(age > -TOLERANCE_MS && age < MAX_AGE_MS)) throw new Error('the sign-out request is not of now')
  const id = attributeOf(root, 'ID')
  const name = nameOf(childOf(root, SAML, 'NameID'))
  if (!id || !name) throw new Error('the sign-out request names nobody')
  return { id, name, indexes: childrenOf(root, SAMLP, 'SessionIndex').map(textOf).filter(Boolean) }
}
