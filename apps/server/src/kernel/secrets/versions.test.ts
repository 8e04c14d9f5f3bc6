import { integer, pgTable, text } from 'drizzle-orm/pg-core'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { id, sealed } from '../database/columns.ts'
import { type Database, type OpenDatabase, openDatabase } from '../database/database.ts'
import { KeyRing } from './key-ring.ts'
import { newKey } from './secret-key.ts'
import { createVault } from './vault.ts'
import {
  candidateOf,
  discard,
  keepPrevious,
  MAX_PREVIOUS,
  previousOf,
  promote,
  propose,
  type SecretRow,
} from './versions.ts'

const testLogin = pgTable('test_login', {
  id: id(),
  password_sealed: sealed('password_sealed'),
  private_key_sealed: sealed('private_key_sealed'),
  public_key: text('public_key').notNull().default(''),
  version: integer('version').notNull().default(1),
})

const vault = createVault(new KeyRing([newKey()]))
const open = (value: Buffer | null | undefined) => (value ? vault.open('test', 'versions')(value) : '')
let database: TestDatabase
let opened: OpenDatabase
beforeAll(async () => {
  database = await createTestDatabase()
  opened = openDatabase(database.connection)
  await opened.pool.query(`
    CREATE TABLE test_login (id uuid PRIMARY KEY DEFAULT uuidv7(), password_sealed bytea, private_key_sealed bytea,
      public_key text NOT NULL DEFAULT '', version integer NOT NULL DEFAULT 1);
    CREATE TRIGGER test_login__forget_secret_versions AFTER DELETE ON test_login
      REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION kernel_forget_secret_versions('asset_account')`)
})
afterAll(async () => {
  await opened?.close()
  await database?.drop()
})

async function aLogin(password = 'old'): Promise<SecretRow> {
  const [row] = await opened.db
    .insert(testLogin)
    .values({
      password_sealed: vault.seal(password),
      private_key_sealed: vault.seal('old key'),
      public_key: 'old half',
    })
    .returning({ id: testLogin.id })
  return { kind: 'asset_account', table: testLogin, id: row?.id ?? '' }
}
const change = (row: SecretRow, password: string) => propose(opened.db, vault, row, { password }, 'plan 7')

/** All that is known of a login: passwords by the state they are in. */
async function known(row: SecretRow) {
  const { rows } = await opened.pool.query('SELECT * FROM test_login WHERE id = $1', [row.id])
  const previous = await previousOf(opened.db, row)
  return {
    candidate: open((await candidateOf(opened.db, row))?.password_sealed),
    current: open(rows[0].password_sealed),
    previous: previous.map((one) => open(one.password_sealed)),
    version: rows[0].version,
  }
}

test('a secret is a candidate first, then current; the former current one is previous', async () => {
  const row = await aLogin()
  await change(row, 'new')
  expect(await known(row)).toEqual({ candidate: 'new', current: 'old', previous: [], version: 1 })
  await promote(opened.db, row)
  expect(await known(row)).toEqual({ candidate: '', current: 'new', previous: ['old'], version: 2 })
  const [former] = await previousOf(opened.db, row)
  expect([former?.version, open(former?.private_key_sealed), former?.public_key]).toEqual([1, 'old key', 'old half'])
})

test('a candidate keeps the values that it does not name; a key brings its public half', async () => {
  const row = await aLogin()
  await propose(opened.db, vault, row, { private_key: 'new key', public_key: 'new half' }, 'plan 7')
  await promote(opened.db, row)
  const { rows } = await opened.pool.query('SELECT * FROM test_login WHERE id = $1', [row.id])
  expect([open(rows[0].password_sealed), open(rows[0].private_key_sealed), rows[0].public_key]).toEqual([
    'old',
    'new key',
    'new half',
  ])
})

test('one of two people who change a secret at once gets a plain refusal, and changes nothing', async () => {
  const row = await aLogin()
  const results = await Promise.allSettled([change(row, 'mine'), change(row, 'yours')])
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  const refusal = results.find((one) => one.status === 'rejected')?.reason
  expect([refusal.status, refusal.code]).toEqual([409, 'secret_is_changing'])
  const winner = results[0]?.status === 'fulfilled' ? 'mine' : 'yours'
  expect(await known(row)).toMatchObject({ candidate: winner, current: 'old' })

  await discard(opened.db, row)
  expect(await known(row)).toEqual({ candidate: '', current: 'old', previous: [], version: 1 })
  await expect(promote(opened.db, row)).rejects.toMatchObject({ status: 409, code: 'secret_is_not_changing' })
  await change(row, 'third')
  expect(await known(row)).toMatchObject({ candidate: 'third' })
})

