import { dayOf, WHY_NOT, whyNot } from '../../domains/perms/index.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { SessionRefusal } from './refusal.ts'
import type { RequestBase } from './session-request.ts'

/** The refusal of somebody who may not connect, with the reason as far as they may know it. */
export async function notPermitted(
  { db }: Kernel,
  { person, target, systemUserId }: Pick<RequestBase, 'person' | 'target' | 'systemUserId'>,
): Promise<SessionRefusal> {
  const why = await whyNot(db, { userId: person.id, target, systemUserId })
  return new SessionRefusal(WHY_NOT[why.reason], { date: dayOf(why) })
}
