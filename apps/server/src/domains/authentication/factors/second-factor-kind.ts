import type { Kernel } from '../../../kernel/kernel.ts'
import type { SettingsStore } from '../../settings/index.ts'
import type { User } from '../../users/index.ts'

/** Kinds of second factors (docs/rules/authentication.md#mfa, and passkeys). */
export type MfaType = 'otp' | 'sms' | 'otp_radius' | 'passkey'

/** One kind of second factor. */
export interface SecondFactor {
  type: MfaType
  /** Its name in English. */
  label: string
  /** Whether it is proven by typing a code; if not, it is for browsers only. */
  isTyped: boolean
  /** Number of digits of its codes; absent where they have no fixed form. */
  digits?: number
  /** Whether this installation offers it at all. */
  isOffered(settings: SettingsStore): boolean
  /** Whether this person has set it up, or needs no set-up. */
  isActive(kernel: Kernel, person: User): boolean | Promise<boolean>
  /**
   * Sends this person a code that is valid for `holder` alone, where the kind sends codes. Throws
   * AppError when too many were sent or it can't be sent.
   */
  sendCode?(kernel: Kernel, person: User, holder: string): Promise<void>
  /** Where this person's codes are sent, masked. */
  sentTo?(person: User): string
  /**
   * Whether the code is right; a right one is used up. The attempt has been counted before.
   * `holder` is the session or connection of the sign-in. `expired` when no code that was sent is
   * valid any more.
   */
  takeCode(
    kernel: Kernel,
    user: { id: string; username: string },
    code: string,
    holder: string,
  ): Promise<boolean | 'expired'>
}
