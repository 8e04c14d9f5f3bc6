import type pg from 'pg'

/** Who asks the database: a pool, or a client inside a transaction. */
export type Queryable = Pick<pg.Pool | pg.ClientBase, 'query'>

/** A column that holds sealed values. */
export interface SealedPlace {
  /** Quoted, with its schema: as it stands in SQL. */
  table: string
  /** Quoted. */
  column: string
}

/**
 * Every column for sealed values, from the database's own catalogue, so that none can be forgotten: those of type bytea that are named `…_sealed`.
 * Tables without rows of their own (partitioned ones) are left out, their partitions are not.
 */
export async function findSealedColumns(db: Queryable): Promise<SealedPlace[]> {
  const { rows } = await db.query<SealedPlace>(`
    SELECT format('%I.%I', n.nspname, c.relname) AS table, quote_ident(a.attname) AS column
    FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped AND a.atttypid = 'bytea'::regtype AND a.attname LIKE '%\\_sealed'
      AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
    ORDER BY 1, 2`)
  return rows
}
