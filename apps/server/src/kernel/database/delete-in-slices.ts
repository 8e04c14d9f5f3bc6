import type { SQL } from 'drizzle-orm'
import type { Database } from './database.ts'

const SLICE = 5000

/**
 * Repeats a deletion until nothing is left to delete, so that no statement holds locks or occupies
 * the disk for long.
 * @param remove a DELETE of at most `limit` rows
 * @returns how many rows were deleted
 */
export async function deleteInSlices(db: Database, remove: (limit: number) => SQL): Promise<number> {
  for (let total = 0; ; ) {
    const { rowCount } = await db.execute(remove(SLICE))
    total += rowCount ?? 0
    if ((rowCount ?? 0) < SLICE) return total
  }
}
