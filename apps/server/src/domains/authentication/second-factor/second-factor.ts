import { translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { oneAtATime } from '../../../kernel/one-at-a-time.ts'
import { recordLogin } from '../../audits/index.ts'
import { settingsOf } from '../../settings/index.ts'
import { type MfaType, secondFactor } from '../factors/index.ts'
import { countMfaTry, forgetMfaFailures } from '../failures.ts'
import type { SignInClient } from '../sign-in/sign-in.ts'

export interface FactorAttempt {
  user: { id: string; username: string }
  factor: MfaType
  code: string
  /** Session or connection of the sign-in: a code that was sent is valid there alone. */
  holder: string
  address: string
  type: 'W' | 'T' | 'U'
}

export type FactorRefusal = { error: 'mfa_failed' | 'block_mfa'; message: string }

/**
 * The fault of an attempt: a reason of the login log, and a sentence about the attempts `left` and
 * the `minutes` of the lock.
 */
interface Wrong {
  reason: 'mfa_failed' | 'passkey_failed' | 'passkey_cloned'
  text: string
}

/** Checks a code as the second factor; see `tryFactor`. */
export function checkSecondFactor(
  kernel: Kernel,
  signInClient: SignInClient,
  attempt: FactorAttempt,
): Promise<FactorRefusal | undefined> {
  const { factor, user, code, holder } = attempt
  return tryFactor(kernel, signInClient, attempt, async () => {
    const taken = await secondFactor(factor)?.takeCode(kernel, user, code, holder)
    return taken === true ? undefined : { reason: 'mfa_failed', text: taken === 'expired' ? EXPIRED : WRONG }
  })
}

/**
 * Counts an attempt at the second factor before `look` checks it, and forgets it if it was right:
 * simultaneous attempts, on any node, can't exceed the limit. Answers undefined when the factor is
 * proven; refusals are in the login log.
 */
export function tryFactor(
  kernel: Kernel,
  signInClient: SignInClient,
  attempt: Pick<FactorAttempt, 'user' | 'address' | 'type'>,
  look: () => Promise<Wrong | undefined>,
): Promise<FactorRefusal | undefined> {
  return oneAtATime(`mfa\n${attempt.user.username}`, () => countAndLook(kernel, signInClient, attempt, look))
}

async function countAndLook(
  kernel: Kernel,
  { language, userAgent }: SignInClient,
  { user, address, type }: Pick<FactorAttempt, 'user' | 'address' | 'type'>,
  look: () => Promise<Wrong | undefined>,
): Promise<FactorRefusal | undefined> {
  const { db } = kernel
  const settings = settingsOf(kernel)
  const minutes = settings.get('SECURITY_LOGIN_LIMIT_TIME')
  const left = await countMfaTry(db, settings, user.username, address)
  const wrong = left >= 0 ? await look() : undefined
  if (left >= 0 && !wrong) {
    await forgetMfaFailures(db, user.username)
    return undefined
  }
  const { username } = user
  const reason = wrong?.reason ?? 'block_mfa'
  await recordLogin(db, { username, type, ip: address, userAgent, mfa: true, success: false, reason, backend: 'MFA' })
  if (wrong && left > 0) return { error: 'mfa_failed', message: translate(language, wrong.text, { left, minutes }) }
  return { error: left === 0 ? 'mfa_failed' : 'block_mfa', message: translate(language, LOCKED, { minutes }) }
}

const WRONG =
  'The code is wrong or was used before. {{left|try is|tries are}} left, then MFA is locked for {{minutes|minute|minutes}}.'
const EXPIRED =
  'The code has expired: have another one sent. {{left|try is|tries are}} left, then MFA is locked for {{minutes|minute|minutes}}.'
const LOCKED = 'MFA has been locked, please contact an administrator or try again after {{minutes|minute|minutes}}'
