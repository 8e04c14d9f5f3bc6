import { passwordChangeLog } from '@sallyport/contract/resources/audits/password-change-log.ts'
import { sql } from 'drizzle-orm'
import { type Call, displayName, isRoot } from '../../kernel/access/call.ts'
import type { Database } from '../../kernel/database/database.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { dateRange } from '../../kernel/resource/date-range.ts'
import { mountResource } from '../../kernel/resource/routes.ts'
import { readablePeople } from './readable-people.ts'
import { auditsPasswordChangeLog } from './tables.ts'

export function mountPasswordChangeLog(kernel: Kernel): void {
  mountResource(kernel, passwordChangeLog, {
    table: auditsPasswordChangeLog,
    // Rows are found by the person's text as it is today, so a rename hides old ones
    // (contract/audits.yaml); root, too, shows existing people alone.
    scope: ({ call }) =>
      isRoot(call)
        ? sql`${auditsPasswordChangeLog.user} IN (SELECT u.name || '(' || u.username || ')' FROM users_account u)`
        : sql`EXISTS (SELECT 1 FROM ${readablePeople(call)} p
            WHERE p.name || '(' || p.username || ')' = ${auditsPasswordChangeLog.user} AND p.since <= ${auditsPasswordChangeLog.datetime})`,
    filters: dateRange(auditsPasswordChangeLog.datetime),
  })
}

/**
 * Records that a person's password was changed, by whoever calls; by the person where nobody is
 * signed in.
 */
export async function recordPasswordChange(
  db: Database,
  call: Pick<Call, 'user' | 'signInId' | 'remoteAddress'>,
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
  })
}
