import { createHash } from 'node:crypto'
import { SignedXml } from 'xml-crypto'
import type { ReadSettings } from '../../people-sources/sources.ts'
import { FAULT } from './provider.ts'
import type { ServiceProvider } from './saml-library.ts'

/**
 * Our metadata for an identity provider (SAML 2.0 Metadata §2.4.4), signed with our key. Renamed
 * attributes are requested under the provider's names. Only to be called when `missingForMetadata`
 * is empty.
 */
export function spMetadata(settings: ReadSettings, sp: ServiceProvider): string {
  const { entityId, callback, signOut, certificate = '', advanced } = sp
  const x509 = certificate.replace(/-----[A-Z ]+-----|\s/g, '')
  const key = (use: string) =>
    `<md:KeyDescriptor use="${use}"><ds:KeyInfo><ds:X509Data><ds:X509Certificate>${x509}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>`
  const services = ['Redirect', 'POST'].map(
    (way) =>
      `<md:SingleLogoutService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-${way}" Location="${xml(signOut)}"/>`,
  )
  const wanted = Object.entries(settings.get('SAML2_RENAME_ATTRIBUTES')).map(
    ([theirs, ours]) =>
      `<md:RequestedAttribute Name="${xml(theirs)}" FriendlyName="${xml(ours)}" isRequired="${ours === 'username'}" NameFormat="urn:oasis:names:tc:SAML:2.0:attrname-format:unspecified"/>`,
  )
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" xmlns:ds="http://www.w3.org/2000/09/xmldsig#" entityID="${xml(entityId)}" ID="_${createHash('sha256').update(entityId).digest('hex').slice(0, 32)}">`,
    `<md:SPSSODescriptor AuthnRequestsSigned="${advanced.signRequests}" WantAssertionsSigned="${advanced.wantAssertionsSigned}" protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">`,
    key('signing'),
    key('encryption'),
    ...services,
    ...(advanced.nameIdFormat ? [`<md:NameIDFormat>${xml(advanced.nameIdFormat)}</md:NameIDFormat>`] : []),
    `<md:AssertionConsumerService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="${xml(callback)}" index="1" isDefault="true"/>`,
    ...(wanted.length
      ? [
          '<md:AttributeConsumingService index="1" isDefault="true"><md:ServiceName xml:lang="en">Sallyport</md:ServiceName>',
          ...wanted,
          '</md:AttributeConsumingService>',
        ]
      : []),
    '</md:SPSSODescriptor>',
    ...organizationLines(advanced.organization),
    ...contactLines(advanced.contacts),
    '</md:EntityDescriptor>',
  ]
  return signed(lines.join('\n'), sp)
}

const ROOT = "/*[local-name(.)='EntityDescriptor']"
const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#'

/** The schema wants the signature to be the first child. */
function signed(metadata: string, { key = '', certificate = '', advanced }: ServiceProvider): string {
  const signer = new SignedXml({
    privateKey: key,
    publicCert: certificate,
    signatureAlgorithm: `http://www.w3.org/2001/04/xmldsig-more#rsa-${advanced.algorithm}`,
    canonicalizationAlgorithm: EXCLUSIVE,
  })
  signer.addReference({
    xpath: ROOT,
    digestAlgorithm: `http://www.w3.org/2001/04/xmlenc#${advanced.algorithm}`,
    transforms: ['http://www.w3.org/2000/09/xmldsig#enveloped-signature', EXCLUSIVE],
  })
  signer.computeSignature(metadata, { prefix: 'ds', location: { reference: ROOT, action: 'prepend' } })
  return signer.getSignedXml()
}

/** The parts that our metadata lacks; English texts. */
export function missingForMetadata({ key, certificate }: ServiceProvider): string[] {
  return [...(key ? [] : [FAULT.keyMissing]), ...(certificate ? [] : [FAULT.certificateMissing])]
}

function organizationLines(languages: ServiceProvider['advanced']['organization']): string[] {
  const entries = Object.entries(languages)
  if (!entries.length) return []
  const parts = [
    ['OrganizationName', 'name'],
    ['OrganizationDisplayName', 'displayname'],
    ['OrganizationURL', 'url'],
  ] as const
  const line = (element: string, key: string) =>
    entries.map(([lang, values]) => `<md:${element} xml:lang="${xml(lang)}">${xml(values[key])}</md:${element}>`)
  return ['<md:Organization>', ...parts.flatMap(([element, key]) => line(element, key)), '</md:Organization>']
}

const CONTACTS = ['technical', 'support', 'administrative', 'billing', 'other']

function contactLines(contacts: ServiceProvider['advanced']['contacts']): string[] {
  return Object.entries(contacts).flatMap(([type, { givenName, emailAddress }]) =>
    CONTACTS.includes(type)
      ? [
          `<md:ContactPerson contactType="${type}"><md:GivenName>${xml(givenName)}</md:GivenName><md:EmailAddress>${xml(emailAddress)}</md:EmailAddress></md:ContactPerson>`,
        ]
      : [],
  )
}

const xml = (value: unknown) => String(value ?? '').replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
