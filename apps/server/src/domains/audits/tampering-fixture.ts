/** What somebody does who holds the database, on any table that is chained. */
import { sql } from 'drizzle-orm'
import type pg from 'pg'
import type { Database } from '../../kernel/database/database.ts'
import { CHAINED_LOGS, type ChainedLog, chainedTable } from './chain.ts'

export interface Column {
  name: string
  type: string
  /** What checks of the table name. */
  words: string[]
}
export interface Chained {
  table: string
  log: ChainedLog
  /** Where its entries are; undefined where the rows themselves are chained. */
  entries: string | undefined
  columns: Column[]
}

export const run = (db: Database, statement: string) => db.execute(sql.raw(statement))
/** The first row of a table, for a WHERE. */
export const first = (table: string) => `ctid = (SELECT min(ctid) FROM ${table})`

/** As the database has them: whatever has the columns of a chain, or triggers that write entries. */
export async function chainedTables(pool: pg.Pool): Promise<Chained[]> {
  const { rows } = await pool.query<{ table: string; entries: string | null }>(`
    SELECT c.relname AS table, NULL AS entries FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
      WHERE c.relkind = 'r' AND a.attname = 'chain_number' AND c.relname NOT LIKE '%\\_entry'
    UNION SELECT t.tgrelid::regclass::text, substring(p.prosrc from 'INSERT INTO (audits_[a-z]+_entry)')
      FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid WHERE t.tgname LIKE 'audits\\_chain%'
    ORDER BY 1`)
  return Promise.all(
    rows.map(async ({ table, entries }) => {
      const log = CHAINED_LOGS.find((one) => chainedTable(one) === (entries ?? table))
      if (!log) throw new Error(`${table} is in no chain`)
      return { table, log, entries: entries ?? undefined, columns: await columnsOf(pool, table) }
    }),
  )
}

async function columnsOf(pool: pg.Pool, table: string): Promise<Column[]> {
  const { rows } = await pool.query<{ name: string; type: string; checks: string | null }>(
    `SELECT a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type,
       (SELECT string_agg(pg_get_constraintdef(k.oid), ' ') FROM pg_constraint k
        WHERE k.conrelid = a.attrelid AND k.contype = 'c' AND a.attnum = ANY (k.conkey)) AS checks
     FROM pg_attribute a WHERE a.attrelid = $1::regclass AND a.attnum > 0 AND NOT a.attisdropped
       AND a.attgenerated = '' AND a.attidentity = '' AND a.attname NOT IN ('chain_number', 'chain_hash')`,
    [table],
  )
  return rows.map(({ checks, ...column }) => ({
    ...column,
    words: [...(checks ?? '').matchAll(/'([^']*)'/g)].map(([, word]) => String(word)),
  }))
}

const FORGED: Readonly<Record<string, (column: string) => string>> = {
  text: () => `'forged'`,
  uuid: () => 'uuidv7()',
  'uuid[]': () => 'ARRAY[uuidv7()]',
  boolean: (column) => `NOT ${column}`,
  integer: (column) => `coalesce(${column}, 0) + 1`,
  bigint: (column) => `coalesce(${column}, 0) + 1`,
  'double precision': (column) => `coalesce(${column}, 0) + 1`,
  'timestamp with time zone': (column) => `coalesce(${column}, now()) + interval '1 hour'`,
  jsonb: () => `'{"forged": true}'`,
}

/** Changes a column of one row, to whatever its checks allow. Throws where the database refuses all. */
export async function rewrite(db: Database, table: string, { name, type, words }: Column): Promise<void> {
  const column = `"${name}"`
  const forged = FORGED[type]
  if (!forged) throw new Error(`how is ${type} forged?`)
  let refusal: unknown = new Error(`${table}.${name} stayed`)
  for (const value of [forged(column), ...words.map((word) => `'${word}'`)]) {
    const statement = `UPDATE ${table} SET ${column} = ${value} WHERE ${first(table)} AND ${column} IS DISTINCT FROM ${value}`
    const changed = await db
      .transaction((tx) => run(tx, statement))
      .catch((error) => {
        refusal = error
      })
    if (changed?.rowCount) return
  }
  throw refusal
}

