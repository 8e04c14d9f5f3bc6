import { passwordChangeLog } from '@sallyport/contract/resources/audits/password-change-log.ts'
import { sql } from 'drizzle-orm'
import { type Call, displayName, isRoot } from '../../kernel/access/call.ts'
import type { Database } from '../../kernel/database/database.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { dateRange } from '../../kernel/resource/lists/date-range.ts'
import { mountResource } from '../../kernel/resource/routes.ts'
import { isOwnRow, orgIdsOf } from './readable-people.ts'
import { auditsPasswordChangeLog } from './tables.ts'

export default function mountPasswordChangeLog(kernel: Kernel): void {
  mountResource(kernel, passwordChangeLog, {
    table: auditsPasswordChangeLog,
    scope: ({ call }) => (isRoot(call) ? undefined : isOwnRow(call, auditsPasswordChangeLog)),
    filters: dateRange(auditsPasswordChangeLog.datetime),
  })
}

/**
 * Records that a person's password was changed, by the caller; by the person where nobody is signed
 * in.
 */
export async function recordPasswordChange(
  db: Database,
  call: Pick<Call, 'user' | 'signInId' | 'remoteAddress' | 'onBehalfOf'>,
  person: { id: string; name: string; username: string },
): Promise<void> {
  const changer = call.user ?? person
  await db.insert(auditsPasswordChangeLog).values({
    user: displayName(person).slice(0, 128),
    change_by: displayName(changer).slice(0, 128),
    remote_addr: call.remoteAddress,
    user_id: person.id,
    change_by_id: changer.id,
    sign_in_id: call.signInId,
    on_behalf_of: call.onBehalfOf?.slice(0, 300),
    org_ids: orgIdsOf(sql`${person.id}::uuid`),
  })
}
