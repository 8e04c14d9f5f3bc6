import type { Call } from '../access/call.ts'
import { displayName } from '../access/call.ts'
import type { Database } from '../database/database.ts'
import { kernelSecretLook, type SecretOwnerKind } from './tables.ts'

/** The owner of a secret. */
export interface SecretOwner {
  kind: SecretOwnerKind
  id: string
  /** Its name, for people. */
  name: string
  orgId: string
}

export async function recordLooks(
  db: Database,
  { user, remoteAddress }: Call,
  how: string,
  reason: string,
  owners: readonly SecretOwner[],
): Promise<void> {
  if (!owners.length) return
  const who = {
    user_id: user?.id ?? null,
    user: user ? displayName(user) : '',
    remote_addr: remoteAddress,
  }
  await db.insert(kernelSecretLook).values(
    owners.map(({ kind, id, name, orgId }) => ({
      how,
      reason,
      owner_kind: kind,
      owner_id: id,
      owner: name,
      org_id: orgId,
      ...who,
    })),
  )
}
