/**
 * Checks the shape of a message before its signature: no identity provider sends the shapes of
 * known attacks, such as XML signature wrapping.
 */
import type { Element } from '@xmldom/xmldom'
import { attributeOf, childOf, childrenOf, everyElement } from '../../../../kernel/xml/strict-xml.ts'
import { DSIG, SAML } from './namespaces.ts'

/** SHA-1 and weaker is refused, and so are shared keys (HMAC). */
const SIGNATURES = new Set([
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512',
  'http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1',
])
const DIGESTS = new Set(['http://www.w3.org/2001/04/xmlenc#sha256', 'http://www.w3.org/2001/04/xmlenc#sha512'])
const TRANSFORMS = new Set([
  'http://www.w3.org/2000/09/xmldsig#enveloped-signature',
  'http://www.w3.org/2001/10/xml-exc-c14n#',
  'http://www.w3.org/TR/2001/REC-xml-c14n-20010315',
])
/** PKCS#1 v1.5 would make us an oracle for encrypted assertions. */
const KEY_ENCRYPTIONS = new Set(['http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p'])
const XMLENC = 'http://www.w3.org/2001/04/xmlenc#'

/**
 * The one assertion of a response, plain or encrypted, which must be its child and the only one
 * anywhere. Every ID must be unique, and every signature inside the element that it signs and by a
 * modern algorithm. Throws otherwise.
 */
export function checkResponseShape(response: Element): Element {
  const assertions = everyElement(response).filter(
    ({ localName }) => localName === 'Assertion' || localName === 'EncryptedAssertion',
  )
  const [assertion] = assertions
  if (!assertion || assertions.length > 1) throw new Error(`the response holds ${assertions.length} assertions`)
  if (assertion.namespaceURI !== SAML || assertion.parentNode !== response)
    throw new Error('the assertion is not where it belongs')
  checkSignatures(response, [response, assertion])
  return assertion
}

/** Checks a decrypted assertion as strictly as the response around it. */
export function checkAssertionShape(assertion: Element): void {
  const inner = everyElement(assertion).filter(({ localName }) => /^(Encrypted)?Assertion$/.test(localName))
  if (assertion.namespaceURI !== SAML || assertion.localName !== 'Assertion' || inner.length !== 1)
    throw new Error('what was encrypted is no assertion')
  checkSignatures(assertion, [assertion])
}

/** Checks IDs and signatures of a message; `owners` are the elements that may be signed. */
export function checkSignatures(root: Element, owners: readonly Element[]): void {
  const elements = everyElement(root)
  const ids = elements.flatMap((one) => ['ID', 'Id', 'id'].flatMap((name) => attributeOf(one, name) ?? []))
  if (new Set(ids).size !== ids.length) throw new Error('two elements have the same ID')
  for (const one of elements) {
    const algorithm = attributeOf(one, 'Algorithm') ?? ''
    if (one.localName === 'EncryptedKey' && !KEY_ENCRYPTIONS.has(algorithmBelow(one)))
      throw new Error('the encryption of the key is refused')
    if (one.localName === 'Signature') checkSignature(one, owners)
    if (one.localName === 'SignatureMethod' && !SIGNATURES.has(algorithm))
      throw new Error(`the signature algorithm ${algorithm} is refused`)
    if (one.localName === 'Transform' && !TRANSFORMS.has(algorithm))
      throw new Error(`the transform ${algorithm} is refused`)
  }
}

/** A signature must have one reference, to the element that contains it. */
function checkSignature(signature: Element, owners: readonly Element[]): void {
  const owner = owners.find((one) => one === signature.parentNode)
  const id = owner && attributeOf(owner, 'ID')
  if (signature.namespaceURI !== DSIG || !id || childrenOf(owner, DSIG, 'Signature').length !== 1)
    throw new Error('a signature is not where it belongs')
  const info = childOf(signature, DSIG, 'SignedInfo')
  const reference = info && childOf(info, DSIG, 'Reference')
  if (!reference || attributeOf(reference, 'URI') !== `#${id}`)
    throw new Error('a signature signs something else than it stands in')
  const digest = childOf(reference, DSIG, 'DigestMethod')
  if (!DIGESTS.has(digest ? (attributeOf(digest, 'Algorithm') ?? '') : ''))
    throw new Error('the digest algorithm is refused')
}

function algorithmBelow(key: Element): string {
  const method = childOf(key, XMLENC, 'EncryptionMethod')
  return method ? (attributeOf(method, 'Algorithm') ?? '') : ''
}
