import type { FastifyRequest } from 'fastify'
import { type Call, callerOf } from '../../../kernel/access/call.ts'
import { AppError, invalid, refused } from '../../../kernel/errors/app-error.ts'
import { translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { oneAtATime } from '../../../kernel/one-at-a-time.ts'
import { settingsOf } from '../../settings/index.ts'
import { findUser } from '../../users/index.ts'
import { isPasswordOf } from '../../users/password/index.ts'
import { mfaChoices } from '../factors/index.ts'
import { countFailure, findLock, forgetFailures } from '../failures.ts'
import { hasFreshMfa } from '../second-factor/fresh-mfa.ts'

/**
 * The proof that a signed-in person must repeat before their passkeys are changed, so that a finder
 * of an open browser can't. `mfa`: the second factor, in its dialog; `password`: the password, in
 * the body; `sign_in`: everything, by signing in again.
 */
export type DueProof = 'none' | 'mfa' | 'password' | 'sign_in'

/** What this caller has to prove now. */
export async function dueProof(kernel: Kernel, call: Call): Promise<DueProof> {
  if (await hasFreshMfa(kernel, call.sessionId)) return 'none'
  const { id } = callerOf(call)
  // Somebody with a second factor must prove that; the password is not enough.
  if ((await mfaChoices(kernel, id)).length) return 'mfa'
  const person = await findUser(kernel.db, { id })
  if (person?.source === 'local') return 'password'
  return (await isNewSession(kernel, call)) ? 'none' : 'sign_in'
}

async function isNewSession(kernel: Kernel, { sessionId }: Call): Promise<boolean> {
  if (!sessionId) return false
  const { rowCount } = await kernel.pool.query(
    'SELECT 1 FROM authentication_session WHERE id = $1 AND user_id IS NOT NULL AND date_created > now() - make_interval(secs => $2)',
    [sessionId, settingsOf(kernel).get('SECURITY_MFA_VERIFY_TTL')],
  )
  return rowCount === 1
}

/**
 * Throws 400 unless the caller has just proven who they are: `mfa_verify_required`, which the
 * console answers with its dialog; a message on `password`; or `sign_in_again`. Wrong passwords
 * count as failed sign-ins.
 */
export async function requireProof(
  kernel: Kernel,
  { call }: Pick<FastifyRequest, 'call'>,
  password: string,
): Promise<void> {
  switch (await dueProof(kernel, call)) {
    case 'none':
      return
    case 'mfa':
      throw new AppError(400, 'mfa_verify_required', 'Verify MFA first')
    case 'sign_in':
      throw refused('sign_in_again', 'Sign out and in again, then change your passkeys soon after')
    case 'password':
      return requirePassword(kernel, call, password)
  }
}

function requirePassword(kernel: Kernel, call: Call, password: string): Promise<void> {
  const { db } = kernel
  const settings = settingsOf(kernel)
  const { id, username } = callerOf(call)
  const address = call.remoteAddress
  return oneAtATime(`${username}\n${address}`, async () => {
    const lock = await findLock(db, settings, username, address)
    const user = await findUser(db, { id })
    if (!lock && (await isPasswordOf(kernel, user, { password, username, address })))
      return forgetFailures(db, username, address)
    await countFailure(db, settings, username, address)
    throw invalid({
      password: lock ? translate(call.language, LOCKED, { minutes: lock.minutes }) : 'The password is incorrect',
    })
  })
}

const LOCKED =
  'The account has been locked, please contact an administrator or try again after {{minutes|minute|minutes}}'
