import { sql } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { callerOf } from '../../../../kernel/access/call.ts'
import { AppError } from '../../../../kernel/errors/app-error.ts'
import { translate } from '../../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../../kernel/kernel.ts'
import { oneAtATime } from '../../../../kernel/one-at-a-time.ts'
import { settingsOf } from '../../../settings/index.ts'
import { findUser, type User } from '../../../users/index.ts'
import { isPasswordOf } from '../../../users/password/index.ts'
import { countFailure, findLock, forgetFailures } from '../../failures.ts'
import { proveOutside } from '../../outside-password/prove-outside.ts'
import { pendingSignIn } from '../../sign-in/pending-sign-in.ts'

/** How long a proven password counts (docs/rules/users.md#password_verify). */
const PROOF_SECONDS = 600

/** Sources whose people have a password that we can check: our own, and directories. */
const WITH_PASSWORD: ReadonlySet<string> = new Set(['local', 'ldap', 'radius'])

const body = z.object({ password: z.string().max(1024) })
const LOCKED =
  'The account has been locked, please contact an administrator or try again after {{minutes|minute|minutes}}'

/** Somebody who may be asked for their password, and the session that stores that it was right. */
export interface Prover {
  id: string
  username: string
  sessionId: string | undefined
}

/** The person of a browser session or of a proven first factor; undefined for nobody. */
export async function proverOf(kernel: Kernel, request: FastifyRequest): Promise<Prover | undefined> {
  const { user, via, sessionId } = request.call
  if (user && via === 'session') return { id: user.id, username: user.username, sessionId }
  const pending = await pendingSignIn(kernel, request)
  return pending && { id: pending.user_id, username: pending.username, sessionId: pending.sessionId }
}

/** POST /api/v1/authentication/password/verify/. */
export function registerPasswordProof(kernel: Kernel): void {
  kernel.app.route({
    method: 'POST',
    url: '/api/v1/authentication/password/verify/',
    config: { access: ['authenticated'], summary: 'Prove my password', takes: body },
    handler: async (request) => {
      const { id, username } = callerOf(request.call)
      await provePassword(kernel, request, { id, username, sessionId: request.call.sessionId })
      return ''
    },
  })
}

/**
 * Checks the password in a request's body and stores in the session that it was right. Wrong ones
 * count as failed sign-ins, so that a finder of an open browser can't guess. Throws 400
 * `passwd_invalid`.
 */
export function provePassword(
  kernel: Kernel,
  request: FastifyRequest,
  { id, username, sessionId }: Prover,
): Promise<void> {
  const { language, remoteAddress: address } = request.call
  const read = body.safeParse(request.body ?? {})
  const wrong = (text: string, values?: Record<string, unknown>) =>
    new AppError(400, 'passwd_invalid', translate(language, text, values))
  return oneAtATime(`${username}\n${address}`, async () => {
    const { db } = kernel
    const settings = settingsOf(kernel)
    const person = await findUser(db, { id })
    if (!person || !WITH_PASSWORD.has(person.source))
      throw wrong('Your password is kept by another provider and cannot be asked for here')
    const lock = await findLock(db, settings, username, address)
    const isRight = !lock && read.success && (await isProven(kernel, person, read.data.password, address))
    if (!isRight) {
      await countFailure(db, settings, username, address)
      throw lock ? wrong(LOCKED, { minutes: lock.minutes }) : wrong('The password is incorrect')
    }
    await forgetFailures(db, username, address)
    if (sessionId)
      await kernel.pool.query(
        `UPDATE authentication_session SET state = state || jsonb_build_object('password_proven_at', now()) WHERE id = $1`,
        [sessionId],
      )
  })
}

async function isProven(kernel: Kernel, person: User, password: string, address: string): Promise<boolean> {
  if (person.source === 'local') return isPasswordOf(kernel, person, { password, username: person.username, address })
  const outside = await proveOutside(kernel, { username: person.username, password, address }, person)
  return outside !== undefined && 'username' in outside && outside.username === person.username
}

/** Whether this browser session has just proven its password; false without a browser session. */
export async function hasFreshPassword({ db }: Kernel, { call }: Pick<FastifyRequest, 'call'>): Promise<boolean> {
  if (call.via !== 'session' || !call.sessionId || !call.user) return false
  const { rows } = await db.execute(
    sql`SELECT 1 FROM authentication_session WHERE id = ${call.sessionId} AND user_id = ${call.user.id}
      AND (state->>'password_proven_at')::timestamptz > now() - make_interval(secs => ${PROOF_SECONDS})`,
  )
  return rows.length > 0
}
