/**
 * What OpenID, CAS and SAML 2 share: the start that an answer must match, and the way from a proof
 * to a session.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { recordLogin } from '../../audits/index.ts'
import { settingsOf } from '../../settings/index.ts'
import { USER_CHANGED } from '../../users/index.ts'
import { LOCAL_LOGIN_PAGE } from '../login-pages.ts'
import { createSession, startSession, UNFINISHED_SECONDS, unfinishedSession } from '../session.ts'
import { takeState } from '../session-state.ts'
import { pageOf } from '../sign-in/login-guard.ts'
import { rememberProven } from '../sign-in/pending-sign-in.ts'
import { admitProven, signInClientOf, type ThirdParty } from '../sign-in/sign-in.ts'
import type { OutsideSession, SignInState } from '../tables.ts'
import { type OutsideAccount, personOf } from './outside-account.ts'

/** Their names in the login log. */
const BACKENDS: Readonly<Record<OutsideSession['source'], ThirdParty>> = {
  openid: 'OpenID',
  cas: 'CAS',
  saml2: 'SAML2',
}

/** Requests at a time to all providers together: a slow provider must not pile up sign-ins. */
const MAX_ASKING = 50
let asking = 0

export const OUTSIDE_TEXT = {
  off: 'Sign-in by {{name}} is not enabled',
  misconfigured: 'Sign-in by {{name}} is not set up correctly, please tell an administrator',
  runOut: 'The sign-in took too long, please start again',
  refused: 'The sign-in provider did not sign you in. Start again, or tell an administrator.',
  noUsername: 'The sign-in provider does not tell your username. Tell an administrator.',
  unreachable: 'The sign-in provider cannot be reached. Try again later, or tell an administrator.',
}

/** Under which key of the session's state a start is stored. */
export type Start = 'openid' | 'cas' | 'saml2'
/** The stored start of a sign-in, which the answer of such a provider must match. */
export type StartOf<K extends Start> = NonNullable<SignInState[K]>

/**
 * Stores what the provider's answer must match, in a new session: one that was planted in the
 * browser is not used.
 */
export function rememberStart<K extends Start>(
  kernel: Kernel,
  request: FastifyRequest,
  reply: FastifyReply,
  key: K,
  started: StartOf<K>,
): Promise<string> {
  return createSession(kernel, request, reply, { seconds: UNFINISHED_SECONDS, state: { [key]: started } })
}

/** The start of this browser's sign-in, for one caller only: it is used up. */
export async function takeStart<K extends Start>(
  kernel: Kernel,
  request: FastifyRequest,
  key: K,
): Promise<StartOf<K> | undefined> {
  return takeState<StartOf<K>>(kernel, request.call.sessionId, key, { where: 'user_id IS NULL', values: [] })
}

/**
 * Asks a provider, or reads its answer, unless too many requests are running. Answers a keyword for
 * why nobody was proven; details are logged.
 */
export async function askProvider<T extends object>(
  kernel: Kernel,
  name: string,
  work: () => Promise<T>,
): Promise<T | 'refused' | 'unreachable'> {
  if (asking >= MAX_ASKING) return 'unreachable'
  asking++
  try {
    return await work()
  } catch (error) {
    logFault(kernel, name, error)
    return isUnreachable(error) ? 'unreachable' : 'refused'
  } finally {
    asking--
  }
}

/**
 * Signs in the person whom a provider has proven, or leads on to what is still needed, or back to
 * the sign-in page with a refusal.
 */
export async function admit(
  kernel: Kernel,
  request: FastifyRequest,
  reply: FastifyReply,
  account: OutsideAccount,
  session: Omit<OutsideSession, 'source'>,
  next: string,
): Promise<FastifyReply> {
  const { source } = account
  const backend = BACKENDS[source]
  const address = request.call.remoteAddress
  const signInClient = signInClientOf(request)
  const create = account.create && !settingsOf(kernel).get('ONLY_ALLOW_EXIST_USER_AUTH')
  const person = await personOf(kernel, { ...account, create })
  if ('text' in person) {
    const { username, reason, text, values } = person
    const who = { username: username.slice(0, 128), type: 'W' as const, ip: address, userAgent: signInClient.userAgent }
    await recordLogin(kernel.db, { ...who, success: false, reason, backend })
    return refuse(kernel, request, reply, text, values)
  }
  const answer = await admitProven(kernel, signInClient, { address, type: 'W' }, person.userId, backend)
  if ('error' in answer) return refuseInWords(kernel, request, reply, answer.message)
  const outside = { source, ...session }
  if ('due' in answer) {
    await rememberProven(kernel, request, reply, { ...answer.proven, next }, outside)
    return reply.redirect(pageOf(answer.due))
  }
  await startSession(kernel, request, reply, answer.user, false, { outside })
  return reply.redirect(next)
}

export const refuse = (
  kernel: Kernel,
  request: FastifyRequest,
  reply: FastifyReply,
  text: string,
  values?: Record<string, unknown>,
): Promise<FastifyReply> => refuseInWords(kernel, request, reply, translate(request.call.language, text, values))

/** To the sign-in page, which shows the message and redirects nowhere. */
async function refuseInWords(
  kernel: Kernel,
  request: FastifyRequest,
  reply: FastifyReply,
  refusal: string,
): Promise<FastifyReply> {
  await unfinishedSession(kernel, request, reply, { refusal })
  return reply.redirect(LOCAL_LOGIN_PAGE)
}

/**
 * Ends the sessions, finished or not, that a provider names by one of these keys, and the
 * confirmations for keys of SSH that were made in them.
 */
export async function endOutsideSessions(kernel: Kernel, keys: readonly string[]): Promise<void> {
  const { rows } = await kernel.pool.query<{ user_id: string | null }>(
    `WITH held AS (DELETE FROM authentication_browser_hold WHERE outside_keys && $1)
     DELETE FROM authentication_session WHERE state ? 'outside' AND state #> '{outside,keys}' ?| $1 RETURNING user_id`,
    [keys],
  )
  for (const user_id of new Set(rows.map((row) => row.user_id)))
    if (user_id) await kernel.events.publish(USER_CHANGED, { user_id })
}

/** Whether the provider gave neither an answer nor a refusal. */
function isUnreachable(error: unknown): boolean {
  const { name, code, message } = error as { name?: string; code?: string; message?: string }
  return name === 'TimeoutError' || code === 'OAUTH_TIMEOUT' || message === 'fetch failed'
}

/** Logs words and codes only: other parts of these errors may contain tokens. */
export function logFault(kernel: Kernel, name: string, error: unknown): void {
  const parts: string[] = []
  for (let one: unknown = error; one instanceof Error && parts.length < 4; one = one.cause)
    parts.push(
      [(one as { code?: string }).code, one.message, (one as { error_description?: string }).error_description]
        .filter(Boolean)
        .join(' '),
    )
  kernel.app.log.warn({ reason: parts.join(': ').slice(0, 1000) }, `a sign-in by ${name} failed`)
}
