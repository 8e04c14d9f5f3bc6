import { decodeJwt, decodeProtectedHeader, errors, type JWTPayload, jwtVerify } from 'jose'
import type { TargetAddresses } from '../../../../kernel/outbound/target-addresses.ts'
import { SIGNATURES } from '../../single-sign-on/openid/provider.ts'
import type { StoredTrustRule } from '../tables.ts'
import { claimsFit } from './claim-rules.ts'
import { issuerKeys } from './issuer-keys.ts'

/** Characters of a token; those of providers have some two thousand. */
export const MAX_TOKEN = 16_384
const MAX_SUBJECT = 300
const TOLERANCE_SECONDS = 30
/** Tokens of jobs that run for a day are taken, older ones never. */
const MAX_AGE_SECONDS = 86_400

/** Why a token is not taken: the reason in the sign-in log. */
export type WorkloadFault =
  | 'workload_malformed'
  | 'workload_unknown'
  | 'workload_issuer_down'
  | 'workload_signature'
  | 'workload_expired'
  | 'workload_claims'
  | 'workload_used'

/** `subject`: of a token whose signature was right. */
export class WorkloadRefusal extends Error {
  readonly reason: WorkloadFault
  readonly subject: string | undefined
  constructor(reason: WorkloadFault, subject?: string) {
    super(reason)
    this.name = 'WorkloadRefusal'
    this.reason = reason
    this.subject = subject
  }
}

/** A token that one of the rules takes, and the time at which it ends. */
export interface TakenToken {
  rule: StoredTrustRule
  subject: string
  /** By which it is known when it comes again. */
  identifier: string
  expires: Date
}

/**
 * Reads the token of a provider. Throws a WorkloadRefusal unless the issuer of one of these rules has
 * signed it, for the rule's audience and for now, and its claims are those of that rule.
 */
export async function readWorkloadToken(
  rules: readonly StoredTrustRule[],
  token: string,
  judge: TargetAddresses['judge'],
): Promise<TakenToken> {
  // So that a stranger's text does not have us ask an issuer for its keys.
  const meant = rulesFor(rules, token)
  let worst: WorkloadRefusal | undefined
  for (const some of Map.groupBy(meant, ({ keys, ca_certificate }) => `${keys}\n${ca_certificate}`).values()) {
    try {
      const claims = await verified(some, token, judge)
      const subject = String(claims.sub)
      const rule = some.find((one) => audiencesOf(claims).includes(one.audience) && claimsFit(one.claims, claims))
      if (!rule) throw new WorkloadRefusal('workload_claims', subject)
      return { rule, subject, identifier: identifierOf(rule, claims, token), expires: endOf(claims) }
    } catch (error) {
      if (!(error instanceof WorkloadRefusal)) throw error
      // What came furthest says most.
      if (!worst?.subject) worst = error
    }
  }
  throw worst ?? new WorkloadRefusal('workload_unknown')
}

const audiencesOf = ({ aud }: JWTPayload): unknown[] => [aud].flat()

function rulesFor(rules: readonly StoredTrustRule[], token: string): StoredTrustRule[] {
  let claims: JWTPayload
  try {
    const { alg = '' } = decodeProtectedHeader(token)
    if (token.length > MAX_TOKEN || !SIGNATURES.includes(alg)) throw new Error('not signed by a key of its own')
    claims = decodeJwt(token)
  } catch {
    throw new WorkloadRefusal('workload_malformed')
  }
  const audiences = audiencesOf(claims)
  const meant = rules.filter(({ issuer, audience }) => claims.iss === issuer && audiences.includes(audience))
  if (!meant.length) throw new WorkloadRefusal('workload_unknown')
  return meant
}

async function verified(
  rules: readonly StoredTrustRule[],
  token: string,
  judge: TargetAddresses['judge'],
): Promise<JWTPayload> {
  const [first] = rules
  if (!first) throw new WorkloadRefusal('workload_unknown')
  let keys: Awaited<ReturnType<typeof issuerKeys>>
  try {
    keys = await issuerKeys(first, judge)
  } catch {
    throw new WorkloadRefusal('workload_issuer_down')
  }
  try {
    const { payload } = await jwtVerify(token, keys, {
      issuer: first.issuer,
      audience: rules.map(({ audience }) => audience),
      algorithms: SIGNATURES,
      requiredClaims: ['exp', 'iat', 'sub'],
      maxTokenAge: MAX_AGE_SECONDS,
      clockTolerance: TOLERANCE_SECONDS,
    })
    if (
      typeof payload.sub !== 'string' ||
      !payload.sub ||
      payload.sub.length > MAX_SUBJECT ||
      /\p{Cc}/u.test(payload.sub)
    )
      throw new WorkloadRefusal('workload_claims')
    return payload
  } catch (error) {
    throw error instanceof WorkloadRefusal ? error : new WorkloadRefusal(faultOf(error))
  }
}

function faultOf(error: unknown): WorkloadFault {
  if (error instanceof errors.JWTExpired) return 'workload_expired'
  if (error instanceof errors.JWTClaimValidationFailed) return 'workload_claims'
  const isOfToken = error instanceof errors.JOSEError && !(error instanceof errors.JWKSTimeout)
  return isOfToken ? 'workload_signature' : 'workload_issuer_down'
}

/**
 * Without an id it is what was signed, not the signature: one of elliptic curves can be written in two
 * ways.
 */
function identifierOf({ issuer }: StoredTrustRule, { jti }: JWTPayload, token: string): string {
  const isNamed = typeof jti === 'string' && jti !== ''
  return `${issuer}\n${isNamed ? `jti ${jti}` : token.slice(0, token.lastIndexOf('.'))}`
}

const endOf = ({ exp = 0 }: JWTPayload) => new Date((exp + TOLERANCE_SECONDS) * 1000)
