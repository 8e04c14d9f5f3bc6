import { findUser } from '../../users/index.ts'
import { sendSmsCode, takeSmsCode } from '../sms-code/sms-code.ts'
import type { SecondFactor } from './second-factor-kind.ts'

/** Four digits sent to the person's phone (docs/rules/authentication.md#mfa). */
export const sms: SecondFactor = {
  type: 'sms',
  label: 'SMS',
  isTyped: true,
  digits: 4,
  isOffered: (settings) => settings.get('SMS_ENABLED'),
  isActive: (_kernel, person) => Boolean(person.phone),
  sentTo: (person) => maskPhone(person.phone ?? ''),
  sendCode: (kernel, person, holder) => sendSmsCode(kernel, person, 'mfa', holder),
  async takeCode(kernel, { id }, code, holder) {
    // With the phone as it is now: a code that was sent to an earlier one is void.
    const person = await findUser(kernel.db, { id })
    return person ? takeSmsCode(kernel, person, 'mfa', holder, code) : false
  },
}

/** 138****5678: enough for its owner. */
const maskPhone = (phone: string): string => phone.replace(/^(.{3}).*(.{4})$/, '$1****$2')
