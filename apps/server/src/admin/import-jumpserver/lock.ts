import type { Database } from '../../kernel/database/database.ts'
import { StartRefusal } from '../../kernel/start-refusal.ts'

/** One import at a time: a second one would find rows that the first has not committed. */
const LOCK = 7_041_041

/** Holds off other imports until the transaction ends. Throws StartRefusal where one goes on. */
export async function lockImport(within: Database): Promise<void> {
  const { rows } = await within.execute<{ is_free: boolean }>(`SELECT pg_try_advisory_xact_lock(${LOCK}) AS is_free`)
  if (!rows[0]?.is_free) throw new StartRefusal('Another import goes on')
}
