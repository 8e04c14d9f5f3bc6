import { createPrivateKey, X509Certificate } from 'node:crypto'
import type { Kernel } from '../../../../kernel/kernel.ts'
import type { SettingName } from '../../../settings/index.ts'
import type { ReadSettings } from '../../people-sources/sources.ts'
import { idpOf } from './idp-metadata.ts'
import { type Advanced, type SamlProvider, type ServiceProvider, samlOf } from './saml-library.ts'
import type { SamlPages, SamlSource } from './sources.ts'

export const SAML2_NAME = 'SAML2'

/** A fault in the settings, explained to an administrator. */
export class SamlSettingsFault extends Error {
  /** The setting to mend. */
  readonly field: SettingName | undefined
  constructor(text: string, field?: SettingName, options?: ErrorOptions) {
    super(text, options)
    this.field = field
  }
}

/** Throws IdpUnreadable or SamlSettingsFault. */
export async function samlProvider(kernel: Kernel, source: SamlSource): Promise<SamlProvider> {
  const sp = serviceProvider(source)
  const idp = await idpOf(kernel, source)
  if (idp.wantsSignedRequests && !sp.key) throw new SamlSettingsFault(FAULT.keyMissing)
  return samlOf({ idp, sp })
}

/** Throws SamlSettingsFault for a key or certificate that can't be read. */
export function serviceProvider({ settings, pages }: Pick<SamlSource, 'settings' | 'pages'>): ServiceProvider {
  const { entityId, callback, signOut } = addressesOf(settings, pages)
  return {
    entityId,
    callback,
    signOut,
    ...ownPair(settings),
    advanced: readAdvanced(settings.get('SAML2_SP_ADVANCED_SETTINGS')),
  }
}

/** The addresses by which a provider knows us. */
export function addressesOf(
  settings: ReadSettings,
  { login, callback, signOut, metadata }: SamlPages,
): Pick<ServiceProvider, 'entityId' | 'callback' | 'signOut'> & { metadata: string } {
  const at = (page: string) => `${settings.get('SITE_URL').replace(/\/+$/, '')}${page}`
  return { entityId: at(login), callback: at(callback), signOut: at(signOut), metadata: at(metadata) }
}

/**
 * Our key and its certificate, where they are set. Throws SamlSettingsFault when one can't be read
 * or they don't belong together.
 */
export function ownPair(settings: ReadSettings): Pick<ServiceProvider, 'key' | 'certificate'> {
  const key = readPem(settings, 'SAML2_SP_KEY_CONTENT', FAULT.key, (pem) => {
    const read = createPrivateKey(pem)
    // RSA, since providers encrypt for it and the library signs with it.
    if (read.asymmetricKeyType !== 'rsa') throw new Error(`a key of type ${read.asymmetricKeyType}`)
    return read.export({ type: 'pkcs8', format: 'pem' }).toString()
  })
  const certificate = readPem(settings, 'SAML2_SP_CERT_CONTENT', FAULT.certificate, (pem) =>
    new X509Certificate(pem).toString(),
  )
  if (key && certificate && !new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key)))
    throw new SamlSettingsFault(FAULT.different, 'SAML2_SP_CERT_CONTENT')
  return { ...(key ? { key } : {}), ...(certificate ? { certificate } : {}) }
}

export const FAULT = {
  keyMissing: 'The SP private key is missing',
  certificateMissing: 'The SP certificate is missing',
  key: 'The SP private key cannot be read: it must be a PEM file of an RSA key without a password',
  certificate: 'The SP certificate cannot be read: it must be a PEM file',
  different: 'The SP certificate belongs to another private key',
}

function readPem(
  settings: ReadSettings,
  field: 'SAML2_SP_KEY_CONTENT' | 'SAML2_SP_CERT_CONTENT',
  fault: string,
  read: (pem: string) => string,
): string | undefined {
  const pem = settings.get(field)
  if (!pem.trim()) return undefined
  try {
    return read(pem)
  } catch (error) {
    throw new SamlSettingsFault(fault, field, { cause: error })
  }
}

const PASSWORD = 'urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport'

function readAdvanced(value: unknown): Advanced {
  const { security, sp, organization, contactPerson } = recordOf(value)
  const { NameIDFormat: format } = recordOf(sp)
  const {
    authnRequestsSigned,
    logoutRequestSigned,
    wantMessagesSigned,
    wantAssertionsSigned,
    wantAssertionsEncrypted,
    requestedAuthnContext,
    forceAuthn,
    signatureAlgorithm,
  } = recordOf(security)
  const classes = Array.isArray(requestedAuthnContext)
    ? requestedAuthnContext.filter((one) => typeof one === 'string')
    : []
  return {
    signRequests: authnRequestsSigned !== false,
    signSignOut: logoutRequestSigned !== false,
    wantMessagesSigned: wantMessagesSigned === true,
    wantAssertionsSigned: wantAssertionsSigned === true,
    wantAssertionsEncrypted: wantAssertionsEncrypted === true,
    forceAuthn: forceAuthn === true,
    // By default none is requested: a provider would refuse everybody who used a certificate or a
    // second factor there.
    ...(classes.length
      ? { authnContext: classes }
      : requestedAuthnContext === true
        ? { authnContext: [PASSWORD] }
        : {}),
    nameIdFormat: typeof format === 'string' && format ? format : null,
    algorithm: String(signatureAlgorithm ?? '').endsWith('sha512') ? 'sha512' : 'sha256',
    organization: recordsOf(organization),
    contacts: recordsOf(contactPerson),
  }
}

const recordOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
const recordsOf = (value: unknown) =>
  Object.fromEntries(Object.entries(recordOf(value)).map(([name, one]) => [name, recordOf(one)]))
