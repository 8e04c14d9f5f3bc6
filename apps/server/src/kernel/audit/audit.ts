import type { Call } from '../access/call.ts'
import type { Database } from '../database/database.ts'

export interface Operation {
  /** Export: rows as a file; download: a recording. */
  action: 'create' | 'update' | 'delete' | 'export' | 'download'
  /** English label of the resource, such as `Asset`. */
  resourceType: string
  /** The changed row as people know it, such as `Anna(anna)`. */
  resource: string
  orgId: string
}

/**
 * The operate log. The audits domain sets `record`, which writes in the caller's transaction: no
 * change is stored without its row.
 */
export interface AuditSink {
  record(db: Database, call: Call, operations: readonly Operation[]): Promise<void>
}
