import { ftpLog } from '@sallyport/contract/resources/audits/ftp-log.ts'
import { and, asc, eq, inArray, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/database/database.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { dateRange } from '../../kernel/resource/lists/date-range.ts'
import { mountResource } from '../../kernel/resource/routes.ts'
import { auditsFtpLog } from './tables.ts'

export default function mountFtpLog(kernel: Kernel): void {
  mountResource(kernel, ftpLog, { table: auditsFtpLog, filters: dateRange(auditsFtpLog.date_start), unaudited: true })
}

export type FileOperation = Omit<typeof auditsFtpLog.$inferInsert, 'id' | 'date_start' | 'operate'> & {
  operate: 'Delete' | 'Upload' | 'Download' | 'Rmdir' | 'Rename' | 'Mkdir' | 'Symlink'
}

/**
 * Records file operations that went through the gateway; those whose id is there already are left as
 * they are. `user` is Name(username), `asset` hostname(ip). `on_behalf_of` is the owner of a service
 * identity where nothing is given.
 */
export async function recordFileOperations(
  db: Database,
  operations: readonly (FileOperation & { id?: string; date_start?: Date })[],
): Promise<void> {
  const rows = operations.map((operation) => ({
    ...operation,
    user: operation.user.slice(0, 128),
    asset: operation.asset.slice(0, 1024),
    system_user: operation.system_user.slice(0, 128),
    filename: operation.filename.replaceAll('\0', '').slice(0, 1024),
  }))
  // One parameter for all rows: by the query builder a thousand take 60 ms of processor time.
  await db.execute(sql`
    INSERT INTO ${auditsFtpLog} (id, "user", remote_addr, asset, "system_user", org_id, operate, filename, is_success, date_start,
      user_id, asset_id, session_id, sign_in_id, on_behalf_of)
    SELECT coalesce(id, uuidv7()), "user", remote_addr, asset, "system_user", org_id, operate, filename,
      coalesce(is_success, true), coalesce(date_start, now()), user_id, asset_id, session_id, sign_in_id,
      coalesce(left(on_behalf_of, 300), (SELECT u.on_behalf_of FROM users_account u WHERE u.id = given.user_id))
    FROM json_populate_recordset(NULL::${auditsFtpLog}, ${JSON.stringify(rows)}) given
    ON CONFLICT DO NOTHING`)
}

/** A file that went through a session's own terminal; `date_start` is when it was over. */
export type SessionFile = Pick<typeof auditsFtpLog.$inferSelect, 'operate' | 'filename' | 'is_success' | 'date_start'>

/** Files that went through the terminal of a session, in time, `limit` at most. */
export function filesOfSession(db: Database, sessionId: string, limit: number): Promise<SessionFile[]> {
  const { operate, filename, is_success, date_start, session_id } = auditsFtpLog
  return db
    .select({ operate, filename, is_success, date_start })
    .from(auditsFtpLog)
    .where(and(eq(session_id, sessionId), inArray(operate, ['Upload', 'Download'])))
    .orderBy(asc(date_start))
    .limit(limit)
}
