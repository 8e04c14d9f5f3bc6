/**
 * Messages to people about changes of how they sign in, so that they notice one that they did not
 * make (docs/rules/notifications.md#person_kinds).
 */
import type { Kernel } from '../../../kernel/kernel.ts'
import { notify } from '../../notifications/index.ts'

const PROFILE_PAGE = '/ui/users/profile'

/**
 * Tells a person that their password, SSH key or phone was changed in their own name, from this
 * address.
 */
export function notifyOfChange(
  kernel: Kernel,
  userId: string,
  what: 'password' | 'key' | 'phone',
  address: string,
): Promise<void> {
  return notify(kernel, [userId], (say) => ({
    subject: {
      password: say('Your password was changed'),
      key: say('Your SSH key was changed'),
      phone: say('Your phone was changed'),
    }[what],
    paragraphs: [
      {
        password: say('Your password was changed from the address {{address}}.', { address }),
        key: say('Your SSH key was changed from the address {{address}}.', { address }),
        phone: say('The phone of your account was changed from the address {{address}}.', { address }),
      }[what],
      say('If it was not you, tell an administrator at once.'),
    ],
    link: { text: say('My profile'), path: PROFILE_PAGE },
  }))
}

/** Tells a person that an administrator removed their SSH key or second factor. */
export function notifyOfReset(kernel: Kernel, userId: string, what: 'key' | 'mfa'): Promise<void> {
  return notify(kernel, [userId], (say) => ({
    subject: what === 'key' ? say('Your SSH key was removed') : say('Your second factor was reset'),
    paragraphs: [
      what === 'key'
        ? say('An administrator has removed your SSH key. You can store a new one on your profile.')
        : say(
            'An administrator has switched your second factor off: authenticator app and passkeys count no more. You can set them up again on your profile.',
          ),
    ],
    link: { text: say('My profile'), path: PROFILE_PAGE },
  }))
}
