import type { Kernel } from '../../../kernel/kernel.ts'
import type { SettingsStore } from '../../settings/index.ts'
import type { usersUser } from '../../users/index.ts'

/** Ways of proving a second factor (contract/authentication.yaml `mfa`; passkeys are ours). */
export type MfaType = 'otp' | 'sms' | 'otp_radius' | 'passkey'

/** One way of proving a second factor. */
export interface SecondFactor {
  type: MfaType
  /** English text of its name. */
  label: string
  /** Whether its proof can be typed as a code; others are for browsers only. */
  isTyped: boolean
  /** Whether this installation offers it at all. */
  isOffered(settings: SettingsStore): boolean
  /** Whether this person has set it up, or needs no set-up. */
  isActive(kernel: Kernel, person: typeof usersUser.$inferSelect): boolean | Promise<boolean>
  /** Whether the code is right; a right one is taken, and counts for nobody else. The try has been counted before. */
  takeCode(kernel: Kernel, user: { id: string; username: string }, code: string): Promise<boolean>
}
