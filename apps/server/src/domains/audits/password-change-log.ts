import { passwordChangeLog } from '@sallyport/contract/resources/audits/password-change-log.ts'
import { sql } from 'drizzle-orm'
import { isRoot } from '../../kernel/access/call.ts'
import type { Database } from '../../kernel/database/database.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { dateRange } from '../../kernel/resource/date-range.ts'
import { mountResource } from '../../kernel/resource/routes.ts'
import { auditsPasswordChangeLog } from './tables.ts'

export function mountPasswordChangeLog(kernel: Kernel): void {
  mountResource(kernel, passwordChangeLog, {
    table: auditsPasswordChangeLog,
    // Rows are found by the person's text as it is today, so a rename hides old ones
    // (contract/audits.yaml); root, too, shows existing people alone.
    scope: ({ call }) =>
      sql`${auditsPasswordChangeLog.user} IN (SELECT u.name || '(' || u.username || ')' FROM users_account u${
        isRoot(call) ? sql`` : sql` JOIN orgs_membership m ON m.user_id = u.id WHERE m.org_id = ${call.org.id}`
      })`,
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
