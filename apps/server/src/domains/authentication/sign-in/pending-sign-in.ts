import { WIRE } from '@sallyport/contract/constants.ts'
import { and, eq, isNull, sql } from 'drizzle-orm'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { hashKey } from '../../../kernel/access/random-secret.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { createSession, UNFINISHED_SECONDS } from '../session.ts'
import { authenticationSession, type OutsideSession, type ProvenSignIn } from '../tables.ts'

/** A sign-in whose first factor is proven, and its unfinished session. */
export interface PendingSignIn extends ProvenSignIn {
  sessionId: string
  outside?: OutsideSession | undefined
}

/**
 * Stores a proven first factor for ten minutes, always under a new key: one planted in the browser
 * before is worthless. The session counts as anonymous until the sign-in is finished. `outside`
 * becomes the finished session's.
 */
export async function rememberProven(
  kernel: Kernel,
  request: FastifyRequest,
  reply: FastifyReply,
  proven: ProvenSignIn,
  outside?: OutsideSession,
): Promise<PendingSignIn> {
  await forgetUnfinished(kernel, request)
  const sessionId = await createSession(kernel, request, reply, {
    seconds: UNFINISHED_SECONDS,
    state: { proven, ...(outside ? { outside } : {}) },
  })
  return { ...proven, sessionId, outside }
}

/**
 * What this client has proven so far. Found by the cookie alone: components sign their calls and
 * pass a person's cookie along.
 */
export async function pendingSignIn(kernel: Kernel, request: FastifyRequest): Promise<PendingSignIn | undefined> {
  const where = unfinishedOf(request)
  if (!where) return undefined
  const [row] = await kernel.db
    .select({ id: authenticationSession.id, state: authenticationSession.state })
    .from(authenticationSession)
    .where(where)
  return row?.state.proven && { ...row.state.proven, sessionId: row.id, outside: row.state.outside }
}

/**
 * Stores what has been proven meanwhile; with `seconds`, the sign-in may go on for that long from
 * now.
 */
export async function updateProven(
  kernel: Kernel,
  { sessionId }: PendingSignIn,
  change: Partial<ProvenSignIn>,
  seconds?: number,
): Promise<void> {
  await kernel.pool.query(
    `UPDATE authentication_session
     SET state = jsonb_set(state, '{proven}', (state->'proven') || $2::jsonb),
       date_expired = greatest(date_expired, now() + make_interval(secs => $3))
     WHERE id = $1 AND user_id IS NULL AND state ? 'proven'`,
    [sessionId, JSON.stringify(change), seconds ?? 0],
  )
}

/**
 * Stores that the second factor is proven; `mfa_at` makes it count for calls that show secrets as
 * well.
 */
export const markSecondFactor = (
  kernel: Kernel,
  pending: PendingSignIn,
  at: Pick<ProvenSignIn, 'mfa_at'> = {},
): Promise<void> => updateProven(kernel, pending, { mfa: true, ...at })

/** Ends the pending state; true for one caller only, who finishes the sign-in. */
export async function claimPending(kernel: Kernel, { sessionId }: PendingSignIn): Promise<boolean> {
  const gone = await kernel.db
    .delete(authenticationSession)
    .where(eq(authenticationSession.id, sessionId))
    .returning({ id: authenticationSession.id })
  return gone.length === 1
}

async function forgetUnfinished(kernel: Kernel, request: FastifyRequest): Promise<void> {
  const where = unfinishedOf(request)
  if (where) await kernel.db.delete(authenticationSession).where(where)
}

function unfinishedOf(request: FastifyRequest) {
  const cookie = request.cookies[WIRE.sessionCookie]
  if (!cookie) return undefined
  return and(
    eq(authenticationSession.key_hash, hashKey(cookie)),
    isNull(authenticationSession.user_id),
    sql`${authenticationSession.date_expired} > now()`,
  )
}
