import type { FastifyReply, FastifyRequest } from 'fastify'
import { buildAuthorizationUrl, calculatePKCECodeChallenge, randomNonce, randomPKCECodeVerifier, randomState } from 'openid-client'
import { translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { singleValues } from '../../../kernel/resource/query.ts'
import { recordLogin } from '../../audits/index.ts'
import { settingsOf } from '../../settings/index.ts'
import { pageOf } from '../login-guard.ts'
import { LOCAL_LOGIN_PAGE, OPENID_LOGIN } from '../login-methods.ts'
import { HOME, safeNext } from '../next-address.ts'
import { rememberProven } from '../pending-sign-in.ts'
import { createSession, startSession, UNFINISHED_SECONDS, unfinishedSession } from '../session.ts'
import { admitOutsider, visitorOf } from '../sign-in.ts'
import type { OpenidStart } from '../tables.ts'
import { personOf } from './person.ts'
import { openidProvider, ownAddress } from './provider.ts'
import { redeem } from './redeem.ts'

const CALLBACK = '/core/auth/openid/callback/'
const BACKEND = 'OpenID'

/** At the same time; a slow provider must not pile up sign-ins. */
const MAX_ASKING = 50
let asking = 0

const TEXT = {
  off: 'Sign-in by OpenID is not enabled',
  misconfigured: 'Sign-in by OpenID is not set up correctly, please tell an administrator',
  runOut: 'The sign-in has run out, please start again',
  refused: 'The sign-in provider did not sign you in. Start again, or tell an administrator.',
  unreachable: 'The sign-in provider cannot be asked now. Try again later, or tell an administrator.',
}

/** Sign-in by OpenID Connect: authorization code with PKCE (contract/authentication.yaml `login_page`). */
export function registerOpenid(kernel: Kernel): void {
  const { app } = kernel
  app.route({
    method: 'GET',
    url: OPENID_LOGIN,
    config: { access: ['anonymous'], summary: 'To the OpenID provider, to sign in' },
    handler: async (request, reply) => {
      const next = safeNext(singleValues(request.query).next)
      if (request.call.user) return reply.redirect(next)
      if (!settingsOf(kernel).get('AUTH_OPENID')) return refuse(kernel, request, reply, TEXT.off)
      try {
        return reply.redirect(await start(kernel, request, reply, next))
      } catch (error) {
        logFault(kernel, error)
        return refuse(kernel, request, reply, TEXT.misconfigured)
      }
    },
  })
  app.route({
    method: 'GET',
    url: CALLBACK,
    config: { access: ['anonymous'], summary: 'Back from the OpenID provider' },
    handler: async (request, reply) => {
      if (request.call.user) return reply.redirect(HOME)
      if (!settingsOf(kernel).get('AUTH_OPENID')) return refuse(kernel, request, reply, TEXT.off)
      const started = await takeStart(kernel, request)
      return started ? finish(kernel, request, reply, started) : refuse(kernel, request, reply, TEXT.runOut)
    },
  })
}

/** Remembers what the answer must match, and tells where the provider asks who somebody is. */
async function start(kernel: Kernel, request: FastifyRequest, reply: FastifyReply, next: string): Promise<string> {
  const settings = settingsOf(kernel)
  const { config } = openidProvider(settings)
  const verifier = randomPKCECodeVerifier()
  const useState = settings.get('AUTH_OPENID_USE_STATE')
  const started: OpenidStart = {
    next,
    verifier,
    ...(useState ? { state: randomState() } : {}),
    // One of the two ties the answer to this browser whether or not the provider knows PKCE.
    ...(settings.get('AUTH_OPENID_USE_NONCE') || !useState ? { nonce: randomNonce() } : {}),
  }
  const scopes = settings.get('AUTH_OPENID_SCOPES').split(/[\s,]+/)
  const address = buildAuthorizationUrl(config, {
    redirect_uri: ownAddress(settings, CALLBACK),
    scope: [...new Set(['openid', ...scopes])].filter(Boolean).join(' '),
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...(started.state ? { state: started.state } : {}),
    ...(started.nonce ? { nonce: started.nonce } : {}),
  })
  // A session of its own: it lives its full time, and one that was planted in the browser is left behind.
  await createSession(kernel, request, reply, { seconds: UNFINISHED_SECONDS, state: { openid: started } })
  return address.href
}

/** What this browser's sign-in began with; for one caller only. */
async function takeStart(kernel: Kernel, request: FastifyRequest): Promise<OpenidStart | undefined> {
  if (!request.call.sessionId) return undefined
  const { rows } = await kernel.pool.query<{ openid: OpenidStart | null }>(
    `UPDATE authentication_session SET state = state - 'openid'
     WHERE id = $1 AND user_id IS NULL AND state ? 'openid' AND date_expired > now() RETURNING old.state->'openid' AS openid`,
    [request.call.sessionId],
  )
  return rows[0]?.openid ?? undefined
}

async function finish(kernel: Kernel, request: FastifyRequest, reply: FastifyReply, started: OpenidStart): Promise<FastifyReply> {
  const settings = settingsOf(kernel)
  if (asking >= MAX_ASKING) return refuse(kernel, request, reply, TEXT.unreachable)
  let proof: Awaited<ReturnType<typeof redeem>>
  let issuer: string
  asking++
  try {
    const provider = openidProvider(settings)
    issuer = provider.issuer
    const callback = new URL(ownAddress(settings, CALLBACK))
    callback.search = new URL(request.url, 'http://here.invalid').search
    proof = await redeem(settings, provider, callback, started)
  } catch (error) {
    logFault(kernel, error)
    return refuse(kernel, request, reply, isUnreachable(error) ? TEXT.unreachable : TEXT.refused)
  } finally {
    asking--
  }
  const address = request.call.remoteAddress
  const visitor = visitorOf(request)
  const person = await personOf(kernel, issuer, proof)
  if ('text' in person) {
    const { username, reason, text, values } = person
    const who = { username: username.slice(0, 128), type: 'W' as const, ip: address, userAgent: visitor.userAgent }
    await recordLogin(kernel.db, { ...who, success: false, reason, backend: BACKEND })
    return refuse(kernel, request, reply, text, values)
  }
  const answer = await admitOutsider(kernel, visitor, { address, type: 'W' }, person.userId, BACKEND)
  if ('error' in answer) return refuseInWords(kernel, request, reply, answer.message)
  const openid_token = kernel.secrets.seal(proof.idToken).toString('base64')
  if ('due' in answer) {
    await rememberProven(kernel, request, reply, { ...answer.proven, next: started.next, openid_token })
    return reply.redirect(pageOf(answer.due))
  }
  await startSession(kernel, request, reply, answer.user.id, false, { openid_token })
  return reply.redirect(started.next)
}

const refuse = (kernel: Kernel, request: FastifyRequest, reply: FastifyReply, text: string, values?: Record<string, unknown>) =>
  refuseInWords(kernel, request, reply, translate(request.call.language, text, values))

/** To the sign-in page, which shows the words and leads nowhere by itself. */
async function refuseInWords(kernel: Kernel, request: FastifyRequest, reply: FastifyReply, refusal: string): Promise<FastifyReply> {
  await unfinishedSession(kernel, request, reply, { refusal })
  return reply.redirect(LOCAL_LOGIN_PAGE)
}

/** Neither an answer nor a refusal came from the provider. */
function isUnreachable(error: unknown): boolean {
  const { name, code, message } = error as { name?: string; code?: string; message?: string }
  return name === 'TimeoutError' || code === 'OAUTH_TIMEOUT' || message === 'fetch failed'
}

/** Words and codes only: what else hangs on these errors may hold tokens. */
function logFault(kernel: Kernel, error: unknown): void {
  const parts: string[] = []
  for (let one: unknown = error; one instanceof Error && parts.length < 4; one = one.cause)
    parts.push(
      [(one as { code?: string }).code, one.message, (one as { error_description?: string }).error_description].filter(Boolean).join(' '),
    )
  kernel.app.log.warn({ reason: parts.join(': ').slice(0, 1000) }, 'a sign-in by OpenID failed')
}
