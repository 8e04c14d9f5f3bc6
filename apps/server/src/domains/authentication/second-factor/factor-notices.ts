import type { Kernel } from '../../../kernel/kernel.ts'
import { notify } from '../../notifications/index.ts'

/** Tells a person that an authenticator app was set up or removed for them, from this address. */
export function tellOfApp(
  kernel: Kernel,
  userId: string,
  what: 'set up' | 'taken off',
  address: string,
): Promise<void> {
  return notify(kernel, [userId], (say) => ({
    subject: what === 'set up' ? say('An authenticator app was set up') : say('Your authenticator app was taken off'),
    paragraphs: [
      what === 'set up'
        ? say('An authenticator app was set up for your account from the address {{address}}.', { address })
        : say('The authenticator app of your account was taken off from the address {{address}}.', { address }),
      say('If it was not you, tell an administrator at once.'),
    ],
    link: { text: say('My profile'), path: '/ui/users/profile' },
  }))
}
