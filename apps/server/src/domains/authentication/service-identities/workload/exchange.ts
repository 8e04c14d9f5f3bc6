import { eq, sql } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { hashKey, randomKey } from '../../../../kernel/access/random-secret.ts'
import { requireSameOrigin } from '../../../../kernel/access/same-origin.ts'
import { AppError } from '../../../../kernel/errors/app-error.ts'
import { userAgentOf } from '../../../../kernel/http/client-name.ts'
import { languageOf } from '../../../../kernel/i18n/language-of.ts'
import { translate } from '../../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../../kernel/kernel.ts'
import { isInIpGroup } from '../../../acls/index.ts'
import { recordLogin } from '../../../audits/index.ts'
import { settingsOf } from '../../../settings/index.ts'
import { serviceStates } from '../../../users/service-people/index.ts'
import { countFailedAddress, findLock } from '../../failures.ts'
import { stoppedIdentity, WORKLOAD_TOKEN_PREFIX } from '../stopped.ts'
import {
  authenticationServiceIdentity,
  authenticationTrustRule,
  authenticationUsedWorkloadToken,
  authenticationWorkloadToken,
} from '../tables.ts'
import { MAX_TOKEN, readWorkloadToken, type TakenToken, WorkloadRefusal } from './read-token.ts'

/** Life of a token here. */
const SECONDS = 900
const GRANT = 'urn:ietf:params:oauth:grant-type:token-exchange'
const JWT = ['urn:ietf:params:oauth:token-type:jwt', 'urn:ietf:params:oauth:token-type:id_token']
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token'

/** RFC 8693 §2.1; `client_id` is the user name of the service identity. */
const exchange = z.object({
  grant_type: z.literal(GRANT),
  client_id: z.string().min(1).max(128),
  subject_token: z.string().min(1).max(MAX_TOKEN),
  subject_token_type: z.enum(JWT),
  requested_token_type: z.literal(ACCESS_TOKEN).optional(),
})

/**
 * `POST /api/v1/authentication/workload-tokens/`: a workload brings the token that its provider gave
 * it, and is given a short one of a service identity (RFC 8693).
 */
export function registerWorkloadExchange(kernel: Kernel): void {
  kernel.app.route({
    method: 'POST',
    url: '/api/v1/authentication/workload-tokens/',
    config: {
      access: ['anonymous'],
      withoutCaller: true,
      withoutCsrf: true,
      summary: 'Exchange the token of a workload (RFC 8693)',
      takes: exchange,
    },
    onRequest: async (request) => requireSameOrigin(request),
    handler: async (request, reply) => {
      const read = exchange.safeParse(request.body ?? {})
      if (!read.success) throw refusal(request, 'invalid_request', 'This is no token exchange as RFC 8693 has it')
      const { client_id, subject_token } = read.data
      const { settings, db } = { settings: settingsOf(kernel), db: kernel.db }
      if ((await findLock(db, settings, '', request.ip))?.kind === 'block_global_ip_login')
        throw refusal(request, 'block_global_ip_login', 'Your address is blocked')
      try {
        const access_token = await take(kernel, request, client_id, subject_token)
        reply.header('Cache-Control', 'no-store')
        return { access_token, issued_token_type: ACCESS_TOKEN, token_type: 'Bearer', expires_in: SECONDS }
      } catch (error) {
        if (!(error instanceof WorkloadRefusal)) throw error
        await countFailedAddress(db, settings, request.ip)
        await log(kernel, request, client_id, { reason: error.reason, onBehalfOf: error.subject })
        throw refusal(request, 'invalid_grant', error.subject ? (WORDS_TO_KNOWN[error.reason] ?? NOT_TAKEN) : NOT_TAKEN)
      }
    },
  })
}

const NOT_TAKEN = 'The token is not accepted: the sign-in log of this system has the reason'
/** For the holder of a token whose signature is right. */
const WORDS_TO_KNOWN: Partial<Record<string, string>> = {
  workload_claims: 'No trust rule of this service identity fits the claims of the token',
  workload_used: 'This token was exchanged before: get a new one from its provider',
}

/** In the form of RFC 6749 §5.2, and in that of this API. */
function refusal(request: FastifyRequest, code: string, text: string): AppError {
  const words = translate(languageOf(request).language, text)
  return new AppError(400, code, text, { body: { error: code, error_description: words, code, detail: words } })
}

const log = (
  { db }: Pick<Kernel, 'db'>,
  request: FastifyRequest,
  username: string,
  { reason = '', onBehalfOf, id }: { reason?: string; onBehalfOf?: string | undefined; id?: string },
) =>
  recordLogin(db, {
    username,
    type: 'U',
    ip: request.ip,
    userAgent: userAgentOf(request),
    success: !reason,
    reason,
    backend: 'Workload token',
    ...(onBehalfOf ? { onBehalfOf } : {}),
    ...(id ? { id } : {}),
  })

async function take(kernel: Kernel, request: FastifyRequest, username: string, token: string): Promise<string> {
  const { db, targetAddresses } = kernel
  const rules = await db
    .select({ rule: authenticationTrustRule, ip_group: authenticationServiceIdentity.ip_group })
    .from(authenticationTrustRule)
    .innerJoin(authenticationServiceIdentity, eq(authenticationServiceIdentity.id, authenticationTrustRule.identity))
    .where(sql`${eq(authenticationServiceIdentity.username, username)} AND ${authenticationTrustRule.is_active}`)
  const taken = await readWorkloadToken(
    rules.map(({ rule }) => rule),
    token,
    (address, port) => targetAddresses.judge(address, port),
  )
  if (!isInIpGroup(request.ip, rules[0]?.ip_group ?? []))
    throw new AppError(401, 'not_authenticated', 'This token may not be used from your address.')
  const { identity } = taken.rule
  if ((await serviceStates(db, [identity])).get(identity) !== 'active') throw await stoppedIdentity(kernel, identity)
  return issue(kernel, request, username, taken)
}

/** Uses the provider's token up, and stores the one for it as a hash. */
async function issue(kernel: Kernel, request: FastifyRequest, username: string, taken: TakenToken): Promise<string> {
  const { rule, subject, identifier, expires } = taken
  const token = WORKLOAD_TOKEN_PREFIX + randomKey()
  await kernel.db.transaction(async (db) => {
    if (!rule.is_reusable) {
      const first = await db
        .insert(authenticationUsedWorkloadToken)
        .values({ token_hash: hashKey(identifier), date_expired: expires })
        .onConflictDoNothing()
        .returning({ token_hash: authenticationUsedWorkloadToken.token_hash })
      if (!first.length) throw new WorkloadRefusal('workload_used', subject)
    }
    const id = await log({ db }, request, username, { onBehalfOf: subject })
    await db.insert(authenticationWorkloadToken).values({
      id,
      org_id: rule.org_id,
      identity: rule.identity,
      rule: rule.id,
      token_hash: hashKey(token),
      subject,
      remote_addr: request.ip,
      date_expired: sql`now() + make_interval(secs => ${SECONDS})`,
    })
  })
  return token
}
