import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { StartRefusal } from '../start-refusal.ts'
import { migrate, planMigrations } from './migrate.ts'
import { purposeOf } from './migration-plan.ts'

const MIGRATIONS = fileURLToPath(new URL('../../../migrations/', import.meta.url))

let database: TestDatabase
let empty: TestDatabase
let pool: pg.Pool
let emptyPool: pg.Pool
let folder: string

beforeEach(async () => {
  ;[database, empty] = await Promise.all([createTestDatabase(), createEmptyDatabase()])
  pool = new pg.Pool({ ...database.connection, max: 1 })
  emptyPool = new pg.Pool({ ...empty.connection, max: 1 })
  folder = await mkdtemp(join(tmpdir(), 'sallyport-migrations-'))
})
afterEach(async () => {
  await Promise.all([pool.end(), emptyPool.end()])
  await Promise.all([database.drop(), empty.drop()])
  await rm(folder, { recursive: true })
})

async function applied(of = pool): Promise<string[]> {
  const { rows } = await of.query<{ name: string }>('SELECT name FROM kernel_migration ORDER BY name')
  return rows.map(({ name }) => name)
}

test('every migration is named by date, time, domain and what it does', async () => {
  const names = await readdir(MIGRATIONS)
  expect(names.filter((name) => !/^20\d\d[01]\d[0-3]\d[0-2]\d[0-5]\d_[a-z]+(_[a-z0-9]+)+\.sql$/.test(name))).toEqual([])
})

test('every migration says first, in a comment, what it is for', async () => {
  const names = await readdir(MIGRATIONS)
  const texts = await Promise.all(names.map((name) => readFile(join(MIGRATIONS, name), 'utf8')))
  expect(names.filter((_, n) => purposeOf(texts[n] ?? '').length < 20)).toEqual([])
})

test('a plan says what each due migration does to which tables, from their rows how long it takes, and changes nothing', async () => {
  await writeFile(
    join(folder, '202601010000_shelf_tables.sql'),
    `-- Shelves, and the books
-- on them.

CREATE TABLE shelf (id int PRIMARY KEY);
CREATE TABLE book (id int, title text);
INSERT INTO book SELECT n, 'A book; or "two"' FROM generate_series(1, 2000) n;
CREATE INDEX book__title ON book (title);`,
  )
  const pool = emptyPool
  const client = await pool.connect()
  try {
    expect(await planMigrations(client, folder)).toEqual([
      {
        name: '202601010000_shelf_tables',
        purpose: 'Shelves, and the books on them.',
        makes: ['shelf', 'book'],
        touches: [],
        seconds: 0,
      },
    ])
    const { rows } = await client.query(`SELECT to_regclass('shelf') AS shelf, to_regclass('kernel_migration') AS list`)
    expect(rows).toEqual([{ shelf: null, list: null }])
  } finally {
    client.release()
  }
  await migrate(pool, folder)
  await writeFile(
    join(folder, '202601020000_book_shelves.sql'),
    `-- Books know their shelf.
ALTER TABLE book ADD COLUMN shelf int;
UPDATE book SET shelf = 1 -- it's all on one; UPDATE shelf
  WHERE title <> 'UPDATE shelf SET id = 2; ';
CREATE INDEX book__shelf ON book (shelf) WHERE shelf IS NOT NULL;
DO $$ BEGIN UPDATE shelf SET id = 3; END $$;
ALTER TABLE book ALTER COLUMN title TYPE varchar(200);`,
  )
  const again = await pool.connect()
  try {
    const [plan, ...more] = await planMigrations(again, folder)
    expect(more).toEqual([])
    expect(plan).toMatchObject({
      purpose: 'Books know their shelf.',
      makes: [],
      touches: [
        {
          table: 'book',
          rows: 2000,
          effects: ['columns or names change', 'rows are changed', 'a new index', 'it is written anew'],
        },
      ],
    })
    // 2000 rows, written twice and read for an index.
    expect(plan?.seconds).toBeCloseTo(0.21, 5)
  } finally {
    again.release()
  }
})

test('a database from before the first release is refused in one line, and nothing is written into it', async () => {
  const earlier = ['0000_kernel.sql', '202611211332_orgs_tables.sql']
  await emptyPool.query('CREATE TABLE kernel_migration (name text PRIMARY KEY, applied_at timestamptz)')
  await emptyPool.query('INSERT INTO kernel_migration (name) SELECT unnest($1::text[])', [earlier])
  const refusal = await migrate(emptyPool).catch((error: unknown) => error)
  expect(refusal).toBeInstanceOf(StartRefusal)
  expect((refusal as Error).message).toMatch(/^This database was made by a Sallyport from before its first release.*$/)
  expect(await applied(emptyPool)).toEqual(earlier)
  const { rows } = await emptyPool.query(
    `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
     UNION ALL SELECT extname FROM pg_extension WHERE extname <> 'plpgsql'`,
  )
  expect(rows).toEqual([{ name: 'kernel_migration' }])
})

test('pending migrations run in order of their dates, also one that is older than what was applied last', async () => {
  const write = (name: string, sql: string) => writeFile(join(folder, name), sql)
  await write('202601020000_shelf_second.sql', 'ALTER TABLE shelf ADD COLUMN second int')
  await write('202601010000_shelf_first.sql', 'CREATE TABLE shelf (first int)')
  expect(await migrate(emptyPool, folder)).toEqual(['202601010000_shelf_first.sql', '202601020000_shelf_second.sql'])
  await write('202601011200_shelf_late.sql', 'ALTER TABLE shelf ADD COLUMN late int')
  expect(await migrate(emptyPool, folder)).toEqual(['202601011200_shelf_late.sql'])
  expect(await migrate(emptyPool, folder)).toEqual([])
})

test('a migration that fails is named, leaves nothing of itself, and keeps those before it', async () => {
  await writeFile(join(folder, '202601010000_shelf_good.sql'), 'CREATE TABLE shelf (first int)')
  await writeFile(join(folder, '202601020000_shelf_bad.sql'), 'ALTER TABLE shelf ADD COLUMN half int; SELECT nothing')
  await expect(migrate(emptyPool, folder)).rejects.toThrow(
    'migration 202601020000_shelf_bad.sql failed: column "nothing" does not exist',
  )
  const { rows } = await emptyPool.query(
    `SELECT column_name FROM information_schema.columns WHERE table_name = 'shelf'`,
  )
  expect(rows).toEqual([{ column_name: 'first' }])
  expect(await applied(emptyPool)).toContain('202601010000_shelf_good.sql')
})

test('a program that is older than its database refuses it in one line, and changes nothing', async () => {
  const newer = '209901010000_shelf_of_tomorrow.sql'
  await pool.query('INSERT INTO kernel_migration (name) VALUES ($1)', [newer])
  const before = await applied()
  const refusal = await migrate(pool).catch((error: unknown) => error)
  expect(refusal).toBeInstanceOf(StartRefusal)
  expect((refusal as Error).message).toMatch(
    /^This Sallyport is older than its database.*209901010000_shelf_of_tomorrow.*$/,
  )
  expect(await applied()).toEqual(before)
  // Also where something of its own is still to come.
  await writeFile(join(folder, '202601010000_shelf_first.sql'), 'CREATE TABLE shelf (first int)')
  await expect(migrate(pool, folder)).rejects.toThrow('older than its database')
  expect((await pool.query("SELECT to_regclass('shelf') AS shelf")).rows).toEqual([{ shelf: null }])
})
