import type { SystemRole } from '@sallyport/contract/access.ts'
import { type Call, displayName } from '../../../kernel/access/call.ts'
import type { Database } from '../../../kernel/database/database.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { notify } from '../../notifications/index.ts'
import { ownOrganization } from '../../orgs/index.ts'
import { findUser } from '../../users/index.ts'

/**
 * Writes into the operate log that a person set their authenticator app up or took it off. Who sets one
 * up to end their sign-in is not signed in yet.
 */
export async function recordApp(
  kernel: Kernel,
  db: Database,
  call: Call,
  userId: string,
  what: 'set up' | 'taken off',
): Promise<void> {
  const person = await findUser(db, { id: userId })
  if (!person) return
  const { id, name, username, role } = person
  const isThere = what === 'set up'
  await kernel.audit.record(db, { ...call, user: { id, name, username, role: role as SystemRole } }, [
    {
      action: 'update',
      resourceType: 'User',
      resource: displayName(person),
      orgId: call.user ? call.org.id : await ownOrganization(db, id, call.org.id),
      object: { type: 'user', id },
      changes: [{ field: 'otp', label: 'Authenticator app', before: !isThere, after: isThere }],
    },
  ])
}

/** Tells a person that an authenticator app was set up or removed for them, from this address. */
export function notifyOfApp(
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