/** Whether work failed on a connection that PostgreSQL ends before its statement of that number. */
async function failsWhenLost(statement: number, work: (db: Database) => Promise<void>) {
  let sent = 0
  class LosingClient extends pg.Client {
    override query = (async (...given: Parameters<pg.Client['query']>) => {
      if (++sent === statement)
        await opened.pool.query('SELECT pg_terminate_backend($1, 5000)', [(this as { processID?: number }).processID])
      return super.query(...given)
    }) as never
  }
  const losing = openDatabase({ ...database.connection, max: 1, Client: LosingClient })
  losing.pool.on('connect', (client) => client.on('error', () => {}))
  const failed = await work(losing.db).then(
    () => false,
    () => true,
  )
  // Not waited for: a transaction that could not begin never gives its connection back.
  void losing.close()
  return failed
}

test('a connection that is lost before any statement of a step leaves the secrets of before, and the step can be done again', async () => {
  for (const step of ['propose', 'promote'] as const) {
    let at = 0
    for (let broken = true; broken; ) {
      const row = await aLogin()
      if (step === 'promote') await change(row, 'new')
      const before = await known(row)
      broken = await failsWhenLost(++at, (db) =>
        step === 'promote' ? promote(db, row) : propose(db, vault, row, { password: 'new' }, 'plan 7'),
      )
      if (broken) expect(await known(row), `${step}, statement ${at}`).toEqual(before)
      if (broken && step === 'propose') await change(row, 'new')
      if (broken || step === 'propose') await promote(opened.db, row)
      expect(await known(row), `${step}, statement ${at}`).toMatchObject({ current: 'new', previous: ['old'] })
    }
    expect(at).toBeGreaterThan(4)
  }
})

test('a candidate outlives the process that stored it: nothing of it is in memory', async () => {
  const row = await aLogin()
  await change(row, 'new')
  const later = openDatabase(database.connection)
  try {
    expect(open((await candidateOf(later.db, row))?.password_sealed)).toBe('new')
    await promote(later.db, row)
  } finally {
    await later.close()
  }
  expect(await known(row)).toMatchObject({ current: 'new', previous: ['old'] })
})

test('so many previous secrets are kept, the latest first; a row without secrets keeps nothing', async () => {
  const row = await aLogin('0')
  for (let number = 1; number <= MAX_PREVIOUS + 2; number++) {
    await change(row, String(number))
    await promote(opened.db, row)
  }
  const { previous } = await known(row)
  expect(previous).toEqual(Array.from({ length: MAX_PREVIOUS }, (_, at) => String(MAX_PREVIOUS + 1 - at)))
  const empty = await aLogin()
  await opened.pool.query('UPDATE test_login SET password_sealed = NULL, private_key_sealed = NULL WHERE id = $1', [
    empty.id,
  ])
  await keepPrevious(opened.db, empty)
  expect(await previousOf(opened.db, empty)).toEqual([])
})

test('versions go with their row, and nothing is proposed for one that is gone', async () => {
  const [row, other] = [await aLogin(), await aLogin()]
  for (const one of [row, other]) await change(one, 'new')
  await opened.pool.query('DELETE FROM test_login WHERE id = $1', [row.id])
  expect(await candidateOf(opened.db, row)).toBeUndefined()
  expect(await candidateOf(opened.db, other)).toBeDefined()
  await expect(change(row, 'newer')).rejects.toMatchObject({ status: 404 })
})

test('no version holds a secret that can be read', async () => {
  const row = await aLogin()
  await change(row, 'plain-to-see')
  const { rows } = await opened.pool.query('SELECT v::text AS text FROM kernel_secret_version v WHERE owner_id = $1', [
    row.id,
  ])
  expect(rows[0].text).not.toContain(Buffer.from('plain-to-see').toString('hex'))
  expect(rows[0].text).not.toContain('plain-to-see')
})
