import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../../kernel/errors/app-error.ts'
import { type Language, translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { recordLogin } from '../../audits/index.ts'
import { settingsOf } from '../../settings/index.ts'
import { findUser } from '../../users/index.ts'
import { mfaChoices, secondFactor } from '../factors/index.ts'
import { countUnknownMfa, isMfaLocked } from '../failures.ts'
import { isTooMany, tooMany } from '../password-reset-limits.ts'
import { createSession, UNFINISHED_SECONDS } from '../session.ts'
import { pendingSignIn } from '../sign-in/pending-sign-in.ts'
import { signInClientOf } from '../sign-in/sign-in.ts'

export interface ChosenFactor {
  type: string
  username: string
}

/**
 * Chooses the second factor and sends its code where there is one to send
 * (docs/rules/authentication.md#mfa): for the person whose password is proven, or who
 * is signed in on this browser; on a sign-in page that asks for both at once, for the name typed
 * there. The code is valid in this browser alone.
 */
export async function chooseFactor(
  kernel: Kernel,
  request: FastifyRequest,
  reply: FastifyReply,
  type: string,
  username: string | undefined,
): Promise<ChosenFactor> {
  const pending = await pendingSignIn(kernel, request)
  const { user, via, sessionId } = request.call
  const known = pending
    ? { id: pending.user_id, username: pending.username, holder: pending.sessionId }
    : user && via === 'session' && sessionId
      ? { id: user.id, username: user.username, holder: sessionId }
      : undefined
  // Answered alike for other people's names and unknown ones, so as not to reveal who exists.
  if (known && username && username !== known.username) throw new AppError(404, 'object_does_not_exist', 'Not found.')
  if (!known) return chooseUnproven(kernel, request, reply, type, username)
  if (!(await mfaChoices(kernel, known.id)).some((one) => one === type)) {
    const text = 'This verification method is not set up'
    throw new AppError(400, 'bad_request', text, { body: { error: translate(request.call.language, text) } })
  }
  await sendFactorCode(kernel, request.call.language, known, type, known.holder)
  return { type, username: known.username }
}

/**
 * On the sign-in page nothing has been proven yet. A name that does not exist, may not sign in, or
 * has not set up this factor always gets the same answer. It counts as a failure of a kind of its
 * own, since strangers must not be able to lock a person's second factor by naming them.
 */
async function chooseUnproven(
  kernel: Kernel,
  request: FastifyRequest,
  reply: FastifyReply,
  type: string,
  username = '',
): Promise<ChosenFactor> {
  const settings = settingsOf(kernel)
  const { language, remoteAddress: address } = request.call
  if (!username || !settings.get('SECURITY_MFA_IN_LOGIN_PAGE')) {
    const text = 'The sign-in took too long, please start again'
    throw new AppError(400, 'session_empty', text, { body: { error: 'session_empty', msg: translate(language, text) } })
  }
  if (await isTooMany(kernel.db, 'sms_ip', address)) throw tooMany()
  await refuseLocked(kernel, language, username)
  const person = await findUser(kernel.db, { username })
  const isHere =
    person?.is_active && person.role !== 'App' && !(person.date_expired && person.date_expired <= new Date())
  if (!person || !isHere || !(await mfaChoices(kernel, person.id)).some((one) => one === type)) {
    await countUnknownMfa(kernel.db, settings, username, address)
    const { userAgent } = signInClientOf(request)
    await recordLogin(kernel.db, {
      username,
      type: 'W',
      ip: address,
      userAgent,
      mfa: true,
      success: false,
      reason: 'mfa_failed',
      backend: 'MFA',
    })
    const text = 'No code can be sent for this username'
    throw new AppError(404, 'object_does_not_exist', text, { body: { error: translate(language, text) } })
  }
  // A stranger who names a person must not use up their text messages.
  if (await isTooMany(kernel.db, 'sms_name', username)) throw tooMany()
  await sendFactorCode(kernel, language, person, type, await holderOf(kernel, request, reply))
  return { type, username }
}

/** This browser's unfinished sign-in; makes one where there is none. */
async function holderOf(kernel: Kernel, request: FastifyRequest, reply: FastifyReply): Promise<string> {
  const { sessionId, user } = request.call
  return sessionId && !user ? sessionId : createSession(kernel, request, reply, { seconds: UNFINISHED_SECONDS })
}

/**
 * Sends the person a code, valid for `holder` alone, if this factor sends codes; otherwise does
 * nothing.
 * @throws AppError for too many, for what cannot be sent, and while the second factor is locked
 */
export async function sendFactorCode(
  kernel: Kernel,
  language: Language,
  { id, username }: { id: string; username: string },
  type: string,
  holder: string,
): Promise<void> {
  const factor = secondFactor(type)
  if (!factor?.sendCode) return
  await refuseLocked(kernel, language, username)
  const person = await findUser(kernel.db, { id })
  if (person) await factor.sendCode(kernel, person, holder)
}

/** Refuses to send codes to somebody whose second factor is locked. */
async function refuseLocked(kernel: Kernel, language: Language, username: string): Promise<void> {
  const settings = settingsOf(kernel)
  if (!(await isMfaLocked(kernel.db, settings, username))) return
  const msg = translate(
    language,
    'MFA has been locked, please contact an administrator or try again after {{minutes|minute|minutes}}',
    {
      minutes: settings.get('SECURITY_LOGIN_LIMIT_TIME'),
    },
  )
  throw new AppError(400, 'block_mfa', msg, { body: { error: 'block_mfa', msg } })
}
