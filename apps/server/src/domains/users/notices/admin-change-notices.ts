import type { Kernel } from '../../../kernel/kernel.ts'
import { notify } from '../../notifications/index.ts'

/**
 * Tells a person that somebody else has set their password or SSH key
 * (docs/rules/notifications.md#person_kinds).
 */
export function notifyOfAdminChange(kernel: Kernel, userId: string, what: 'password' | 'key'): Promise<void> {
  return notify(kernel, [userId], (say) => ({
    subject:
      what === 'password'
        ? say('An administrator has set your password')
        : say('An administrator has set your SSH key'),
    paragraphs: [
      what === 'password'
        ? say(
            'An administrator has given you a new password. Everything that was signed in with the old one has been signed out.',
          )
        : say('An administrator has stored another SSH key for you. The one before does not sign you in any more.'),
      say('If you did not expect this, ask your administrator.'),
    ],
    link: { text: say('My profile'), path: '/ui/users/profile' },
  }))
}
