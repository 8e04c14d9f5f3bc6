import type { Kernel } from '../../../kernel/kernel.ts'
import { settingsOf } from '../../settings/index.ts'
import { findUser } from '../../users/index.ts'
import { otp } from './otp.ts'
import { passkey } from './passkey.ts'
import { otpRadius } from './radius.ts'
import type { MfaType, SecondFactor } from './second-factor-kind.ts'
import { sms } from './sms.ts'

export type { MfaType, SecondFactor } from './second-factor-kind.ts'

/** Every kind of second factor, in the order in which people choose among them. */
const SECOND_FACTORS: readonly SecondFactor[] = [otp, passkey, sms, otpRadius]

/** The second factor of that name; undefined for an unknown one. */
export const secondFactor = (type: string): SecondFactor | undefined => SECOND_FACTORS.find((one) => one.type === type)

/** The second factors that this installation offers. */
export function offeredFactors(kernel: Kernel): SecondFactor[] {
  const settings = settingsOf(kernel)
  return SECOND_FACTORS.filter((one) => one.isOffered(settings))
}

/** The second factors that this person can use now. */
export async function mfaChoices(kernel: Kernel, userId: string): Promise<MfaType[]> {
  const person = await findUser(kernel.db, { id: userId })
  if (!person) return []
  const active: MfaType[] = []
  for (const factor of offeredFactors(kernel)) if (await factor.isActive(kernel, person)) active.push(factor.type)
  return active
}

/**
 * The message where a code must be typed and the person has none to type: over SSH and to programs.
 */
export const noCodeText = (choices: readonly MfaType[]): string => (choices.length ? BROWSER_ONLY : NOT_SET_UP)
const NOT_SET_UP = 'MFA is required: sign in with a browser once to set it up'
const BROWSER_ONLY =
  'Your second factor works in browsers only: sign in with one and set up an authenticator app on your profile, too'

/** Those that work without a browser: over SSH and for programs. */
export const typedChoices = (choices: readonly MfaType[]): MfaType[] =>
  choices.filter((type) => secondFactor(type)?.isTyped)
