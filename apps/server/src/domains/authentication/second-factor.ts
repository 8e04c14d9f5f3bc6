import { translate } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { recordLogin } from '../audits/index.ts'
import { settingsOf } from '../settings/index.ts'
import { type MfaType, secondFactor } from './factors/index.ts'
import { countMfaTry, forgetMfaFailures } from './failures.ts'
import { oneAtATime } from './one-at-a-time.ts'
import type { Visitor } from './sign-in.ts'

export interface FactorAttempt {
  user: { id: string; username: string }
  factor: MfaType
  code: string
  /** The sign-in that it is given in, by its session or connection: a code that was sent counts there only. */
  holder: string
  address: string
  type: 'W' | 'T' | 'U'
}

export type FactorRefusal = { error: 'mfa_failed' | 'block_mfa'; message: string }

/**
 * Takes a code as the second factor. A try is counted before it is looked at and forgotten when it was right, so that no number of tries at once, on any
 * node, gets more than the limit. Answers undefined when the factor is proven; refusals are in the login log.
 */
export function checkSecondFactor(kernel: Kernel, visitor: Visitor, attempt: FactorAttempt): Promise<FactorRefusal | undefined> {
  return oneAtATime(`mfa\n${attempt.user.username}`, () => check(kernel, visitor, attempt))
}

async function check(
  kernel: Kernel,
  { language, userAgent }: Visitor,
  { user, factor, code, holder, address, type }: FactorAttempt,
): Promise<FactorRefusal | undefined> {
  const { db } = kernel
  const settings = settingsOf(kernel)
  const minutes = settings.get('SECURITY_LOGIN_LIMIT_TIME')
  const left = await countMfaTry(db, settings, user.username, address)
  const taken = left >= 0 && (await secondFactor(factor)?.takeCode(kernel, user, code, holder))
  if (taken === true) {
    await forgetMfaFailures(db, user.username)
    return undefined
  }
  await recordLogin(db, {
    username: user.username,
    type,
    ip: address,
    userAgent,
    mfa: true,
    success: false,
    reason: left >= 0 ? 'mfa_failed' : 'block_mfa',
    backend: 'MFA',
  })
  return left > 0
    ? {
        error: 'mfa_failed',
        message: translate(
          language,
          taken === 'expired'
            ? 'The code has run out, please have another one sent. {{left}} tries are left, then MFA is locked for {{minutes}} minutes.'
            : 'The code is wrong or was used before. {{left}} tries are left, then MFA is locked for {{minutes}} minutes.',
          {
            left,
            minutes,
          },
        ),
      }
    : {
        error: left === 0 ? 'mfa_failed' : 'block_mfa',
        message: translate(language, 'MFA has been locked, please contact an administrator or try again after {{minutes}} minutes', {
          minutes,
        }),
      }
}
