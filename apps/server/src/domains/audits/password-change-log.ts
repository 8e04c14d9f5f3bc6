import { passwordChangeLog } from '@sallyport/contract/resources/audits/password-change-log.ts'
import { sql } from 'drizzle-orm'
import { isRoot } from '../../kernel/access/call.ts'
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
 * Records a password change. `user` and `changedBy` are Name(username); without a request it was
 * made by the system, from 127.0.0.1.
 */
export async function recordPasswordChange(
  db: Database,
  change: { user: string; changedBy?: string; remoteAddress?: string },
): Promise<void> {
  await db.insert(auditsPasswordChangeLog).values({
    user: change.user.slice(0, 128),
    change_by: (change.changedBy ?? 'System').slice(0, 128),
    remote_addr: change.remoteAddress ?? '127.0.0.1',
  })
}
