import { sql } from 'drizzle-orm'
import type { Database } from '../../kernel/database/database.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { announceGone, type ChainedLog, forgetBefore, sealLog } from './chain.ts'
import { signRoot } from './roots.ts'
import { auditsCommandEntry } from './tables.ts'

/**
 * Removes rows from before a date that are chained by entries, with `remove`, and then what was
 * chained of them. A verifier takes a row without entries, or an entry without its row, for
 * tampering unless a root says that rows of that age may be gone: so that is noted before the first
 * goes, and signed once all have.
 */
export async function forgetWithEntries(
  kernel: Kernel,
  logs: readonly ChainedLog[],
  before: Date,
  remove: () => Promise<void>,
): Promise<void> {
  const { db, secrets } = kernel
  for (const log of logs) await announceGone(db, secrets, log, before)
  await remove()
  for (const log of logs) {
    await sealLog(db, secrets, log)
    await forgetBefore(db, secrets, log, before)
  }
  await signRoot(kernel)
}

/** What an entry says of a row that left for a storage outside. */
const MOVED = 'moved:'

/**
 * Notes that commands go to a storage outside: their rows leave the database, what was chained of
 * them stays.
 */
export async function chainMovedCommands(
  db: Database,
  storage: string,
  commands: readonly { id: string; timestamp: number }[],
): Promise<void> {
  if (!commands.length) return
  await db.insert(auditsCommandEntry).values(
    commands.map(({ id, timestamp }) => ({
      kind: 'command' as const,
      row_id: id,
      body: `${MOVED}${storage}`,
      date: sql`to_timestamp(${timestamp})`,
    })),
  )
}
