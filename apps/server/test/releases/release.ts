/**
 * A released schema: the migrations as they were written then, the demo's rows, and what its lists
 * counted. Kept as compressed JSON beside this file.
 */

import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import pg from 'pg'
import { provideFunctions } from '../../src/kernel/database/postgres-versions.ts'

const FOLDER = fileURLToPath(new URL('./', import.meta.url))
const ENDING = '.json.gz'
/** Superuser of the embedded server: only for a superuser are foreign keys left unchecked. */
const SUPERUSER = 'postgres'

/** Sealed values of all releases are sealed under this key, which is good for nothing else. */
export const RELEASE_SECRET_KEY = 'known-to-everybody-for-released-schemas'

export interface Release {
  /** In order of application. */
  migrations: { name: string; sql: string }[]
  /** Rows by table, as JSON text: numbers that JavaScript can't hold stay as they are. */
  tables: Record<string, string>
  /** Last values of sequences by name. */
  sequences: Record<string, string>
  /** Rows that an administrator of all organizations saw in each list, by its path. */
  lists: Record<string, number>
}

export function releaseFile(name: string): string {
  return FOLDER + name + ENDING
}

export function releaseNames(files: readonly string[]): string[] {
  return files.filter((name) => name.endsWith(ENDING)).map((name) => name.slice(0, -ENDING.length))
}

export async function readRelease(name: string): Promise<Release> {
  return JSON.parse(String(await promisify(gunzip)(await readFile(releaseFile(name)))))
}

export async function writeRelease(name: string, release: Release): Promise<void> {
  await writeFile(releaseFile(name), await promisify(gzip)(JSON.stringify(release), { level: 9 }))
}

/**
 * Rows and sequences of the database as it is now: at one moment, as the server that filled it goes
 * on, and what is chained of a row belongs to the row.
 */
export async function readRows(pool: pg.Pool): Promise<Pick<Release, 'tables' | 'sequences'>> {
  const client = await pool.connect()
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    return await readRowsIn(client)
  } finally {
    await client.query('ROLLBACK')
    client.release()
  }
}

async function readRowsIn(client: pg.PoolClient): Promise<Pick<Release, 'tables' | 'sequences'>> {
  const tables: Release['tables'] = {}
  for (const { name } of (
    await client.query(`SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`)
  ).rows) {
    const { rows } = await client.query(
      `SELECT jsonb_agg(to_jsonb(t) ORDER BY ctid)::text AS rows FROM ${pg.escapeIdentifier(name)} t`,
    )
    if (rows[0].rows) tables[name] = rows[0].rows
  }
  const sequences = await client.query(
    `SELECT sequencename AS name, last_value::text AS value FROM pg_sequences WHERE schemaname = 'public' AND last_value IS NOT NULL`,
  )
  return { tables, sequences: Object.fromEntries(sequences.rows.map(({ name, value }) => [name, value])) }
}

/** Makes an empty database of the test server what an installation of that release was. */
export async function restoreRelease(release: Release, connection: pg.ClientConfig): Promise<void> {
  const client = new pg.Client({ ...connection, user: SUPERUSER })
  await client.connect()
  try {
    await client.query(`SET ROLE ${pg.escapeIdentifier(connection.user ?? '')}`)
    await client.query('CREATE EXTENSION ltree; CREATE EXTENSION pg_trgm')
    await provideFunctions(client)
    await client.query(
      'CREATE TABLE kernel_migration (name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())',
    )
    for (const { sql } of release.migrations) await client.query(sql)
    await client.query('RESET ROLE; SET session_replication_role = replica')
    for (const [table, rows] of Object.entries(release.tables)) await fillTable(client, table, rows)
    for (const [name, value] of Object.entries(release.sequences))
      await client.query('SELECT setval($1::regclass, $2)', [name, value])
  } finally {
    await client.end()
  }
}

async function fillTable(client: pg.Client, table: string, rows: string): Promise<void> {
  const { rows: stored } = await client.query(
    `SELECT string_agg(quote_ident(attname), ', ') AS columns FROM pg_attribute
     WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''`,
    [table],
  )
  const { columns } = stored[0]
  const name = pg.escapeIdentifier(table)
  // Migrations bring rows of their own (built-in platforms); what the release held takes their
  // place.
  await client.query(`DELETE FROM ${name}`)
  await client.query(
    `INSERT INTO ${name} (${columns}) OVERRIDING SYSTEM VALUE SELECT ${columns} FROM jsonb_populate_recordset(NULL::${name}, $1::jsonb)`,
    [rows],
  )
}
