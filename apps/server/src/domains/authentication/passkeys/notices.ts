import type { Kernel } from '../../../kernel/kernel.ts'
import { notify } from '../../notifications/index.ts'

/**
 * Tells a person that one of their passkeys was added or removed, from this address, in case they
 * did not do it.
 */
export function notifyOfPasskey(
  kernel: Kernel,
  userId: string,
  what: 'added' | 'removed',
  name: string,
  address: string,
): Promise<void> {
  return notify(kernel, [userId], (say) => ({
    subject:
      what === 'added' ? say('A passkey was added to your account') : say('A passkey was removed from your account'),
    paragraphs: [
      what === 'added'
        ? say('The passkey “{{name}}” was added from the address {{address}}. It can be used to sign in as you.', {
            name,
            address,
          })
        : say(
            'The passkey “{{name}}” was removed from the address {{address}}. It can no longer be used to sign in as you.',
            {
              name,
              address,
            },
          ),
      say('If it was not you, tell an administrator at once.'),
    ],
    link: { text: say('My profile'), path: '/ui/users/profile' },
  }))
}
