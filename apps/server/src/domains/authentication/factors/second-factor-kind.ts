import type { Kernel } from '../../../kernel/kernel.ts'
import type { SettingsStore } from '../../settings/index.ts'
import type { User } from '../../users/index.ts'

/** Ways of proving a second factor (contract/authentication.yaml `mfa`; passkeys are ours). */
export type MfaType = 'otp' | 'sms' | 'otp_radius' | 'passkey'

/** One way of proving a second factor. */
export interface SecondFactor {
  type: MfaType
  /** English text of its name. */
  label: string
  /** Whether its proof can be typed as a code; others are for browsers only. */
  isTyped: boolean
  /** Figures of its codes; absent where they have no fixed form. */
  digits?: number
  /** Whether this installation offers it at all. */
  isOffered(settings: SettingsStore): boolean
  /** Whether this person has set it up, or needs no set-up. */
  isActive(kernel: Kernel, person: User): boolean | Promise<boolean>
  /**
   * Where codes are sent: sends one to this person, which counts for `holder` only. Throws AppError
   * for too many and for what cannot be sent.
   */
  sendCode?(kernel: Kernel, person: User, holder: string): Promise<void>
  /** Where this person's codes are sent to, masked. */
  sentTo?(person: User): string
  /**
   * Whether the code is right; a right one is taken, and counts for nobody else. The try has been
   * counted before. `holder` is the sign-in that it is given in: its session, or connection.
   * `expired` when none that was sent counts any more.
   */
  takeCode(
    kernel: Kernel,
    user: { id: string; username: string },
    code: string,
    holder: string,
  ): Promise<boolean | 'expired'>
}
