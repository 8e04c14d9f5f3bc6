/** The whole product on the PostgreSQL of the distribution, which lacks what the embedded one has. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ROOT_ORG_ID } from '@sallyport/contract/constants.ts'
import type { ResourceDefinition } from '@sallyport/contract/define.ts'
import { resources } from '@sallyport/contract/resources/all-fixture.ts'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeBackup, openPlace } from '../src/domains/backups/index.ts'
import { putBackDatabase } from '../src/domains/backups/restore/put-back.ts'
import { type PostgresServer, startPostgres } from '../src/gateway/connectors/postgresql/postgresql-fixture.ts'
import { migrate } from '../src/kernel/database/migrate.ts'
import { withoutNullsNotDistinct } from '../src/kernel/database/postgres-versions.ts'
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from './database.ts'
import { openTestServer, type TestServer } from './server.ts'
import { makeOneOfEach, type OneOfEach } from './walks/one-of-each.ts'

const NAME = 'sallyport'

let postgres: PostgresServer
let older: TestDatabase
let server: TestServer
let pool: pg.Pool
let rows: OneOfEach
beforeAll(async () => {
  postgres = await startPostgres()
  await postgres.sql(`CREATE DATABASE ${NAME}`)
  const connection = { host: '127.0.0.1', port: postgres.port, user: 'postgres', database: NAME }
  older = { connection, drop: async () => {} }
  pool = new pg.Pool({ ...connection, max: 2 })
  pool.on('error', () => {}) // the server may end before its last connections have
  await migrate(pool)
  server = await openTestServer({}, older)
  rows = await makeOneOfEach(server, server.admin)
})
afterAll(async () => {
  await server?.close()
  await pool?.end()
  await postgres?.close()
})

const columnsOf = async (of: pg.Pool) =>
  (
    await of.query(`SELECT c.relname AS table, a.attname AS column, format_type(a.atttypid, a.atttypmod) AS type
      FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
      WHERE c.relnamespace = 'public'::regnamespace AND a.attnum > 0 AND NOT a.attisdropped ORDER BY 1, 2`)
  ).rows

test('an older PostgreSQL gets the same tables, views and indexes as the newest', async () => {
  const newest = await createTestDatabase()
  const other = new pg.Pool({ ...newest.connection, max: 1 })
  try {
    expect(Number((await pool.query('SHOW server_version_num')).rows[0].server_version_num)).toBeLessThan(180_000)
    expect(await columnsOf(pool)).toEqual(await columnsOf(other))
  } finally {
    await other.end()
    await newest.drop()
  }
})

test('every list answers there with what was made, searched and ordered, and every form is described', async () => {
  const listed = resources.filter(({ operations, path }) => operations.includes('list') && !path.includes(':'))
  expect(listed.length).toBeGreaterThan(50)
  const wrong: string[] = []
  const ask = async (definition: ResourceDefinition, query: string) => {
    const admin = definition.scope === 'org' ? server.admin : server.admin.in(ROOT_ORG_ID)
    const { status } = await admin.get(`${definition.path}?limit=10&${query}`)
    if (status >= 500) wrong.push(`${definition.name} ${query}: ${status}`)
    return status
  }
  let read = 0
  for (const definition of listed) {
    if ((await ask(definition, 'offset=0')) === 200) read++
    await ask(definition, `search=${encodeURIComponent("a_%'")}`)
    for (const field of definition.ordering ?? []) await ask(definition, `order=-${field}`)
    const { status } = await server.admin.options(definition.path)
    if (status >= 500) wrong.push(`${definition.name} is not described: ${status}`)
  }
  expect(wrong).toEqual([])
  expect(read).toBeGreaterThan(50)
  expect(Object.keys(rows).length).toBeGreaterThan(20)
})

test('identifiers made there are of version 7, tell the time, and rise within a transaction', async () => {
  const { rows: made } = await pool.query<{ id: string; before: number; after: number; rises: boolean }>(
    `SELECT id::text, rises, extract(epoch FROM transaction_timestamp()) * 1000 AS before,
       extract(epoch FROM clock_timestamp()) * 1000 AS after
     FROM (SELECT id, id > lag(id, 1, id) OVER (ORDER BY n) OR n = 1 AS rises
       FROM (SELECT n, uuidv7() AS id FROM generate_series(1, 2000) n) numbered) compared`,
  )
  expect(made).toHaveLength(2000)
  expect(new Set(made.map(({ id }) => id)).size).toBe(2000)
  for (const { id, before, after } of made) {
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    const milliseconds = Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)
    expect(milliseconds).toBeGreaterThanOrEqual(Math.floor(before))
    expect(milliseconds).toBeLessThanOrEqual(Math.ceil(after))
  }
  expect(made.filter(({ rises }) => !rises)).toEqual([])
})

test('a dump of it becomes a database of the newest PostgreSQL, which goes on with it', async () => {
  const newest = await createEmptyDatabase()
  const { host, port, user, database } = newest.connection
  const own = ['-h', '127.0.0.1', '-p', String(postgres.port), '-U', 'postgres', '--no-owner', NAME]
  // Without, a pg_dump before 16 does not know that SYSTEM_USER became a word of SQL.
  own.push('--quote-all-identifiers')
  const dump = execFileSync(join(postgres.programs, 'pg_dump'), own, { maxBuffer: 2 ** 28 })
  const target = ['-h', String(host), '-p', String(port), '-U', String(user), '-d', String(database)]
  execFileSync(join(postgres.programs, 'psql'), [...target, '-q', '-v', 'ON_ERROR_STOP=1'], {
    input: dump,
    stdio: ['pipe', 'ignore', 'inherit'],
  })
  const other = new pg.Pool({ ...newest.connection, max: 1 })
  try {
    expect(await migrate(other)).toEqual([])
    const { rows: labels } = await other.query(
      `INSERT INTO assets_label (org_id, name, value) SELECT org_id, name, 'another' FROM assets_label WHERE id = $1 RETURNING id`,
      [rows.label?.id],
    )
    expect(labels).toEqual([{ id: expect.stringMatching(/^.{14}7/) }])
  } finally {
    await other.end()
    await newest.drop()
  }
})

// The tests' own server is the newest, unless another was named.
test.skipIf(process.env.TEST_POSTGRES_BIN)(
  'a backup of it is restored on the newest PostgreSQL, and a backup of that on the older one',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sallyport-versions-'))
    const newest = await createEmptyDatabase()
    const { config, secrets: vault } = server.kernel
    const backUp = async (of: pg.Pool, name: string) => {
      const place = openPlace(join(folder, name), config)
      const options = { pool: of, config, vault, place, madeBy: 'operator', keep: 1 } as const
      return { place, manifest: await makeBackup(options) }
    }
    const other = new pg.Pool({ ...newest.connection, max: 4 })
    const again = new pg.Pool({ ...older.connection, database: 'again', max: 2 })
    for (const one of [other, again]) one.on('error', () => {})
    try {
      const first = await backUp(pool, 'older')
      await putBackDatabase(newest.connection, first.place, first.manifest)
      // The server of the first goes on with its jobs; nobody changes these.
      const still = first.manifest.tables.filter(({ name }) =>
        /^(assets|users|perms|applications|acls|orgs)_/.test(name),
      )
      expect(still.length).toBeGreaterThan(30)
      expect(await sumsOf(other, still)).toEqual(await sumsOf(pool, still))
      expect(await migrate(other)).toEqual([])
      const second = await backUp(other, 'newest')
      expect(second.manifest.postgres).toMatch(/^18/)
      await postgres.sql('CREATE DATABASE again')
      await putBackDatabase({ ...older.connection, database: 'again' }, second.place, second.manifest)
      const { tables } = second.manifest
      expect(await sumsOf(again, tables)).toEqual(await sumsOf(other, tables))
    } finally {
      await Promise.all([other.end(), again.end()])
      await newest.drop()
      rmSync(folder, { recursive: true, force: true })
    }
  },
)

/** A checksum of each table's rows, but for those that a backup changes. */
async function sumsOf(of: pg.Pool, tables: readonly { name: string }[]): Promise<Record<string, string>> {
  const sums: Record<string, string> = {}
  for (const { name } of tables) {
    if (['backups_backup', 'audits_operate_log', 'kernel_migration'].includes(name)) continue
    const { rows: found } = await of.query(
      `SELECT coalesce(md5(string_agg(t::text, '|' ORDER BY t::text COLLATE "C")), '') AS sum FROM ${pg.escapeIdentifier(name)} t`,
    )
    sums[name] = found[0].sum
  }
  return sums
}

