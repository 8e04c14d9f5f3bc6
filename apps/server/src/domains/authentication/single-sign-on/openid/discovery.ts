/** The document that a provider publishes of itself (OpenID Connect Discovery 1.0). */
import { z } from 'zod'
import { askProvider, SIGNATURES } from './provider.ts'

const address = z
  .string()
  .max(1024)
  .regex(/^https?:\/\/[^/?#]/i)
/** §3; what else is there is not needed. */
const document = z.object({
  issuer: z.string().min(1).max(1024),
  authorization_endpoint: address,
  token_endpoint: address,
  jwks_uri: address,
  userinfo_endpoint: address,
  end_session_endpoint: address.optional(),
  id_token_signing_alg_values_supported: z.array(z.string()).default([]),
})
const keySet = z.object({ keys: z.array(z.looseObject({ kty: z.string() })) })

export interface Discovered {
  authorization_endpoint: string
  token_endpoint: string
  jwks_endpoint: string
  userinfo_endpoint: string
  /** Empty where it has none. */
  end_session_endpoint: string
  /** The one that most providers use, or else the first that is known here. */
  signature_alg: string
  /** All that the provider names. */
  signature_algs: string[]
}

/**
 * Reads the well-known document of a provider. Throws where there is none, where it lacks something
 * that a sign-in needs, and where it names another issuer (§4.3): its tokens would be refused.
 */
export async function discover(issuer: string, isVerified: boolean): Promise<Discovered> {
  const found = document.safeParse(
    await readJson(`${issuer.replace(/\/+$/, '')}/.well-known/openid-configuration`, isVerified),
  )
  if (!found.success) throw new Error(`the document of the provider lacks ${found.error.issues[0]?.path.join('.')}`)
  const { data } = found
  if (data.issuer !== issuer) throw new Error(`the provider names itself ${data.issuer}`)
  const algorithms = data.id_token_signing_alg_values_supported
  return {
    authorization_endpoint: data.authorization_endpoint,
    token_endpoint: data.token_endpoint,
    jwks_endpoint: data.jwks_uri,
    userinfo_endpoint: data.userinfo_endpoint,
    end_session_endpoint: data.end_session_endpoint ?? '',
    signature_alg: SIGNATURES.find((one) => algorithms.includes(one)) ?? 'RS256',
    signature_algs: algorithms,
  }
}

/** How many keys the provider publishes. Throws where they can't be read. */
export async function countKeys(jwks: string, isVerified: boolean): Promise<number> {
  const found = keySet.safeParse(await readJson(jwks, isVerified))
  if (!found.success) throw new Error(`${jwks} holds no keys`)
  return found.data.keys.length
}

/** No redirects: the address that an administrator entered is the one that is trusted. */
async function readJson(address: string, isVerified: boolean): Promise<unknown> {
  const answer = await askProvider(address, isVerified)
  if (!answer.ok) throw new Error(`${address}: HTTP ${answer.status}`)
  return answer.json()
}
