import { compactVerify } from 'jose'
import { authorizationCodeGrant, fetchUserInfo, skipStateCheck } from 'openid-client'
import { saysGroups } from '../../group-mapping/reported-groups.ts'
import type { ReadSettings } from '../../people-sources/sources.ts'
import type { OpenidStart } from '../../tables.ts'
import { ownKey, type Provider, usesJwks } from './provider.ts'

/** How far the provider's clock may be off. */
const TOLERANCE_SECONDS = 30

/** The provider's statement about the person who came back. */
export interface Proof {
  subject: string
  claims: Readonly<Record<string, unknown>>
  idToken: string
}

/**
 * Exchanges the code of a callback for what the provider knows of the person, after checking state,
 * issuer, audience, nonce, age and signature. Throws when one of these is wrong, and when the
 * provider can't be asked.
 * @param callback the address that the browser was sent back to, as the provider knows it
 */
export async function redeem(
  settings: ReadSettings,
  { config, isKeycloak }: Provider,
  callback: URL,
  start: OpenidStart,
): Promise<Proof> {
  const tokens = await authorizationCodeGrant(config, callback, {
    pkceCodeVerifier: start.verifier,
    expectedState: start.state ?? skipStateCheck,
    idTokenExpected: true,
    ...(start.nonce ? { expectedNonce: start.nonce } : {}),
  })
  const claims = tokens.claims()
  if (!claims || !tokens.id_token) throw new Error('the answer holds no ID token')
  const now = Date.now() / 1000
  // OpenID Connect Core 1.0 §3.1.3.7: a token that another client was given may name us among others.
  if (claims.azp !== undefined && claims.azp !== config.clientMetadata().client_id)
    throw new Error('the ID token is for another client')
  if (claims.iat > now + TOLERANCE_SECONDS) throw new Error('the ID token is from the future')
  if (!isKeycloak) {
    if (!usesJwks(settings)) {
      const { algorithm, key } = ownKey(settings)
      await compactVerify(tokens.id_token, key, { algorithms: [algorithm] })
    }
    if (now - claims.iat > settings.get('AUTH_OPENID_ID_TOKEN_MAX_AGE') + TOLERANCE_SECONDS)
      throw new Error('the ID token is older than the settings allow')
  }
  // Many providers leave name and address out of the token whatever the setting says.
  const isEnough =
    settings.get('AUTH_OPENID_ID_TOKEN_INCLUDE_CLAIMS') &&
    nameClaim(settings) in claims &&
    saysGroups(claims, settings.get('AUTH_OPENID_GROUPS_CLAIM'))
  const more = isEnough ? {} : await fetchUserInfo(config, tokens.access_token, claims.sub)
  const known = { ...claims }
  // Whether an address or number is verified, is said beside it.
  for (const name of ['email', 'phone_number'] as const) if (name in more) delete known[`${name}_verified`]
  return { subject: claims.sub, claims: { ...known, ...more }, idToken: tokens.id_token }
}

/** The claim that holds the user name. */
export const nameClaim = (settings: ReadSettings): string =>
  String(settings.get('AUTH_OPENID_USER_ATTR_MAP').username ?? 'preferred_username')