test('no migration is written in words that PostgreSQL 14 does not know, as it gets them', () => {
  const folder = fileURLToPath(new URL('../migrations/', import.meta.url))
  const newer =
    /NULLS NOT DISTINCT|NOT ENFORCED|\bMERGE INTO|security_invoker|\) VIRTUAL\b|WITHOUT OVERLAPS|JSON_TABLE|any_value|regexp_(count|instr|like|substr)/
  const found = readdirSync(folder).filter((name) =>
    newer.test(withoutNullsNotDistinct(readFileSync(join(folder, name), 'utf8'))),
  )
  expect(found).toEqual([])
})

test('PostgreSQL 14, which knows no NULLS NOT DISTINCT, refuses the same duplicates', async () => {
  const written = `CREATE UNIQUE INDEX shelf__book__unique ON shelf (book, owner, at)
  INCLUDE (org_id) NULLS NOT DISTINCT;`
  const client = await pool.connect()
  try {
    for (const [sql, searched] of [
      [written, 0],
      [withoutNullsNotDistinct(written), 1],
    ] as const) {
      await client.query('BEGIN')
      await client.query('CREATE TABLE shelf (org_id uuid, book text, owner uuid, at timestamptz)')
      await client.query(sql)
      const { rows: indexes } = await client.query(`SELECT FROM pg_index WHERE indrelid = 'shelf'::regclass`)
      expect(indexes).toHaveLength(1 + searched)
      const insert = `INSERT INTO shelf (book, owner, at) VALUES ('a', NULL, 'epoch'), ('a', NULL, 'epoch'), ('a', NULL, now()),
        ('b', '00000000-0000-0000-0000-000000000001', NULL), ('b', '00000000-0000-0000-0000-000000000001', NULL), ('b', NULL, NULL)
        ON CONFLICT DO NOTHING`
      expect((await client.query(insert)).rowCount).toBe(4)
      await client.query('ROLLBACK')
    }
    expect(written).toMatch(/NULLS NOT DISTINCT/)
    expect(withoutNullsNotDistinct(written)).not.toMatch(/NULLS NOT DISTINCT/)
  } finally {
    client.release()
  }
})
