import { spoken } from '@sallyport/contract/names.ts'
import { type Call, callerOf, displayName } from '../../../kernel/access/call.ts'
import type { Say } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { notify } from '../../notifications/index.ts'

/** Tells people that the caller has invited them into the current organization. */
export function notifyInvited(kernel: Kernel, call: Call, userIds: readonly string[]): Promise<void> {
  const values = { organization: call.org.name, name: spoken(displayName(callerOf(call))) }
  return notify(kernel, userIds, (say) => ({
    subject: say('You are invited to the organization {{organization}}', values),
    paragraphs: [
      say('{{name}} invites you to the organization {{organization}}.', values),
      say('You belong to it once you accept. Its administrators then see your name, mail address and phone.'),
    ],
    link: { text: say('My invitations'), path: '/ui/users/profile?activeTab=Invitations' },
  }))
}

/** Tells the inviter what the caller has answered. */
export function tellAnswer(
  kernel: Kernel,
  call: Call,
  { inviter, organization, accepted }: { inviter: string; organization: string; accepted: boolean },
): Promise<void> {
  const values = { organization, name: spoken(displayName(callerOf(call))) }
  const words = (say: Say) =>
    accepted
      ? say('{{name}} belongs to the organization {{organization}} now', values)
      : say('{{name}} has declined the invitation to the organization {{organization}}', values)
  return notify(kernel, [inviter], (say) => ({ subject: words(say), paragraphs: [words(say)] }))
}
