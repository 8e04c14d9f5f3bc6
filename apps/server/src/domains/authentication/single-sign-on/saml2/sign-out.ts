import { createHash } from 'node:crypto'
import type { SAML } from '@node-saml/node-saml'
import type { Kernel } from '../../../../kernel/kernel.ts'
import { sealedBytes, sealInJson } from '../../../../kernel/secrets/sealed-json.ts'
import type { OutsideSession } from '../../tables.ts'
import { samlProvider } from './provider.ts'
import type { SamlName, SamlProof } from './response.ts'
import type { SamlProvider } from './saml-library.ts'
import { saml2Sources } from './sources.ts'

interface Hint {
  name: SamlName
  sessionIndex?: string
}

/** The provider of a session: none ends those of another, even if both have one name. */
interface Named {
  /** The id of a further provider. */
  provider?: string | null | undefined
  issuer: string
}

/** By what the provider names a session: its person's name, alone and with an index. */
export const keyOf = ({ provider, issuer }: Named, name: string, index = '') =>
  createHash('sha256')
    .update(`saml2\n${provider ? `${provider}\n` : ''}${issuer}\n${name}\n${index}`)
    .digest('hex')

/** The data that a session which began at the provider keeps for its sign-out. */
export function outsideSessionOf(
  kernel: Kernel,
  { provider, issuer, name, sessionIndex }: SamlProof,
): Pick<OutsideSession, 'hint' | 'keys'> {
  if (!name) return {}
  const hint: Hint = { name, ...(sessionIndex ? { sessionIndex } : {}) }
  return {
    hint: sealInJson(kernel.secrets, JSON.stringify(hint)),
    keys: ['', ...(sessionIndex ? [sessionIndex] : [])].map((index) => keyOf({ provider, issuer }, name.value, index)),
  }
}

/**
 * The provider's sign-out for a session that began there; undefined where it has none, or the
 * settings keep its session (SAML2_LOGOUT_COMPLETELY).
 */
export async function samlSignOut(kernel: Kernel, { hint, provider: id }: OutsideSession): Promise<string | undefined> {
  if (!hint) return undefined
  const source = await saml2Sources.inForce(kernel, id ?? null)
  if (!source?.settings.get('SAML2_LOGOUT_COMPLETELY')) return undefined
  const provider = await samlProvider(kernel, source)
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
