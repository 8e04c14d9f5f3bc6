import { createHash } from 'node:crypto'
import { createRemoteJWKSet, decodeJwt, customFetch as fetchOfKeys, type JWTPayload, jwtVerify } from 'jose'
import { customFetch } from 'openid-client'
import type { ReadSettings } from '../../people-sources/sources.ts'
import { ownKey, type Provider, SIGNATURES, usesJwks } from './provider.ts'

/** OpenID Connect Back-Channel Logout 1.0 §2.4. */
const EVENT = 'http://schemas.openid.net/event/backchannel-logout'
/** Age of a token, and how far the provider's clock may be off. */
const MAX_AGE_SECONDS = 300
const TOLERANCE_SECONDS = 30
const MAX_NAME = 255

/** The sessions that a provider ends: one of them, or all of a person. */
export interface EndedAtProvider {
  keys: string[]
  /** The provider's name for this message. */
  id: string
}

type Named = Pick<Provider, 'id' | 'issuer'>

/** How a session of a provider is found again: by its person, and by the provider's name for it. */
export const keysOfSession = (provider: Named, subject: string, session: unknown): string[] => [
  keyOf(provider, 'sub', subject),
  ...(typeof session === 'string' && session ? [keyOf(provider, 'sid', session)] : []),
]

/** No provider ends sessions of another, even if both have one issuer. */
export const keyOf = ({ id, issuer }: Named, kind: 'sub' | 'sid', name: string): string =>
  createHash('sha256')
    .update(`openid\n${id === null ? '' : `${id}\n`}${issuer}\n${kind}\n${name}`)
    .digest('hex')

/**
 * Reads a logout token (OpenID Connect Back-Channel Logout 1.0 §2.6). Throws unless it is signed by
 * the provider, for us, recent, and no ID token.
 */
export async function readLogoutToken(
  settings: ReadSettings,
  provider: Provider,
  token: string,
): Promise<EndedAtProvider> {
  const audience = provider.config.clientMetadata().client_id
  const { issuer } = provider
  // So that a stranger's text does not have us ask the provider for its keys.
  const { iss, aud } = decodeJwt(token)
  if (iss !== issuer || ![aud].flat().includes(audience)) throw new Error('the logout token is not for us')
  const { payload } = await verified(settings, provider, token, {
    issuer,
    audience,
    maxTokenAge: MAX_AGE_SECONDS,
    clockTolerance: TOLERANCE_SECONDS,
    requiredClaims: ['iat', 'jti', 'events'],
  })
  return endedBy(provider, payload)
}

function endedBy(provider: Named, { sub, sid, jti = '', events, nonce }: JWTPayload): EndedAtProvider {
  // An ID token that somebody got hold of is no logout token.
  if (nonce !== undefined) throw new Error('a logout token has no nonce')
  const isLogout = typeof events === 'object' && events !== null && EVENT in events
  if (!isLogout) throw new Error('the token is about another event')
  const isName = (name: unknown): name is string => typeof name === 'string' && name !== '' && name.length <= MAX_NAME
  if (!isName(jti)) throw new Error('the logout token has no id')
  if (isName(sid)) return { keys: [keyOf(provider, 'sid', sid)], id: jti }
  if (sid !== undefined || !isName(sub)) throw new Error('the logout token names no session and nobody')
  return { keys: [keyOf(provider, 'sub', sub)], id: jti }
}

type Checks = Parameters<typeof jwtVerify>[2]

function verified(settings: ReadSettings, provider: Provider, token: string, checks: Checks) {
  if (provider.isKeycloak || usesJwks(settings))
    return jwtVerify(token, keysOf(settings, provider), { ...checks, algorithms: SIGNATURES })
  const { algorithm, key } = ownKey(settings)
  return jwtVerify(token, key, { ...checks, algorithms: [algorithm] })
}

/** Those of each provider, by its address and by whether its certificate is verified. */
const kept = new Map<string, ReturnType<typeof createRemoteJWKSet>>()
/** More than there are providers: addresses that were changed go with the others. */
const MAX_KEPT = 100

/** The provider's keys, which are asked for again after half a minute at the earliest. */
function keysOf(settings: ReadSettings, { config }: Provider): ReturnType<typeof createRemoteJWKSet> {
  const address = config.serverMetadata().jwks_uri ?? ''
  const name = `${settings.get('AUTH_OPENID_IGNORE_SSL_VERIFICATION')} ${address}`
  const known = kept.get(name)
  if (known) return known
  if (kept.size >= MAX_KEPT) kept.clear()
  const keys = createRemoteJWKSet(new URL(address), { [fetchOfKeys]: config[customFetch] as never })
  kept.set(name, keys)
  return keys
}
