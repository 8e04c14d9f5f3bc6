import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { is } from 'drizzle-orm'
import { getTableConfig, getViewConfig, type PgColumn, PgTable, PgView } from 'drizzle-orm/pg-core'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from './database.ts'

const SOURCE = fileURLToPath(new URL('../src/', import.meta.url))
/** Without types, as all scripts. */
const OWNERSHIP = fileURLToPath(new URL('../../../scripts/sql-ownership.mjs', import.meta.url))

let database: Awaited<ReturnType<typeof createTestDatabase>>
let pool: pg.Pool

beforeAll(async () => {
  database = await createTestDatabase()
  pool = new pg.Pool({ ...database.connection, max: 2 })
})
afterAll(async () => {
  await pool?.end()
  await database?.drop()
})

async function tablesInCode(): Promise<PgTable[]> {
  const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).filter((path) =>
    /(^|\/)tables\.ts$|domains\/[^/]+\/resources\/.*(?<!\.test)\.ts$|kernel\/resource\/selection\.ts$/.test(path),
  )
  const modules = await Promise.all(files.map((path) => import(SOURCE + path) as Promise<Record<string, unknown>>))
  return modules.flatMap((module) => Object.values(module)).filter((value): value is PgTable => is(value, PgTable))
}

test('the migrations make exactly the tables and columns that the code names', async () => {
  const { rows } = await pool.query<{ table: string; column: string; type: string; required: boolean }>(`
    SELECT c.relname AS table, a.attname AS column, format_type(a.atttypid, a.atttypmod) AS type, a.attnotnull AS required
    FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p') AND a.attnum > 0 AND NOT a.attisdropped`)
  const stored = new Map(
    rows.map((row) => [`${row.table}.${row.column}`, `${row.type}${row.required ? ' not null' : ''}`]),
  )
  const named = new Map<string, string>()
  for (const table of await tablesInCode()) {
    const { name, columns } = getTableConfig(table)
    for (const column of columns)
      named.set(
        `${name}.${column.name}`,
        `${typeInCatalog(column.getSQLType())}${column.notNull || column.primary ? ' not null' : ''}`,
      )
  }
  expect(named.size).toBeGreaterThan(50)
  for (const [column, type] of named) expect(`${column}: ${stored.get(column)}`).toBe(`${column}: ${type}`)
  const tables = new Set([...named.keys()].map((key) => key.split('.')[0]))
  const unnamed = [...stored.keys()].filter((key) => tables.has(key.split('.')[0]) && !named.has(key))
  expect(unnamed).toEqual([])
})

test('the migrations make exactly the views, with their columns, that domains open to each other', async () => {
  const { rows } = await pool.query<{ view: string; columns: string[] }>(`
    SELECT c.relname AS view, array_agg(a.attname || ' ' || format_type(a.atttypid, a.atttypmod) ORDER BY a.attnum) AS columns
    FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = 'public' AND c.relkind = 'v' AND a.attnum > 0 GROUP BY c.relname`)
  const stored = new Map(rows.map(({ view, columns }) => [view, columns]))
  const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).filter((path) =>
    /^domains\/[^/]+\/views\.ts$/.test(path),
  )
  expect(files.length).toBeGreaterThan(3)
  const { ownerOf } = (await import(OWNERSHIP)) as { ownerOf: (name: string) => string }
  for (const path of files) {
    const views = Object.values((await import(SOURCE + path)) as Record<string, unknown>).filter(
      (value): value is PgView => is(value, PgView),
    )
    for (const { name, selectedFields } of views.map((view) => getViewConfig(view))) {
      expect(`${name} of ${ownerOf(name)}`).toBe(`${name} of ${path.split('/')[1]}`)
      const columns = Object.values(selectedFields as Record<string, PgColumn>)
      expect(columns.map((column) => `${column.name} ${typeInCatalog(column.getSQLType())}`)).toEqual(stored.get(name))
    }
  }
})

/** drizzle's words for types → PostgreSQL's own. */
function typeInCatalog(type: string): string {
  return type
    .replace(/^varchar/, 'character varying')
    .replace(/^bigserial$/, 'bigint')
    .replace(/^serial$/, 'integer')
    .replace(/^timestamp with time zone.*$/, 'timestamp with time zone')
}
