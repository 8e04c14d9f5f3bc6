import { createHash } from 'node:crypto'
import { createLocalJWKSet, createRemoteJWKSet, customFetch, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose'
import { Agent, fetch } from 'undici'
import { oneAtATime } from '../../../../kernel/one-at-a-time.ts'
import { judgedConnector } from '../../../../kernel/outbound/judged-lookup.ts'
import type { TargetAddresses } from '../../../../kernel/outbound/target-addresses.ts'
import type { StoredTrustRule } from '../tables.ts'

/** For each request to an issuer. */
const TIMEOUT_MS = 5000
/** Documents and key sets are much smaller. */
const MAX_ANSWER_BYTES = 262_144
/** Issuers that are kept; the oldest goes first. */
const MAX_ISSUERS = 200
/** For so long the address of the keys holds, and an issuer that failed is not asked again. */
const KEEP_MS = 3_600_000
const FAILED_MS = 30_000
/** Keys are fetched again after so long, or when a token names one that is not there, but not before. */
const KEYS_MS = 600_000
const COOLDOWN_MS = 30_000

type Source = Pick<StoredTrustRule, 'issuer' | 'keys' | 'ca_certificate'>
type Judge = TargetAddresses['judge']

interface Kept {
  until: number
  keys?: JWTVerifyGetKey
  failure?: Error
  agent?: Agent
}

/** By everything that decides about the keys, so that no rule has those of another one. */
const kept = new Map<string, Kept>()

/**
 * The keys by which tokens of an issuer are verified: those of the rule, or those that the issuer
 * publishes (OpenID Connect Discovery 1.0). Throws where it cannot be asked.
 */
export async function issuerKeys(source: Source, judge: Judge): Promise<JWTVerifyGetKey> {
  if (source.keys.trim()) return createLocalJWKSet(readKeySet(source.keys))
  const { issuer, ca_certificate } = source
  const name = createHash('sha256').update(`${issuer}\n${ca_certificate}`).digest('hex')
  // One request at a time for each issuer: a crowd of tokens is one question.
  return oneAtATime(`issuer ${name}`, async () => {
    const known = kept.get(name)
    if (known && known.until > Date.now()) {
      if (known.keys) return known.keys
      throw known.failure ?? new Error('the issuer does not answer')
    }
    forget(name)
    const agent = agentFor(source, judge)
    try {
      const address = await keysAddress(issuer, agent)
      const keys = createRemoteJWKSet(address, {
        timeoutDuration: TIMEOUT_MS,
        cooldownDuration: COOLDOWN_MS,
        cacheMaxAge: KEYS_MS,
        [customFetch]: ((url: string, options: object) =>
          fetch(url, { ...options, redirect: 'error', dispatcher: agent })) as never,
      })
      keep(name, { until: Date.now() + KEEP_MS, keys, agent })
      return keys
    } catch (error) {
      agent.close().catch(() => {})
      const failure = error instanceof Error ? error : new Error(String(error))
      keep(name, { until: Date.now() + FAILED_MS, failure })
      throw failure
    }
  })
}

function keep(name: string, entry: Kept): void {
  kept.set(name, entry)
  const [oldest] = kept.keys()
  if (kept.size > MAX_ISSUERS && oldest) forget(oldest)
}

function forget(name: string): void {
  kept
    .get(name)
    ?.agent?.close()
    .catch(() => {})
  kept.delete(name)
}

/** As for targets: administrators of organizations name these places. */
function agentFor({ ca_certificate }: Source, judge: Judge): Agent {
  return new Agent({
    maxResponseSize: MAX_ANSWER_BYTES,
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
    connect: (place, done) => {
      const port = Number(place.port) || 443
      const tls = { timeout: TIMEOUT_MS, ...(ca_certificate ? { ca: ca_certificate } : {}) }
      judgedConnector(tls, (address) => judge(address, port))(place, done)
    },
  })
}

/** Where the issuer publishes its keys. Throws unless the document is the issuer's own. */
async function keysAddress(issuer: string, dispatcher: Agent): Promise<URL> {
  const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const answer = await fetch(address, {
    dispatcher,
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
    headers: { accept: 'application/json' },
  })
  if (answer.status !== 200) throw new Error(`the issuer answers ${answer.status}`)
  const document = (await answer.json()) as { issuer?: unknown; jwks_uri?: unknown }
  if (document?.issuer !== issuer) throw new Error('the document is of another issuer')
  const keys = URL.parse(String(document.jwks_uri))
  if (keys?.protocol !== 'https:') throw new Error('the keys are not at an address with https')
  return keys
}

/** A set of public keys as JSON. Throws for anything else, such as one with a private key or a shared secret. */
export function readKeySet(text: string): JSONWebKeySet {
  const set = JSON.parse(text) as JSONWebKeySet
  if (!Array.isArray(set?.keys) || !set.keys.length) throw new TypeError('this is no JWK set')
  for (const key of set.keys)
    if (!['RSA', 'EC', 'OKP'].includes(String(key?.kty)) || key.d !== undefined)
      throw new TypeError('the set has a key that is not public')
  createLocalJWKSet(set)
  return set
}
