import type pg from 'pg'
import type { Database } from '../../kernel/database/database.ts'
import { unlessAnotherIsAtIt } from '../../kernel/database/locks.ts'
import { ImportRefusal } from './refusal.ts'

/** One import at a time, or the taking back of one: a second one would find half of the first. */
const LOCK = 7_041_041
const refusal = () => new ImportRefusal('Another import goes on')

/** Holds off other imports for a whole run, between its transactions too. Throws StartRefusal where one goes on. */
export async function asOnlyImport<T>(pool: pg.Pool, work: () => Promise<T>): Promise<T> {
  const done = await unlessAnotherIsAtIt(pool, LOCK, async () => ({ result: await work() }))
  if (!done) throw refusal()
  return done.result
}

/** The same until the transaction ends. */
export async function lockImport(within: Database): Promise<void> {
  const { rows } = await within.execute<{ is_free: boolean }>(`SELECT pg_try_advisory_xact_lock(${LOCK}) AS is_free`)
  if (!rows[0]?.is_free) throw refusal()
}
