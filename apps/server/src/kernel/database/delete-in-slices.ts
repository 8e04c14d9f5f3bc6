import type { SQL } from 'drizzle-orm'
import type { Database } from './database.ts'

const SLICE = 5000

/**
 * Runs a deletion again and again until nothing is left to delete, so that no lock is held for
 * long, and the disk is not kept busy by one statement.
 * @param remove a DELETE of at most so many rows
 * @returns how many rows went
 */
export async function deleteInSlices(db: Database, remove: (limit: number) => SQL): Promise<number> {
  for (let total = 0; ; ) {
    const { rowCount } = await db.execute(remove(SLICE))
    total += rowCount ?? 0
    if ((rowCount ?? 0) < SLICE) return total
  }
}
