import { takeOtpCode } from '../../users/profile/index.ts'
import type { SecondFactor } from './second-factor-kind.ts'

/** Time-based codes of an authenticator app (RFC 6238). */
export const otp: SecondFactor = {
  type: 'otp',
  label: 'OTP',
  isTyped: true,
  digits: 6,
  isOffered: () => true,
  isActive: (_kernel, person) => person.otp_secret_sealed !== null,
  takeCode: (kernel, { id }, code) => takeOtpCode(kernel, kernel.db, id, code),
}
