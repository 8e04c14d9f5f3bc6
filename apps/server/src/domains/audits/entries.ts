import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/database/database.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { announceGone, type ChainedLog, forgetBefore, sealLog } from './chain.ts'
import { signRoot } from './roots.ts'
import { auditsCommandEntry, auditsRunEntry } from './tables.ts'

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

/** What an entry says of a row that went for another reason than its age. */
const GONE = 'gone:version'

/**
 * Notes that runs of tasks go with the version that they ran, whatever their age.
 * @param rows a query of the `kind`, `row_id` and `date` of each run and each of its outcomes
 */
export async function chainForgottenRuns(db: Database, rows: SQL): Promise<void> {
  await db.execute(sql`INSERT INTO ${auditsRunEntry} (kind, row_id, body, date)
    SELECT gone.kind, gone.row_id, ${GONE}, gone.date FROM (${rows}) gone`)
}
