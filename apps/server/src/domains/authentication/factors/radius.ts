import { settingsOf } from '../../settings/index.ts'
import { askRadius } from '../radius/ask-radius.ts'
import { firstServer } from '../radius/sources.ts'
import type { SecondFactor } from './second-factor-kind.ts'

/**
 * Codes that a RADIUS server knows, checked as the person's password there
 * (docs/rules/authentication.md#mfa). Everybody can use them except people who sign in with their
 * RADIUS password: the same secret, or the next code of the same device, is no second factor.
 */
export const otpRadius: SecondFactor = {
  type: 'otp_radius',
  label: 'Radius',
  isTyped: true,
  isOffered: (settings) => settings.get('OTP_IN_RADIUS'),
  isActive: (_kernel, { source }) => source !== 'radius',
  async takeCode(kernel, { username }, code) {
    try {
      const { answer } = await askRadius(firstServer(settingsOf(kernel)), username, code)
      if (answer === 'challenge')
        kernel.app.log.warn({ username }, 'the RADIUS server asks a question back instead of checking the code')
      return answer === 'accept'
    } catch (error) {
      kernel.app.log.warn({ err: error, username }, 'the RADIUS server could not be asked about a code')
      return false
    }
  },
}
