import type { Call } from '../access/call.ts'
import type { Database } from '../database/database.ts'

export interface Operation {
  /** Export: rows as a file; download: a recording. */
  action: 'create' | 'update' | 'delete' | 'export' | 'download'
  /** English label of the resource, such as `Asset`. */
  resourceType: string
  /** How the row is written in words. */
  resource: string
  orgId: string
}

/**
 * Where operations are written down. The audits domain sets `record`; it writes through the
 * caller's transaction, so that no change is kept without its row.
 */
export interface AuditSink {
  record(db: Database, call: Call, operations: readonly Operation[]): Promise<void>
}
