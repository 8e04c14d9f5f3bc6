import type { Kernel } from '../../../../kernel/kernel.ts'
import { type Messenger, notify } from '../../../notifications/index.ts'
import { PROFILE_PAGE } from './paths.ts'

/**
 * Tells a person that a messenger was bound to their account or removed, from this address, so that
 * they notice one that they did not want.
 */
export function notifyOfBinding(
  kernel: Kernel,
  userId: string,
  messenger: Messenger,
  what: 'bound' | 'unbound' | 'unbound_by_administrator',
  address: string,
): Promise<void> {
  return notify(kernel, [userId], (say) => {
    const values = { name: say(messenger.title), address }
    return {
      subject:
        what === 'bound'
          ? say('{{name}} was bound to your account', values)
          : say('{{name}} was unbound from your account', values),
      paragraphs: [
        what === 'bound'
          ? say(
              '{{name}} was bound to your account from the address {{address}}. You can sign in by its QR code now.',
              values,
            )
          : what === 'unbound'
            ? say('{{name}} was unbound from your account from the address {{address}}.', values)
            : say(
                'An administrator has unbound {{name}} from your account. You can bind it again on your profile.',
                values,
              ),
        say('If it was not you, tell an administrator at once.'),
      ].slice(0, what === 'unbound_by_administrator' ? 1 : 2),
      link: { text: say('My profile'), path: PROFILE_PAGE },
    }
  })
}
