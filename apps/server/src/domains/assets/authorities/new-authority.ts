import { eq, sql } from 'drizzle-orm'
import { notKept } from '../../../kernel/audit/named-change.ts'
import type { Database } from '../../../kernel/database/database.ts'
import { lockUntilCommit } from '../../../kernel/database/locks.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { generateSshKey } from '../../../kernel/ssh/keys/plain-key.ts'
import { assetsSshAuthority } from '../tables.ts'

/** Makes the key of an authority that was just stored. */
export async function newAuthority(
  { secrets }: Pick<Kernel, 'secrets'>,
  db: Database,
  id: string,
): Promise<{ public_key: string }> {
  const { privateKey, publicKey } = generateSshKey()
  await db
    .update(assetsSshAuthority)
    .set({ public_key: publicKey, private_key_sealed: secrets.seal(privateKey) })
    .where(eq(assetsSshAuthority.id, id))
  return { public_key: publicKey }
}

/** Makes the first authority of an organization where it is first asked for; its id, if it did. */
export async function ensureAuthority(
  kernel: Pick<Kernel, 'secrets'>,
  db: Database,
  orgId: string,
  createdBy: string | null,
): Promise<string | undefined> {
  await lockUntilCommit(db, `assets_ssh_authority ${orgId}`)
  const known = await db.execute(sql`SELECT FROM ${assetsSshAuthority} WHERE org_id = ${orgId} LIMIT 1`)
  if (known.rowCount) return undefined
  let id: string | undefined
  // Others may use it by the time that what asked for it is taken back.
  await notKept(db, async () => {
    const values = { org_id: orgId, version: 1, created_by: createdBy }
    const [row] = await db.insert(assetsSshAuthority).values(values).returning({ id: assetsSshAuthority.id })
    if (!row) return
    id = row.id
    await newAuthority(kernel, db, id)
  })
  return id
}
