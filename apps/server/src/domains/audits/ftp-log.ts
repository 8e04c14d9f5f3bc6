import { ftpLog } from '@sallyport/contract/resources/audits/ftp-log.ts'
import type { Database } from '../../kernel/database/database.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { dateRange } from '../../kernel/resource/date-range.ts'
import { mountResource } from '../../kernel/resource/routes.ts'
import { auditsFtpLog } from './tables.ts'

export function mountFtpLog(kernel: Kernel): void {
  mountResource(kernel, ftpLog, { table: auditsFtpLog, filters: dateRange(auditsFtpLog.date_start), unaudited: true })
}

export type FileOperation = Omit<typeof auditsFtpLog.$inferInsert, 'id' | 'date_start' | 'operate'> & {
  operate: 'Delete' | 'Upload' | 'Download' | 'Rmdir' | 'Rename' | 'Mkdir' | 'Symlink'
}

/**
 * Records a file operation that went through the gateway. `user` is Name(username), `asset`
 * hostname(ip).
 */
export async function recordFileOperation(db: Database, operation: FileOperation): Promise<void> {
  const { user, asset, system_user, filename } = operation
  await db.insert(auditsFtpLog).values({
    ...operation,
    user: user.slice(0, 128),
    asset: asset.slice(0, 1024),
    system_user: system_user.slice(0, 128),
    filename: filename.replaceAll('\0', '').slice(0, 1024),
  })
}
