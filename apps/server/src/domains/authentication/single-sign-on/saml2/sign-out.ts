import { createHash } from 'node:crypto'
import type { SAML } from '@node-saml/node-saml'
import type { Kernel } from '../../../../kernel/kernel.ts'
import { sealedBytes, sealInJson } from '../../../../kernel/secrets/sealed-json.ts'
import { settingsOf } from '../../../settings/index.ts'
import type { OutsideSession } from '../../tables.ts'
import { samlProvider } from './provider.ts'
import type { SamlName, SamlProof } from './response.ts'
import type { SamlProvider } from './saml-library.ts'

interface Hint {
  name: SamlName
  sessionIndex?: string
}

/** By what the provider names a session: its person's name, alone and with an index. */
export const keyOf = (issuer: string, name: string, index = '') =>
  createHash('sha256').update(`saml2\n${issuer}\n${name}\n${index}`).digest('hex')

/** The data that a session which began at the provider keeps for its sign-out. */
export function outsideSessionOf(
  kernel: Kernel,
  { issuer, name, sessionIndex }: SamlProof,
): Omit<OutsideSession, 'source'> {
  if (!name) return {}
  const hint: Hint = { name, ...(sessionIndex ? { sessionIndex } : {}) }
  return {
    hint: sealInJson(kernel.secrets, JSON.stringify(hint)),
    keys: [keyOf(issuer, name.value), ...(sessionIndex ? [keyOf(issuer, name.value, sessionIndex)] : [])],
  }
}

/**
 * The provider's sign-out for a session that began there; undefined where it has none, or the
 * settings keep its session (SAML2_LOGOUT_COMPLETELY).
 */
export async function samlSignOut(kernel: Kernel, { hint }: OutsideSession): Promise<string | undefined> {
  const settings = settingsOf(kernel)
  if (!hint || !settings.get('AUTH_SAML2') || !settings.get('SAML2_LOGOUT_COMPLETELY')) return undefined
  const provider = await samlProvider(kernel)
  if (!provider.idp.signOut) return undefined
  const { name, sessionIndex } = JSON.parse(
    kernel.secrets.open('sign_in', 'sign-out at SAML 2')(sealedBytes(hint)),
  ) as Hint
  return signOutSaml(provider).getLogoutUrlAsync(
    {
      issuer: provider.sp.entityId,
      nameID: name.value,
      nameIDFormat: name.format ?? 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified',
      ...(name.qualifier ? { nameQualifier: name.qualifier } : {}),
      ...(name.spQualifier ? { spNameQualifier: name.spQualifier } : {}),
      ...(sessionIndex ? { sessionIndex } : {}),
    },
    '',
    {},
  )
}

/** The library, configured for sign-out messages. */
export const signOutSaml = ({ saml, sp }: SamlProvider, logoutUrl?: string): SAML =>
  saml({ ...(sp.key && sp.advanced.signSignOut ? { privateKey: sp.key } : {}), ...(logoutUrl ? { logoutUrl } : {}) })
