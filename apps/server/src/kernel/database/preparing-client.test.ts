import { eq, like } from 'drizzle-orm'
import { pgTable, text } from 'drizzle-orm/pg-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { type OpenDatabase, openDatabase } from './database.ts'

const shelf = pgTable('shelf', { name: text('name') })

let database: TestDatabase
let opened: OpenDatabase

beforeAll(async () => {
  database = await createTestDatabase()
  // One connection, so that the test sees what has been prepared on it.
  opened = openDatabase({ ...database.connection, max: 1 })
  await opened.pool.query('CREATE TABLE shelf (name text)')
})
afterAll(async () => {
  await opened?.close()
  await database?.drop()
})

async function prepared(): Promise<string[]> {
  const { rows } = await opened.pool.query<{ statement: string }>('SELECT statement FROM pg_prepared_statements')
  return rows.map(({ statement }) => statement)
}

test('a repeated statement is planned once; searches are planned with their pattern', async () => {
  const { db } = opened
  await db.insert(shelf).values({ name: 'a' })
  for (let turn = 0; turn < 10; turn++) {
    expect(
      await db
        .select()
        .from(shelf)
        .where(eq(shelf.name, turn % 2 ? 'a' : 'b')),
    ).toEqual(turn % 2 ? [{ name: 'a' }] : [])
    expect(await db.select().from(shelf).where(like(shelf.name, 'a%'))).toEqual([{ name: 'a' }])
  }
  expect(await prepared()).toEqual(['select "name" from "shelf" where "shelf"."name" = $1'])
})

test('inside a transaction the same holds', async () => {
  const { db } = opened
  await db.transaction(async (tx) => {
    for (let turn = 0; turn < 6; turn++)
      await tx
        .update(shelf)
        .set({ name: `c${turn}` })
        .where(eq(shelf.name, 'nobody'))
  })
  expect(await prepared()).toContain('update "shelf" set "name" = $1 where "shelf"."name" = $2')
})
