import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { type OpenDatabase, openDatabase } from './database.ts'

let database: TestDatabase
let opened: OpenDatabase

beforeAll(async () => {
  database = await createTestDatabase()
  opened = openDatabase({ ...database.connection, max: 2, connectionTimeoutMillis: 2000 })
})
afterAll(async () => {
  await opened.close()
  await database.drop()
})

const one = () => opened.db.transaction((tx) => tx.execute(sql`SELECT 1 AS one`))

test('a transaction that cannot begin gives its connection back, however often', async () => {
  const { db, pool } = opened
  const never = { isolationLevel: 'no such level' as 'serializable' }
  for (let time = 0; time < 3; time++) await expect(db.transaction(async () => {}, never)).rejects.toThrow()
  expect(pool.idleCount).toBe(pool.totalCount)
  expect((await one()).rows).toEqual([{ one: 1 }])
})

test('connections that break under transactions, or while they are held, are replaced, and end nothing else', async () => {
  const { db, pool } = opened
  const held = await pool.connect()
  const broken = new Promise((resolve) => held.once('end', resolve))
  const { rows } = await held.query('SELECT pg_backend_pid() AS pid')
  await db.execute(sql`SELECT pg_terminate_backend(${rows[0].pid})`)
  await broken
  held.release()
  const breaking = db.transaction(async (tx) => {
    await tx.execute(sql`SELECT pg_terminate_backend(pg_backend_pid())`)
  })
  await expect(breaking).rejects.toThrow()
  for (let time = 0; time < 3; time++) expect((await one()).rows).toEqual([{ one: 1 }])
  expect(pool.waitingCount).toBe(0)
})

test('a transaction is one: what it wrote goes when it fails, and nested ones with it', async () => {
  const { db } = opened
  await db.execute(sql`CREATE TABLE trial (name text)`)
  const failing = db.transaction(async (tx) => {
    await tx.execute(sql`INSERT INTO trial VALUES ('outer')`)
    await tx.transaction(async (inner) => inner.execute(sql`INSERT INTO trial VALUES ('inner')`))
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  await db.transaction(async (tx) => {
    await tx
      .transaction(async (inner) => {
        await inner.execute(sql`INSERT INTO trial VALUES ('dropped')`)
        throw new Error('no')
      })
      .catch(() => {})
    await tx.execute(sql`INSERT INTO trial VALUES ('kept')`)
  })
  expect((await db.execute(sql`SELECT name FROM trial`)).rows).toEqual([{ name: 'kept' }])
})
