import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestServer, PASSWORD, type TestServer } from '../../../test/server.ts'
import { similarPeople } from './similar-people.ts'

let server: TestServer
beforeAll(async () => {
  server = await openTestServer()
})
afterAll(() => server?.close())

const USERS = '/api/v1/users/users/'
const draft = (username: string, email = `${username}@example.com`) => ({ name: 'One', username, email })

test('a user name or mail address that somebody has in another case is taken, also for two at once', async () => {
  const { body } = await server.admin.post(USERS, draft('Alice'))
  const unique = [expect.any(String)]
  expect(await server.admin.post(USERS, draft('ALICE', 'a2@example.com'))).toMatchObject({
    status: 400,
    body: { username: unique },
  })
  expect(await server.admin.post(USERS, draft('alice2', 'aLiCe@Example.com'))).toMatchObject({
    status: 400,
    body: { email: unique },
  })
  const both = await Promise.all(
    ['Twin', 'tWIN'].map((name) => server.admin.post(USERS, draft(name, `${name}1@x.org`))),
  )
  expect(both.map(({ status }) => status).toSorted()).toEqual([201, 400])
  expect((await server.admin.patch(`${USERS}${body.id}/`, { username: 'alice' })).body.username).toBe('alice')
})

test('a user name that looks like somebody else’s is refused', async () => {
  expect((await server.admin.post(USERS, draft('Jos\u00E9', 'jose@example.com'))).status).toBe(201)
  for (const [name, why] of [
    ['jose\u0301', 'This field must be unique.'],
    ['Ｊｏｓ\u00E9', 'This field must be unique.'],
    ['jos\u00E9\u200B', 'A username holds no invisible characters'],
    ['jos\u00E9\u3164', 'A username holds no invisible characters'],
  ] as const)
    expect(await server.admin.post(USERS, draft(name, 'jose2@example.com'))).toMatchObject({
      status: 400,
      body: { username: [why] },
    })
})

test('people who differ by case from before are named, left as they are, and sign in by exactly their own name', async () => {
  const { pool, db } = server.kernel
  const first = await server.aPerson('dora')
  await pool.query(`DROP INDEX users_user_any_case__username__unique; DROP INDEX users_user_any_case__email__unique;
    ALTER TABLE users_user DROP COLUMN has_similar CASCADE; DROP FUNCTION IF EXISTS users_user_renamed CASCADE`)
  await pool.query(
    `INSERT INTO users_user (name, username, email, password_hash, is_first_login)
      SELECT name, 'Dora', 'DORA@example.com', password_hash, false FROM users_user WHERE id = $1`,
    [first.id],
  )
  const migration = new URL('../../../migrations/202611221108_users_names_in_any_case.sql', import.meta.url)
  await pool.query(await readFile(migration, 'utf8'))

  expect(await similarPeople({ db })).toEqual(['Dora'])
  const second = await server.signIn('Dora', PASSWORD)
  expect(second.id).not.toBe(first.id)
  expect((await server.signIn('dora', PASSWORD)).id).toBe(first.id)
  const path = `${USERS}${second.id}/`
  const admin = server.admin.in('root')
  expect((await admin.patch(path, { comment: 'c' })).status).toBe(200)
  expect((await admin.patch(path, { username: 'DORA' })).status).toBe(400)
  expect((await admin.patch(path, { username: 'dora2', email: 'dora2@example.com' })).status).toBe(200)
  expect(await similarPeople({ db })).toEqual([])
})
