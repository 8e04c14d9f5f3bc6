import type { Kernel } from '../../../kernel/kernel.ts'
import { cityOf, LAN, lastKnownPlace, UNKNOWN_CITY } from '../../audits/index.ts'
import { notify } from '../../notifications/index.ts'
import { settingsOf } from '../../settings/index.ts'
import { languageOfUser } from '../../users/index.ts'

interface Person {
  id: string
  username: string
  language: string | null
}

/**
 * Tells a person who signs in from another city than the last time
 * (SECURITY_CHECK_DIFFERENT_CITY_LOGIN; docs/rules/audits.md#login_log). Sign-ins from private
 * networks and unknown places don't count. Must be called before the sign-in is logged.
 */
export async function notifyOfOtherCity(
  kernel: Kernel,
  { id, username, language }: Person,
  address: string,
): Promise<void> {
  const city = cityOf(address)
  if (!settingsOf(kernel).get('SECURITY_CHECK_DIFFERENT_CITY_LOGIN') || city === LAN || city === UNKNOWN_CITY) return
  const before = await lastKnownPlace(kernel.db, username)
  if (!before || before.city === city) return
  const reader = languageOfUser(kernel, language)
  await notify(kernel, [id], (say) => ({
    subject: say('Your account was used from another city'),
    paragraphs: [
      say(
        'Somebody signed in as you from {{place}} (address {{address}}). The last time it was {{before}} (address {{beforeAddress}}).',
        {
          place: cityOf(address, reader),
          address,
          before: cityOf(before.ip, reader),
          beforeAddress: before.ip,
        },
      ),
      say('If it was not you, change your password at once and tell an administrator.'),
    ],
    link: { text: say('My active sign-ins'), path: '/ui/users/profile?activeTab=SignIns' },
  }))
}
