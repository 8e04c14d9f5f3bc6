import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../database.ts'

/**
 * Rows of a statement, so many at a time, by a cursor of the transaction that `db` is in. One after
 * the other: there is no second at the same time.
 */
export async function* rowsByCursor<T extends Record<string, unknown>>(
  db: Database,
  statement: SQL,
  size: number,
): AsyncGenerator<T[]> {
  // Planned for all rows; by itself PostgreSQL plans a cursor for the first tenth.
  await db.execute(sql`SET LOCAL cursor_tuple_fraction = 1`)
  await db.execute(sql`DECLARE listed NO SCROLL CURSOR FOR ${statement}`)
  for (;;) {
    const { rows } = await db.execute<T>(sql`FETCH FORWARD ${sql.raw(String(size))} FROM listed`)
    if (rows.length) yield rows as unknown as T[]
    if (rows.length < size) break
  }
  await db.execute(sql`CLOSE listed`)
}
