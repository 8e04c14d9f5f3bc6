/** The library that writes and reads messages of SAML 2, with its options. */
import { SAML, type SamlConfig } from '@node-saml/node-saml'
import type { Idp } from './idp-metadata.ts'

/** How far the provider's clock may be off. */
export const TOLERANCE_MS = 30_000
/** As long as an unfinished sign-in is kept. */
export const MAX_AGE_MS = 600_000

/** Plain data, which a thread can be handed. */
export interface SamlSides {
  idp: Idp
  sp: ServiceProvider
}

/**
 * We and the identity provider, as the settings describe both
 * (docs/rules/settings.md#setting_saml2).
 */
export interface SamlProvider extends SamlSides {
  /** The library, configured for one purpose. */
  saml(change?: Partial<SamlConfig>): SAML
}

/** This server as the identity provider knows it (docs/rules/authentication.md#saml2). */
export interface ServiceProvider {
  entityId: string
  callback: string
  signOut: string
  /** PEM; undefined where there is none. */
  key?: string
  certificate?: string
  advanced: Advanced
}

/**
 * SAML2_SP_ADVANCED_SETTINGS, as far as they have an effect; people know the names from other
 * products.
 */
export interface Advanced {
  signRequests: boolean
  signSignOut: boolean
  wantMessagesSigned: boolean
  wantAssertionsSigned: boolean
  wantAssertionsEncrypted: boolean
  forceAuthn: boolean
  /** Undefined: any method of authentication will do. */
  authnContext?: string[]
  nameIdFormat: string | null
  algorithm: 'sha256' | 'sha512'
  organization: Record<string, Record<string, unknown>>
  contacts: Record<string, Record<string, unknown>>
}

/** The library for these two. */
export function samlOf({ idp, sp }: SamlSides): SamlProvider {
  const { advanced } = sp
  return {
    idp,
    sp,
    saml: (change = {}) =>
      new SAML({
        issuer: sp.entityId,
        audience: sp.entityId,
        callbackUrl: sp.callback,
        entryPoint: idp.signIn,
        ...(idp.signOut ? { logoutUrl: idp.signOut } : {}),
        idpIssuer: idp.entityId,
        idpCert: idp.certificates,
        ...(sp.key ? { decryptionPvk: sp.key } : {}),
        ...(sp.key && advanced.signRequests ? { privateKey: sp.key } : {}),
        signatureAlgorithm: advanced.algorithm,
        digestAlgorithm: advanced.algorithm,
        identifierFormat: advanced.nameIdFormat,
        disableRequestedAuthnContext: !advanced.authnContext,
        ...(advanced.authnContext ? { authnContext: advanced.authnContext } : {}),
        forceAuthn: advanced.forceAuthn,
        // Most providers sign either the response or the assertion; the library requires a
        // signature that covers the assertion.
        wantAuthnResponseSigned: advanced.wantMessagesSigned,
        wantAssertionsSigned: advanced.wantAssertionsSigned,
        acceptedClockSkewMs: TOLERANCE_MS,
        maxAssertionAgeMs: MAX_AGE_MS,
        ...change,
      }),
  }
}
