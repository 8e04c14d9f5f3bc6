import { randomBytes } from 'node:crypto'
import { drizzle } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import type { Database } from '../../kernel/database/database.ts'
import { KeyRing } from '../../kernel/secrets/key-ring.ts'
import { secretKey } from '../../kernel/secrets/secret-key.ts'
import { createVault } from '../../kernel/secrets/vault.ts'
import { forgetOld, sealLog, verifyLog } from './chain.ts'
import { auditsOperateLog } from './tables.ts'

const ORG = '00000000-0000-0000-0000-000000000002'
const secrets = createVault(new KeyRing([secretKey(randomBytes(32))]))
let database: TestDatabase
let pool: pg.Pool
let db: Database

beforeAll(async () => {
  database = await createTestDatabase()
  pool = new pg.Pool({ ...database.connection, max: 4 })
  db = drizzle(pool)
})
afterAll(async () => {
  await pool?.end()
  await database?.drop()
})
beforeEach(async () => {
  await pool.query('TRUNCATE audits_operate_log, audits_chain')
})

async function write(count: number, at = new Date()): Promise<void> {
  const rows = Array.from({ length: count }, (_, index) => ({
    user: 'Ann(ann)',
    action: 'update',
    resource_type: 'Asset',
    resource: `web-${index}`,
    org_id: ORG,
    datetime: at,
    // Entries of a component name no object.
    ...(index > 2 ? { object_id: String(index), changes: [{ field: 'ip', before: '10.0.0.1', after: null }] } : {}),
  }))
  await db.insert(auditsOperateLog).values(rows)
}

/**
 * What somebody with the database's password does behind the server's back, after five sealed rows.
 */
const TAMPERINGS: [what: string, sql: string, brokenAt: number][] = [
  ['a changed text', "UPDATE audits_operate_log SET resource = 'db-1' WHERE chain_number = 2", 2],
  ['a changed time', "UPDATE audits_operate_log SET datetime = datetime - interval '1 day' WHERE chain_number = 3", 3],
  ['another object', "UPDATE audits_operate_log SET object_id = '1' WHERE chain_number = 5", 5],
  ['a change taken out', "UPDATE audits_operate_log SET changes = '[]' WHERE chain_number = 4", 4],
  ['all changes taken out', 'UPDATE audits_operate_log SET changes = NULL, object_id = NULL WHERE chain_number = 4', 4],
  ['a change put into a row that had none', "UPDATE audits_operate_log SET changes = '[]' WHERE chain_number = 2", 2],
  ['a person put into a row that had none', 'UPDATE audits_operate_log SET user_id = id WHERE chain_number = 1', 1],
  ['a row taken out', 'DELETE FROM audits_operate_log WHERE chain_number = 2', 2],
  ['the last rows taken out', 'DELETE FROM audits_operate_log WHERE chain_number > 3', 4],
  ['the first row taken out', 'DELETE FROM audits_operate_log WHERE chain_number = 1', 1],
  ['everything taken out', 'DELETE FROM audits_operate_log', 1],
  [
    'two rows exchanged',
    'UPDATE audits_operate_log SET chain_number = CASE chain_number WHEN 2 THEN -3 ELSE -2 END WHERE chain_number IN (2, 3); UPDATE audits_operate_log SET chain_number = -chain_number WHERE chain_number < 0',
    2,
  ],
  [
    'a row slipped in behind the end',
    "INSERT INTO audits_operate_log (\"user\", action, resource_type, resource, org_id, chain_number, chain_hash) VALUES ('x', 'create', 'Asset', 'y', gen_random_uuid(), 6, '\\x00')",
    6,
  ],
  [
    'a row unsealed, changed and left to be sealed again',
    "UPDATE audits_operate_log SET chain_number = NULL, resource = 'db-1' WHERE chain_number = 4",
    4,
  ],
  ['the record of the ends taken out', 'DELETE FROM audits_chain', 1],
]

test.each(TAMPERINGS)('%s breaks the chain of the operate log', async (_what, sql, brokenAt) => {
  await write(5)
  expect(await sealLog(db, secrets, 'operate_log')).toBe(5)
  expect(await verifyLog(db, secrets, 'operate_log')).toEqual({ intact: true, rows: 5 })
  await pool.query(sql)
  expect(await verifyLog(db, secrets, 'operate_log')).toMatchObject({ intact: false, brokenAt })
})

test('the ends can not be replaced without the key outside the database', async () => {
  await write(3)
  await sealLog(db, secrets, 'operate_log')
  await pool.query('DELETE FROM audits_operate_log WHERE chain_number = 3')
  const forged = createVault(new KeyRing([secretKey(randomBytes(32))])).seal(
    JSON.stringify({ first: 0, firstHash: '', last: 2, lastHash: '' }),
  )
  await pool.query('UPDATE audits_chain SET ends_sealed = $1', [forged])
  expect((await verifyLog(db, secrets, 'operate_log')).intact).toBe(false)
})

test('rows sealed at different times, by several nodes at once and in another time zone make one chain', async () => {
  await write(2100)
  const sealed = await Promise.all([1, 2, 3].map(() => sealLog(db, secrets, 'operate_log')))
  expect(sealed.reduce((sum, one) => sum + one)).toBe(2100)
  await write(3)
  const other = new pg.Pool({ ...database.connection, max: 1, options: '-c timezone=Asia/Shanghai' })
  try {
    expect(await sealLog(drizzle(other), secrets, 'operate_log')).toBe(3)
  } finally {
    await other.end()
  }
  expect(await verifyLog(db, secrets, 'operate_log')).toEqual({ intact: true, rows: 2103 })
})

test('[A3.31] what retention removed is no break, what somebody removes after it is', async () => {
  await write(4, new Date(Date.now() - 300 * 86_400_000))
  await write(3)
  await sealLog(db, secrets, 'operate_log')
  expect(await forgetOld(db, secrets, 'operate_log', 200)).toBe(4)
  expect(await verifyLog(db, secrets, 'operate_log')).toEqual({ intact: true, rows: 3 })
  await pool.query('DELETE FROM audits_operate_log WHERE chain_number = 5')
  expect(await verifyLog(db, secrets, 'operate_log')).toMatchObject({ intact: false, brokenAt: 5 })
})
