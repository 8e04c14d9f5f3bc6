import { type Call, callerOf, displayName } from '../access/call.ts'
import type { Database } from '../database/database.ts'
import type { AuditSink, FieldChange } from './audit.ts'

/** Writes to the operate log that the caller has changed something of their own account. */
export async function recordOwnChange(
  { audit }: { audit: AuditSink },
  db: Database,
  call: Call,
  changes: readonly FieldChange[],
): Promise<void> {
  const user = callerOf(call)
  await audit.record(db, call, [
    {
      action: 'update',
      resourceType: 'User',
      resource: displayName(user),
      orgId: call.org.id,
      object: { type: 'user', id: user.id },
      changes,
    },
  ])
}
