import type pg from 'pg'

/** What queries run on: a pool, or a client inside a transaction. */
export type Queryable = Pick<pg.Pool | pg.ClientBase, 'query'>

/** A column that holds sealed values. */
export interface SealedPlace {
  /** Quoted and with its schema, ready for SQL. */
  table: string
  /** Quoted. */
  column: string
  /** One value, or a JSON document with values in the form of `SealedInJson` at any depth. */
  kind: 'value' | 'document'
}

/**
 * Every column that may hold sealed values, from the database's own catalog, so that none can be
 * forgotten: bytea columns named `…_sealed`, and all jsonb columns. Partitioned tables have no rows
 * of their own and are left out; their partitions are included.
 */
export async function findSealedPlaces(db: Queryable): Promise<SealedPlace[]> {
  const { rows } = await db.query<SealedPlace>(`
    SELECT format('%I.%I', n.nspname, c.relname) AS table, quote_ident(a.attname) AS column,
      CASE WHEN a.atttypid = 'bytea'::regtype THEN 'value' ELSE 'document' END AS kind
    FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
      AND (a.atttypid = 'bytea'::regtype AND a.attname LIKE '%\\_sealed' OR a.atttypid = 'jsonb'::regtype)
      AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
    ORDER BY 1, 2`)
  return rows
}

/** SQL condition: the column holds a value that does not begin with `header`. */
export function isUnderOtherKey({ column, kind }: SealedPlace, header: Buffer): string {
  if (kind === 'value')
    return `substring(${column} from 1 for ${header.length}) <> '\\x${header.toString('hex')}'::bytea`
  // A header has nine bytes, which are twelve whole characters in base64.
  const begin = header.toString('base64').replaceAll('+', '\\+')
  return `${column}::text ~ '"\\$sealed": "(?!${begin})'`
}

/**
 * How many rows, in all columns together, hold a value that is sealed under another key than that
 * of `header`.
 */
export async function countUnderOtherKeys(
  db: Queryable,
  places: readonly SealedPlace[],
  header: Buffer,
): Promise<number> {
  let total = 0
  for (const place of places) total += await countInPlace(db, place, header)
  return total
}

export async function countInPlace(db: Queryable, place: SealedPlace, header: Buffer): Promise<number> {
  const { rows } = await db.query<{ count: string }>(
    `SELECT count(*) FROM ${place.table} WHERE ${isUnderOtherKey(place, header)}`,
  )
  return Number(rows[0]?.count ?? 0)
}