/** With no trigger, check or foreign key in the way. */
export async function unseen(db: Database, table: string, work: () => Promise<unknown>): Promise<void> {
  const { rows } = await run(
    db,
    `SELECT conrelid::regclass::text AS of, conname AS name FROM pg_constraint
     WHERE '${table}'::regclass IN (conrelid, confrelid) AND contype IN ('c', 'f')`,
  )
  for (const { of, name } of rows) await run(db, `ALTER TABLE ${of} DROP CONSTRAINT "${name}"`)
  await run(db, `ALTER TABLE ${table} DISABLE TRIGGER USER`)
  await work()
  await run(db, `ALTER TABLE ${table} ENABLE TRIGGER USER`)
}

/** What makes a copy of a row another row, where that is not its id alone. */
const OTHER_KEY: Readonly<Record<string, string>> = {
  terminal_statement: `jsonb_build_object('command', (SELECT id FROM terminal_command c
    WHERE NOT EXISTS (SELECT FROM terminal_statement s WHERE s.command = c.id) LIMIT 1))`,
  tickets_ticket: `jsonb_build_object('id', uuidv7(), 'serial_num', uuidv7())`,
  ops_command_execution_host: `jsonb_build_object('asset', uuidv7())`,
  ops_adhoc_execution_host: `jsonb_build_object('asset', uuidv7())`,
}

/** Puts in a copy of a row, which says in all its dates that it is of that day. */
export async function copyRow(db: Database, { table, columns }: Chained, day?: string): Promise<void> {
  const dates = columns.filter(({ type, name }) => day && (type.startsWith('timestamp') || name === 'timestamp'))
  const values = dates.map(({ name, type }) => `'${name}', ${type === 'bigint' ? '1000' : `'${day}'`}`)
  const key = OTHER_KEY[table] ?? `jsonb_build_object('id', uuidv7())`
  const { rowCount } = await run(
    db,
    `INSERT INTO ${table} (${columns.map(({ name }) => `"${name}"`)})
     SELECT ${columns.map(({ name }) => `(r)."${name}"`)} FROM (
       SELECT jsonb_populate_record(t, ${key} || jsonb_build_object(${values})) AS r FROM ${table} t WHERE ${first(table)}) copied`,
  )
  if (rowCount !== 1) throw new Error(`${table} has nothing to copy`)
}

export interface Entry {
  kind: string
  row_id: string
  body: string
  date: string
}

/** Writes an entry as the product would. */
export const addEntry = (db: Database, entries: string, { kind, row_id, body, date }: Entry) =>
  db.execute(
    sql`INSERT INTO ${sql.raw(entries)} (kind, row_id, body, date) VALUES (${kind}, ${row_id}, ${body}, ${date})`,
  )

interface ReadLine {
  number: number
  entry: Entry | undefined
  now: Entry | undefined
  /** Which of several the entry has, from 0; undefined for an entry of one row. */
  part?: number
}

/** The verifier's input: what the entry says of a row, and the row as it is now. */
export function readLines(lines: readonly unknown[][]): ReadLine[] {
  let parts: string[] | undefined
  let kindOfParts = ''
  return lines.map((line) => {
    const [number, , text, kind, row_id, body, date, , at] = line as [number, string, ...(string | null)[]]
    const now = kind && row_id && body && date ? { kind, row_id, body, date } : undefined
    if (text) {
      const [, word = '', row = '', content = '', day = ''] = JSON.parse(text) as string[]
      kindOfParts = { commands: 'command', statements: 'statement' }[word] ?? ''
      parts = kindOfParts ? content.split('\n') : undefined
      if (!parts) return { number, entry: { kind: word, row_id: row, body: content, date: day }, now }
    }
    const part = Number(at) - 1
    const [id, seconds, sum] = parts?.[part]?.split(' ') ?? []
    if (!id || !sum) return { number, entry: undefined, now }
    const entry = { kind: kindOfParts, row_id: id, body: sum, date: new Date(Number(seconds) * 1000).toISOString() }
    return { number, entry, now, part }
  })
}

/** Has an entry say of a row what that is now. */
export const rewriteEntry = (db: Database, entries: string, { number, entry, part }: ReadLine, body: string) =>
  db.execute(
    sql`UPDATE ${sql.raw(entries)} SET body = ${part === undefined ? sql`${body}` : sql`replace(body, ${entry?.body}, ${body})`}
      WHERE chain_number = ${number}`,
  )
