import { operateLog } from '@sallyport/contract/resources/audits/operate-log.ts'
import { type Call, displayName } from '../../kernel/access/call.ts'
import type { Operation } from '../../kernel/audit/audit.ts'
import type { Database } from '../../kernel/database/database.ts'
import { translate } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { dateRange } from '../../kernel/resource/date-range.ts'
import { mountResource } from '../../kernel/resource/routes.ts'
import { auditsOperateLog } from './tables.ts'

const ROWS_PER_INSERT = 1000

export function mountOperateLog(kernel: Kernel): void {
  mountResource(kernel, operateLog, {
    table: auditsOperateLog,
    filters: dateRange(auditsOperateLog.datetime),
    computed: [
      {
        fields: ['resource_type_display'],
        load: async (rows, { call }) =>
          rows.map((row) => ({ resource_type_display: translate(call.language, row.resource_type) })),
      },
    ],
  })
}

/**
 * The kernel's operate log: one row per change, in the transaction of the change, so that neither
 * is stored without the other. Changes without a user (jobs, first start) leave no row
 * (contract/audits.yaml operate_log).
 */
export async function recordOperations(db: Database, call: Call, operations: readonly Operation[]): Promise<void> {
  if (!call.user) return
  const user = displayName(call.user).slice(0, 128)
  const rows = operations.map(({ action, resourceType, resource, orgId }) => ({
    user,
    action,
    resource_type: resourceType.slice(0, 64),
    resource: resource.slice(0, 128),
    remote_addr: call.remoteAddress,
    org_id: orgId,
  }))
  for (let start = 0; start < rows.length; start += ROWS_PER_INSERT)
    await db.insert(auditsOperateLog).values(rows.slice(start, start + ROWS_PER_INSERT))
}
