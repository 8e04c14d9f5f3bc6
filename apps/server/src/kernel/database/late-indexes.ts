import { type SQL, sql } from 'drizzle-orm'
import type pg from 'pg'
import { unlessAnotherIsAtIt } from './locks.ts'

/** An index that a migration leaves to be made while people work, as its table may have many millions of rows. */
export interface LateIndex {
  name: string
  /** What follows `CREATE INDEX <name>`. */
  on: string
  /** Those that it stands for, gone once it is there. */
  insteadOf?: readonly string[]
}

/** Whether any of these is still to be made, or stands beside one that it replaces, for a schedule's `hasWork`. */
export const anyIndexMissing = (indexes: readonly LateIndex[]): SQL =>
  sql`(EXISTS (SELECT FROM unnest(${sql.param(indexes.flatMap(({ insteadOf = [] }) => insteadOf))}::text[]) AS old (name)
    WHERE to_regclass(quote_ident(old.name)) IS NOT NULL) OR EXISTS (SELECT FROM unnest(${sql.param(indexes.map(({ name }) => name))}::text[]) AS wanted (name)
    WHERE NOT EXISTS (SELECT FROM pg_index WHERE indexrelid = to_regclass(quote_ident(wanted.name)) AND indisvalid)))`

/**
 * Makes those that are missing, one after the other and outside of a transaction: rows are read and
 * written meanwhile. What a killed server left half made is no index yet, and is made anew.
 * @returns the names of those that were made now
 */
export async function makeLateIndexes(pool: pg.Pool, indexes: readonly LateIndex[]): Promise<string[]> {
  const made = await unlessAnotherIsAtIt(pool, 'late indexes', async () => {
    const names: string[] = []
    for (const index of indexes) if (await makeIndex(pool, index)) names.push(index.name)
    return names
  })
  return made ?? []
}

async function makeIndex(pool: pg.Pool, { name, on, insteadOf = [] }: LateIndex): Promise<boolean> {
  const { rows } = await pool.query<{ valid: boolean }>(
    'SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass(quote_ident($1))',
    [name],
  )
  const isThere = rows[0]?.valid === true
  if (!isThere) {
    if (rows[0]) await pool.query(`DROP INDEX CONCURRENTLY ${name}`)
    await pool.query(`CREATE INDEX CONCURRENTLY ${name} ${on}`)
  }
  // A server that was killed may have made the one and not yet dropped the others.
  for (const old of insteadOf) await pool.query(`DROP INDEX CONCURRENTLY IF EXISTS ${old}`)
  return !isThere
}
