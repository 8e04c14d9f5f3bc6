import type { Readable } from 'node:stream'
import { constants, createZstdCompress } from 'node:zlib'
import pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import type { StoredPart } from '../places/stored-part.ts'

/** Rows of a table. */
export interface DumpedTable {
  name: string
  /** Those that have values of their own: generated ones are left out. */
  columns: string[]
  rows: number
  /** Text as COPY writes it, compressed by zstd; undefined where the table is empty. */
  part: StoredPart | undefined
}

export interface SequenceValue {
  name: string
  value: string
  is_called: boolean
}

export interface Dump {
  /** A moment right before the snapshot, by the database's clock: what was stored by then is in it. */
  date: Date
  postgres: string
  migrations: string[]
  tables: DumpedTable[]
  sequences: SequenceValue[]
}

/** Stores the compressed rows of a table. */
type Store = (table: string, rows: Readable, compress: ReturnType<typeof createZstdCompress>) => Promise<StoredPart>

/**
 * The keys that running processes hold, which say nothing about another installation.
 */
const OF_PROCESSES: ReadonlySet<string> = new Set(['kernel_secret_key_holder'])

/** Fast, and a fifth of the size. */
const LEVEL = 3

/** Text that every version of PostgreSQL reads as it was written. */
export const EXACT_TEXT = `SET LOCAL datestyle = 'ISO, YMD'; SET LOCAL intervalstyle = 'postgres';
  SET LOCAL timezone = 'UTC'; SET LOCAL extra_float_digits = 3; SET LOCAL bytea_output = 'hex'`
/** A managed service may have limits of its own. */
export const NO_LIMITS = `SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0;
  SET LOCAL idle_in_transaction_session_timeout = 0`

/**
 * Writes all rows of the product's own tables, as they are at one moment, while others go on
 * writing. The schema is not written: migrations make it again, on whatever version of PostgreSQL.
 * Memory does not grow with the tables.
 * @param client a connection of its own, which must be closed when this throws
 * @param onSnapshot called at the moment that the dump is of
 */
export async function dumpDatabase(client: pg.ClientBase, store: Store, onSnapshot = async () => {}): Promise<Dump> {
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
  await client.query(`${EXACT_TEXT}; ${NO_LIMITS}`)
  // The first look at rows takes the snapshot.
  const tables = await tablesOf(client)
  const { rows } = await client.query<{ date: Date; postgres: string }>(
    // When the transaction began, before its snapshot: all that was stored by then is in it.
    `SELECT now() AS date, current_setting('server_version') AS postgres`,
  )
  const [now] = rows
  if (!now) throw new Error('the database told no time')
  await onSnapshot()
  // Nobody migrates under us.
  await client.query(
    `LOCK TABLE ${tables.map(({ name }) => pg.escapeIdentifier(name)).join(', ')} IN ACCESS SHARE MODE`,
  )
  const dumped: DumpedTable[] = []
  for (const table of tables) dumped.push(await dumpTable(client, table, store))
  const sequences = await sequencesOf(client)
  const migrations = await client.query<{ name: string }>('SELECT name FROM kernel_migration ORDER BY name')
  await client.query('COMMIT')
  return { ...now, tables: dumped, sequences, migrations: migrations.rows.map(({ name }) => name) }
}

async function dumpTable(
  client: pg.ClientBase,
  { name, columns }: { name: string; columns: string[] },
  store: Store,
): Promise<DumpedTable> {
  const table = pg.escapeIdentifier(name)
  const { rowCount } = await client.query(`SELECT FROM ${table} LIMIT 1`)
  if (!rowCount) return { name, columns, rows: 0, part: undefined }
  const list = columns.map((column) => pg.escapeIdentifier(column)).join(', ')
  const copy = client.query(copyTo(`COPY (SELECT ${list} FROM ONLY ${table}) TO STDOUT`))
  const compress = createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: LEVEL } })
  const part = await store(name, copy, compress)
  return { name, columns, rows: copy.rowCount, part }
}

/**
 * Tables of the product with their columns, in the order of their names. Unlogged ones hold what may
 * be lost; those of extensions are made with them.
 */
async function tablesOf(client: pg.ClientBase): Promise<{ name: string; columns: string[] }[]> {
  const { rows } = await client.query<{ name: string; columns: string[] }>(`
    SELECT c.relname AS name, array_agg(a.attname::text ORDER BY a.attnum) AS columns
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND c.relpersistence = 'p'
      AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
      AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
    GROUP BY c.relname ORDER BY c.relname`)
  return rows.filter(({ name }) => !OF_PROCESSES.has(name))
}

async function sequencesOf(client: pg.ClientBase): Promise<SequenceValue[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'S' ORDER BY 1`,
  )
  const values: SequenceValue[] = []
  for (const { name } of rows) {
    const found = await client.query<SequenceValue>(
      `SELECT $1 AS name, last_value::text AS value, is_called FROM ${pg.escapeIdentifier(name)}`,
      [name],
    )
    values.push(...found.rows)
  }
  return values
}
