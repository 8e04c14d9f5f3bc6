import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { isTooMany, isUsedUp } from './password-reset-limits.ts'

let database: TestDatabase
let pool: pg.Pool

beforeAll(async () => {
  database = await createTestDatabase()
  pool = new pg.Pool(database.connection)
})
afterAll(async () => {
  await pool?.end()
  await database?.drop()
})

/** Attempts, and the minutes after which they count no longer. */
const TRIES = {
  forgot: [5, 60],
  forgot_ip: [30, 60],
  forgot_phone: [5, 60],
  reset_code: [10, 60],
  reset: [20, 10],
  sms: [20, 60],
  sms_ip: [120, 60],
  sms_name: [10, 60],
} as const

test('each kind and each source of tries has its own limit, which starts again when its time is over', async () => {
  const kinds = Object.entries(TRIES) as [keyof typeof TRIES, readonly [number, number]][]
  await drizzle(pool).transaction(async (db) => {
    for (const [kind, [tries, minutes]] of kinds) {
      expect([kind, await isUsedUp(db, kind, 'source')]).toEqual([kind, false])
      const answers = []
      for (let n = 0; n <= tries; n++) answers.push(await isTooMany(db, kind, 'source'))
      expect([kind, answers]).toEqual([kind, [...Array(tries).fill(false), true]])
      expect([kind, await isUsedUp(db, kind, 'source'), await isUsedUp(db, kind, 'other')]).toEqual([kind, true, false])
      const { rows } = await db.execute(
        sql`SELECT extract(epoch FROM date_expired - now())::int / 60 AS minutes FROM authentication_failure WHERE kind = ${kind} AND remote_addr = 'source'`,
      )
      expect([kind, rows]).toEqual([kind, [{ minutes }]])
    }
    await db.execute(sql`UPDATE authentication_failure SET date_expired = now() - interval '1 second'`)
    for (const [kind, [, minutes]] of kinds) {
      expect([kind, await isUsedUp(db, kind, 'source')]).toEqual([kind, false])
      expect([kind, await isTooMany(db, kind, 'source')]).toEqual([kind, false])
      const { rows } = await db.execute(
        sql`SELECT failures, extract(epoch FROM date_expired - now())::int / 60 AS minutes FROM authentication_failure WHERE kind = ${kind} AND remote_addr = 'source'`,
      )
      expect([kind, rows]).toEqual([kind, [{ failures: 1, minutes }]])
    }
  })
})
