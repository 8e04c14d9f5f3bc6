import { WIRE } from '@sallyport/contract/constants.ts'
import { and, eq, ne, sql } from 'drizzle-orm'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { hashKey, randomKey, randomText } from '../../kernel/access/random-secret.ts'
import { userAgentOf } from '../../kernel/http/client-name.ts'
import { COOKIE_VALUES } from '../../kernel/i18n/language-of.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { settingsOf } from '../settings/index.ts'
import { ownLanguage, USER_CHANGED } from '../users/index.ts'
import { noteSiteAddress } from './site-address.ts'
import { authenticationSession, type SignInState } from './tables.ts'

/** How long an unfinished sign-in is kept. */
export const UNFINISHED_SECONDS = 600
const CSRF_LENGTH = 64
/** As the console keeps a choice. */
const LANGUAGE_SECONDS = 3650 * 86_400

const cookieOptions = (request: FastifyRequest) => ({
  path: '/',
  sameSite: 'lax' as const,
  secure: request.protocol === 'https',
})

/**
 * Signs a person in on this browser, under the id of the row in the sign-in log, and always under a new key, so that one planted before sign-in is
 * worthless. `remember` keeps the cookie when the browser closes, where that is allowed; `state` is
 * stored with the session. Where people may use one browser at a time, their others are signed out.
 */
export async function startSession(
  kernel: Kernel,
  request: FastifyRequest,
  reply: FastifyReply,
  { id: userId, signInId }: { id: string; signInId: string },
  remember = false,
  state: SignInState = {},
): Promise<void> {
  const seconds = settingsOf(kernel).get('SESSION_COOKIE_AGE')
  if (request.call.sessionId)
    await kernel.db.delete(authenticationSession).where(eq(authenticationSession.id, request.call.sessionId))
  const stays = remember && !settingsOf(kernel).get('SESSION_EXPIRE_AT_BROWSER_CLOSE_FORCE')
  const id = await createSession(kernel, request, reply, {
    id: signInId,
    userId,
    seconds,
    state,
    ...(stays ? { maxAge: seconds } : {}),
  })
  if (settingsOf(kernel).get('USER_LOGIN_SINGLE_MACHINE_ENABLED')) {
    await kernel.db
      .delete(authenticationSession)
      .where(and(eq(authenticationSession.user_id, userId), ne(authenticationSession.id, id)))
    await kernel.events.publish(USER_CHANGED, { user_id: userId })
  }
  setCsrfCookie(request, reply, true)
  await bringLanguage(kernel, request, reply, userId)
  await noteSiteAddress(kernel, request, userId)
}

/** A person's own language comes along to a browser that has none. */
async function bringLanguage(
  kernel: Kernel,
  request: FastifyRequest,
  reply: FastifyReply,
  userId: string,
): Promise<void> {
  const language = request.call.isLanguageKnown ? undefined : await ownLanguage(kernel, userId)
  if (language)
    reply.setCookie(WIRE.languageCookie, COOKIE_VALUES[language], {
      ...cookieOptions(request),
      maxAge: LANGUAGE_SECONDS,
    })
}

/**
 * A session for somebody who is not signed in yet, to store the state of the sign-in; adds to what
 * is stored there.
 */
export async function unfinishedSession(
  kernel: Kernel,
  request: FastifyRequest,
  reply: FastifyReply,
  state: SignInState,
): Promise<void> {
  if (request.call.sessionId && !request.call.user) {
    await kernel.db
      .update(authenticationSession)
      .set({ state: sql`${authenticationSession.state} || ${JSON.stringify(state)}::jsonb` })
      .where(eq(authenticationSession.id, request.call.sessionId))
    return
  }
  await createSession(kernel, request, reply, { seconds: UNFINISHED_SECONDS, state })
}

/** Makes a session under a new key; answers its id. */
export async function createSession(
  kernel: Kernel,
  request: FastifyRequest,
  reply: FastifyReply,
  options: { id?: string; userId?: string; seconds: number; state?: SignInState; maxAge?: number },
): Promise<string> {
  const key = randomKey()
  const [row] = await kernel.db
    .insert(authenticationSession)
    .values({
      ...(options.id ? { id: options.id } : {}),
      key_hash: hashKey(key),
      user_id: options.userId ?? null,
      state: options.state ?? {},
      remote_addr: request.call.remoteAddress,
      user_agent: userAgentOf(request),
      date_expired: sql`now() + make_interval(secs => ${options.seconds})`,
    })
    .returning({ id: authenticationSession.id })
  if (!row) throw new Error('the session was not stored')
  reply.setCookie(WIRE.sessionCookie, key, {
    ...cookieOptions(request),
    httpOnly: true,
    ...(options.maxAge ? { maxAge: options.maxAge } : {}),
  })
  return row.id
}

/** The stored state of this browser's sign-in. */
export async function sessionState(kernel: Kernel, request: FastifyRequest): Promise<SignInState> {
  if (!request.call.sessionId) return {}
  const [row] = await kernel.db
    .select({ state: authenticationSession.state })
    .from(authenticationSession)
    .where(eq(authenticationSession.id, request.call.sessionId))
  return row?.state ?? {}
}

/** Signs this browser out. */
export async function endSession(kernel: Kernel, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const { sessionId, user } = request.call
  if (sessionId) await kernel.db.delete(authenticationSession).where(eq(authenticationSession.id, sessionId))
  if (sessionId && user) await kernel.events.publish(USER_CHANGED, { user_id: user.id })
  reply.clearCookie(WIRE.sessionCookie, { path: '/' })
  reply.clearCookie(WIRE.csrfCookie, { path: '/' })
}

/**
 * The CSRF token, which our own scripts can read and repeat in a header. A new one at every
 * sign-in.
 */
export function setCsrfCookie(request: FastifyRequest, reply: FastifyReply, fresh = false): void {
  if (!fresh && request.cookies[WIRE.csrfCookie]) return
  reply.setCookie(WIRE.csrfCookie, randomText(CSRF_LENGTH), cookieOptions(request))
}
