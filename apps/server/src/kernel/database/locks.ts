import { sql } from 'drizzle-orm'
import type pg from 'pg'
import type { Database } from './database.ts'

/** A number that no other work uses, or words that name the locked work. */
type Lock = number | string

/**
 * Does what several nodes may not do at once: one after the other, on all nodes. A node that dies
 * meanwhile lets the next one in.
 */
export async function oneNodeAtATime<T>(
  pool: pg.Pool,
  lock: Lock,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect()
  try {
    await client.query(`SELECT pg_advisory_lock(${keyOf(lock)})`, [lock])
    return await work(client)
  } finally {
    await client.query(`SELECT pg_advisory_unlock(${keyOf(lock)})`, [lock]).catch(() => {})
    client.release()
  }
}

/** Like that, but answers undefined at once, with nothing done, while another is at it. */
export async function unlessAnotherIsAtIt<T>(
  pool: pg.Pool,
  lock: Lock,
  work: () => Promise<T>,
): Promise<T | undefined> {
  const client = await pool.connect()
  let isOurs = false
  try {
    const { rows } = await client.query<{ ours: boolean }>(`SELECT pg_try_advisory_lock(${keyOf(lock)}) AS ours`, [
      lock,
    ])
    isOurs = rows[0]?.ours === true
    return isOurs ? await work() : undefined
  } finally {
    if (isOurs) await client.query(`SELECT pg_advisory_unlock(${keyOf(lock)})`, [lock]).catch(() => {})
    client.release()
  }
}

/** Transactions that lock the same come one after the other, each until its end. */
export async function lockUntilCommit(db: Database, lock: string): Promise<void> {
  await db.execute(sql`SELECT pg_advisory_xact_lock(hashtextextended(${lock}, 0))`)
}

const keyOf = (lock: Lock) => (typeof lock === 'number' ? '$1::bigint' : 'hashtextextended($1, 0)')
