import type { Call } from '../access/call.ts'
import type { Database } from '../database/database.ts'

/** A value as the operate log keeps it: codes of choices, names of rows, ISO 8601 times. */
export type LoggedValue = string | number | boolean | null | readonly string[]

/** What happened to one field; bounded, and never with a secret. */
export interface FieldChange {
  /** Name on the wire; of a field inside an object `meta.endpoint`. */
  field: string
  /** What people call it, in English; absent where the definition of the resource says it. */
  label?: string
  /** Absent where there was nothing before, and of links and secrets. */
  before?: LoggedValue
  after?: LoggedValue
  /** Names of rows that the field links now, the first of `added_amount`. */
  added?: readonly string[]
  added_amount?: number
  removed?: readonly string[]
  removed_amount?: number
  /** The field holds a secret: nothing is kept but that it was set. */
  is_secret?: true
  /** One of the values was longer than what is kept of it. */
  is_cut?: true
}

/** Ids of rows that a field links and links no longer; codes, where the field has choices. */
export interface LinkDifference {
  name: string
  added: readonly string[]
  removed: readonly string[]
  /** How many went, where `removed` has only the first. */
  removedAmount?: number
}

export interface Operation {
  /** Export: rows as a file; download: a recording. */
  action: 'create' | 'update' | 'delete' | 'export' | 'download'
  /** English label of the resource, such as `Asset`. */
  resourceType: string
  /** The changed row as people know it, such as `Anna(anna)`. */
  resource: string
  orgId: string
  /** The changed row by the name of its resource (`asset`) and its id. */
  object?: { type: string; id: string }
  /** Values that were set, changed or deleted; none where the row was saved unchanged. */
  changes?: readonly FieldChange[]
}

/**
 * The operate log. The audits domain sets `record`, which writes in the caller's transaction: no
 * change is stored without its row.
 */
export interface AuditSink {
  record(db: Database, call: Call, operations: readonly Operation[]): Promise<void>
}
