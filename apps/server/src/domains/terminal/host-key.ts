import type { Kernel } from '../../kernel/kernel.ts'
import { utils } from '../../kernel/ssh/ssh2/index.ts'
import { terminalHostKey } from './tables.ts'

/**
 * Private host key of the SSH listener in OpenSSH's form: made once, the same on every node, sealed
 * in the database.
 */
export async function loadHostKey({ db, secrets }: Pick<Kernel, 'db' | 'secrets'>): Promise<string> {
  const read = async () => {
    const [row] = await db.select().from(terminalHostKey)
    return row && secrets.open('host_key', 'SSH entry')(row.private_key_sealed)
  }
  const known = await read()
  if (known) return known
  const made = utils.generateKeyPairSync('ed25519').private
  // The first of two nodes that start together wins, and both use its key.
  await db
    .insert(terminalHostKey)
    .values({ private_key_sealed: secrets.seal(made) })
    .onConflictDoNothing()
  const stored = await read()
  if (!stored) throw new Error('the host key was not stored')
  return stored
}
