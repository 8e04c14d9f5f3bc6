import type pg from 'pg'

/** Major versions of PostgreSQL that the product is tried with. */
export const OLDEST_POSTGRES = 14
export const NEWEST_POSTGRES = 18
/** What it needs of them. Trusted ones: roles that may create in a database may make them. */
export const EXTENSIONS = ['ltree', 'pg_trgm'] as const

/**
 * What PostgreSQL 18 has built in: an identifier of version 7 (RFC 9562, section 5.7), with the
 * fraction of the millisecond in the twelve bits behind the version (its section 6.2, method 3).
 * The clock counts microseconds, and a call takes longer than one, so identifiers of one connection
 * rise. Where the clock is set back they don't, and those of two connections may cross, as with any
 * clock. Microseconds * 512 / 125 are milliseconds and fraction as one number of sixty bits.
 *
 * The name has no schema: the first one that a role may write to gets the function, which is not
 * seen where the server has its own, as `pg_catalog` comes first. What columns have as their
 * default stays what it was when the database moves to a newer server, by a dump or by pg_upgrade.
 */
const UUIDV7 = `CREATE FUNCTION uuidv7() RETURNS uuid VOLATILE PARALLEL SAFE
  RETURN (overlay(lpad(to_hex((extract(epoch FROM clock_timestamp()) * 1000000)::bigint * 512 / 125), 15, '0')
    PLACING '7' FROM 13 FOR 0) || right(gen_random_uuid()::text, 17))::uuid`

/** What PostgreSQL 16 has built in: whether a text can be read as a value of a type. */
const INPUT_IS_VALID = `CREATE FUNCTION pg_input_is_valid(input text, type text) RETURNS boolean
  LANGUAGE plpgsql STABLE STRICT AS $$
  BEGIN
    EXECUTE format('SELECT %L::%s', input, type::regtype);
    RETURN true;
  EXCEPTION WHEN data_exception OR check_violation THEN
    RETURN false;
  END $$`

/** Functions of newer servers that the product's SQL calls, each with its definition for older ones. */
const PROVIDED = { 'uuidv7()': UUIDV7, 'pg_input_is_valid(text, text)': INPUT_IS_VALID }

/** Gives a server before PostgreSQL 18 the functions that the product's SQL calls. */
export async function provideFunctions(client: pg.ClientBase): Promise<void> {
  for (const [signature, definition] of Object.entries(PROVIDED)) {
    const { rows } = await client.query('SELECT to_regprocedure($1) AS known', [signature])
    if (!rows[0].known) await client.query(definition)
  }
}

/** How migrations are to be written for this server, which may be one before PostgreSQL 15. */
export async function migrationsFor(client: pg.ClientBase): Promise<(migration: string) => string> {
  const { rows } = await client.query(`SELECT current_setting('server_version_num')::int < 150000 AS is_old`)
  return rows[0].is_old ? withoutNullsNotDistinct : (migration) => migration
}

const NULLS_NOT_DISTINCT =
  /CREATE UNIQUE INDEX (\w+)\s+ON (\w+) \(([^()]+)\)(\s+INCLUDE \([^()]+\))?\s+NULLS NOT DISTINCT;/g

/**
 * A migration as PostgreSQL 14 reads it, which has no NULLS NOT DISTINCT. There a unique index has
 * each column as an array of one: arrays with a NULL are equal to each other. Another index serves
 * the searches.
 */
export function withoutNullsNotDistinct(migration: string): string {
  return migration.replace(NULLS_NOT_DISTINCT, (_, name, table, columns: string, included = '') => {
    const arrays = columns.split(',').map((column) => `(ARRAY[${column.trim()}])`)
    return `CREATE UNIQUE INDEX ${name} ON ${table} (${arrays.join(', ')});
CREATE INDEX ${name}_search ON ${table} (${columns})${included};`
  })
}
