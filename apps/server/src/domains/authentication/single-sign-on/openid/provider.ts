import { createPublicKey, type KeyObject } from 'node:crypto'
import {
  allowInsecureRequests,
  ClientSecretBasic,
  Configuration,
  type CustomFetch,
  customFetch,
  enableNonRepudiationChecks,
  None,
} from 'openid-client'
import { Agent, fetch } from 'undici'
import { judgedConnector } from '../../../../kernel/outbound/judged-lookup.ts'
import type { ReadSettings } from '../../people-sources/sources.ts'

/** For each call to the provider. */
const TIMEOUT_SECONDS = 10
/** Largest answer: tokens, keys and claims of one person are much smaller. */
const MAX_ANSWER_BYTES = 1_048_576

/** Algorithms of Keycloak, and of providers whose form does not name one. */
export const SIGNATURES = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
]

/** Answers are bounded in size and time; redirects are refused by the library. */
const agents = {
  verified: new Agent({
    maxResponseSize: MAX_ANSWER_BYTES,
    connect: judgedConnector({ timeout: TIMEOUT_SECONDS * 1000 }),
  }),
  unverified: new Agent({
    maxResponseSize: MAX_ANSWER_BYTES,
    connect: judgedConnector({ timeout: TIMEOUT_SECONDS * 1000, rejectUnauthorized: false }),
  }),
}

/** Connections to a provider, whose certificate is verified or not. */
const agentFor = (isVerified: boolean): Agent => (isVerified ? agents.verified : agents.unverified)

/** Reads a document of a provider. No redirects: the address that an administrator entered is trusted. */
export const askProvider = (address: string, isVerified: boolean) =>
  fetch(address, {
    dispatcher: agentFor(isVerified),
    redirect: 'error',
    headers: { accept: 'application/json' },
    signal: AbortSignal.timeout(TIMEOUT_SECONDS * 1000),
  })

export interface Provider {
  /** The id of a further provider; null for that of the settings. */
  id: string | null
  issuer: string
  config: Configuration
  isKeycloak: boolean
}

/**
 * The provider as the settings describe it (docs/rules/settings.md#setting_oidc). Throws a
 * TypeError when they can't be read.
 */
export function openidProvider(settings: ReadSettings, id: string | null = null): Provider {
  const isKeycloak = settings.get('AUTH_OPENID_KEYCLOAK') && Boolean(settings.get('AUTH_OPENID_REALM_NAME'))
  const { issuer, ...endpoints } = isKeycloak ? keycloakEndpoints(settings) : namedEndpoints(settings)
  const secret = settings.get('AUTH_OPENID_CLIENT_SECRET')
  const config = new Configuration(
    {
      issuer,
      ...endpoints,
      ...(isKeycloak ? { id_token_signing_alg_values_supported: SIGNATURES } : {}),
    },
    settings.get('AUTH_OPENID_CLIENT_ID'),
    isKeycloak ? {} : { id_token_signed_response_alg: settings.get('AUTH_OPENID_PROVIDER_SIGNATURE_ALG') },
    secret ? ClientSecretBasic(secret) : None(),
  )
  config.timeout = TIMEOUT_SECONDS
  const dispatcher = agentFor(!settings.get('AUTH_OPENID_IGNORE_SSL_VERIFICATION'))
  config[customFetch] = ((url: string, options: object) =>
    fetch(url, { ...options, dispatcher })) as unknown as CustomFetch
  // Plain HTTP only where an administrator wrote http:// themselves.
  if (Object.values(endpoints).some((address) => address.startsWith('http:'))) allowInsecureRequests(config)
  if (isKeycloak || usesJwks(settings)) enableNonRepudiationChecks(config)
  return { id, issuer, config, isKeycloak }
}

/**
 * Whether tokens are verified by the keys that the provider publishes; otherwise by the client's
 * secret or the key in the settings.
 */
export const usesJwks = (settings: ReadSettings): boolean =>
  !settings.get('AUTH_OPENID_PROVIDER_SIGNATURE_ALG').startsWith('HS') &&
  !settings.get('AUTH_OPENID_PROVIDER_SIGNATURE_KEY')

/**
 * The client's secret (HS…), or the key or certificate in the settings, where tokens are verified by
 * these. Throws where there is none.
 */
export function ownKey(settings: ReadSettings): { algorithm: string; key: Uint8Array | KeyObject } {
  const algorithm = settings.get('AUTH_OPENID_PROVIDER_SIGNATURE_ALG')
  if (!algorithm.startsWith('HS'))
    return { algorithm, key: createPublicKey(settings.get('AUTH_OPENID_PROVIDER_SIGNATURE_KEY') ?? '') }
  const secret = settings.get('AUTH_OPENID_CLIENT_SECRET')
  // With an empty secret anybody could sign.
  if (!secret) throw new Error('there is no client secret to verify the signature with')
  return { algorithm, key: new TextEncoder().encode(secret) }
}

function keycloakEndpoints(settings: ReadSettings) {
  const server = settings.get('AUTH_OPENID_SERVER_URL').replace(/\/+$/, '')
  const issuer = `${server}/realms/${encodeURIComponent(settings.get('AUTH_OPENID_REALM_NAME') ?? '')}`
  const endpoint = (name: string) => new URL(`${issuer}/protocol/openid-connect/${name}`).href
  return {
    issuer,
    authorization_endpoint: endpoint('auth'),
    token_endpoint: endpoint('token'),
    jwks_uri: endpoint('certs'),
    userinfo_endpoint: endpoint('userinfo'),
    end_session_endpoint: endpoint('logout'),
  }
}

function namedEndpoints(settings: ReadSettings) {
  const issuer = settings.get('AUTH_OPENID_PROVIDER_ENDPOINT')
  // Endpoints may be relative to the provider's address.
  const base = issuer.endsWith('/') ? issuer : `${issuer}/`
  const endpoint = (name: 'AUTHORIZATION' | 'TOKEN' | 'JWKS' | 'USERINFO' | 'END_SESSION') =>
    new URL(settings.get(`AUTH_OPENID_PROVIDER_${name}_ENDPOINT`), base).href
  return {
    issuer,
    authorization_endpoint: endpoint('AUTHORIZATION'),
    token_endpoint: endpoint('TOKEN'),
    jwks_uri: endpoint('JWKS'),
    userinfo_endpoint: endpoint('USERINFO'),
    end_session_endpoint: endpoint('END_SESSION'),
  }
}

/** Where people and the provider reach a page of ours. */
export const ownAddress = (settings: ReadSettings, path: string): string =>
  `${(settings.get('BASE_SITE_URL') || settings.get('SITE_URL')).replace(/\/+$/, '')}${path}`
