import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { StartRefusal } from '../start-refusal.ts'
import { migrate } from './migrate.ts'
import { RENAMED_MIGRATIONS } from './renamed-migrations.ts'

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

test('a database that was migrated under the numbers of before runs nothing again', async () => {
  const names = await applied()
  const before = Object.fromEntries(Object.entries(RENAMED_MIGRATIONS).map(([old, now]) => [now, old]))
  expect(names).toEqual(expect.arrayContaining(Object.keys(before)))
  for (const [now, old] of Object.entries(before)) {
    await pool.query('UPDATE kernel_migration SET name = $1 WHERE name = $2', [old, now])
  }
  expect(await migrate(pool)).toEqual([])
  expect(await applied()).toEqual(names)
})

test('the numbers of before and the dates of now stand in the same order', () => {
  const numbers = Object.keys(RENAMED_MIGRATIONS)
  expect(numbers.toSorted()).toEqual(numbers)
  expect(Object.values(RENAMED_MIGRATIONS).toSorted()).toEqual(Object.values(RENAMED_MIGRATIONS))
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
