import { inArray, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../database/database.ts'
import { deleteInSlices } from '../database/delete-in-slices.ts'
import { keptTables, rowsByOwner } from './row-images.ts'
import { kernelUndoRow } from './tables.ts'

const MEGABYTE = 1_000_000

/**
 * Removes what is kept of changes that are older than so many days, and of the oldest ones where all of
 * them take more than so many megabytes.
 */
export async function forgetOldChanges(db: Database, days: number, megabytes: number): Promise<void> {
  await forgetUntil(db, sql`now() - ${days} * interval '1 day'`)
  const { rows } = await db.execute<{ until: string | null }>(oldestAbove(megabytes * MEGABYTE))
  if (rows[0]?.until) await forgetUntil(db, sql`${rows[0].until}::timestamptz + interval '1 microsecond'`)
}

/**
 * Query of `until`: the time of the newest change that is above the limit together with those after it.
 * Rows are read only where the files are larger, which hold what was removed before as well.
 */
const oldestAbove = (bytes: number) => sql`
  SELECT max(date_created)::text AS until FROM (
    SELECT date_created, sum(coalesce(pg_column_size(before), 0) + coalesce(pg_column_size(after), 0)
      + pg_column_size(key) + 100) OVER (ORDER BY id DESC) AS total
    FROM kernel_undo_row WHERE pg_total_relation_size('kernel_undo_row') > ${bytes}::bigint
  ) r WHERE total > ${bytes}::bigint`

/** All rows of a transaction have one time: its change goes as a whole. */
async function forgetUntil(db: Database, time: SQL): Promise<void> {
  for (const [table, key] of [
    [sql`kernel_undo_row`, sql`id`],
    [sql`kernel_undo_log`, sql`log`],
  ])
    await deleteInSlices(
      db,
      (limit) => sql`DELETE FROM ${table} WHERE ${key} = ANY(ARRAY(
        SELECT ${key} FROM ${table} WHERE date_created < ${time} LIMIT ${limit}))`,
    )
}

/**
 * Removes, for good, all that is kept of these rows of a table and of what belonged to them: for
 * what must be nowhere any more. The operate log stays as it is. Answers how many images there were.
 */
export async function eraseKept(db: Database, table: string, ids: readonly string[]): Promise<number> {
  const wanted = sql`${sql.param([...ids])}::text[]`
  const rows = await db
    .select()
    .from(kernelUndoRow)
    .where(
      sql`${kernelUndoRow.change} IN (SELECT change FROM kernel_undo_row WHERE table_name = ${table} AND key ->> 'id' = ANY(${wanted}))`,
    )
  const kept = rows.map(({ id, table_name, key, before, after }) => ({
    id,
    table: table_name,
    key,
    before: before ?? undefined,
    after: after ?? undefined,
  }))
  const ofOwner = rowsByOwner(kept, await keptTables(db))
  const gone = new Set(ids.flatMap((id) => ofOwner(table, id)))
  const numbers = kept.filter((row) => gone.has(row)).map(({ id }) => id)
  if (numbers.length) await db.delete(kernelUndoRow).where(inArray(kernelUndoRow.id, numbers))
  return numbers.length
}
