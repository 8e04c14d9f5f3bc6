import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestServer, PASSWORD, type TestServer } from '../../../test/server.ts'
import { fillLooks } from './look-alike/refuse-look-alikes.ts'
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

test('a user name with letters that pass for those of somebody else’s is refused: by the form, by an import, and when somebody is renamed', async () => {
  const refused = { status: 400, body: { username: ['This username looks like that of somebody else'] } }
  expect(await server.admin.post(USERS, draft('\u0430dmin', 'a1@example.com'))).toMatchObject(refused)
  expect(await server.admin.post(USERS, draft('\u0410DMIN', 'a1@example.com'))).toMatchObject(refused)
  const { body, status } = await server.admin.post(USERS, draft('张伟', 'zw@example.com'))
  expect(status).toBe(201)
  const path = `${USERS}${body.id}/`
  expect(await server.admin.in('root').patch(path, { username: 'ad\u043cin' })).toMatchObject(refused)
  expect((await server.admin.in('root').patch(path, { username: '张伟2', comment: 'still here' })).status).toBe(200)
  expect((await server.admin.post(USERS, draft('张伟', 'zw2@example.com'))).status).toBe(201)
  const many = await server.admin.post(USERS, [draft('c\u043eco', 'c1@example.com'), draft('coco', 'c2@example.com')])
  expect(many.status).toBe(400)
  const component = await server.call('POST', '/api/v1/terminal/terminal-registrations/', {
    headers: { authorization: 'BootstrapToken bootstrap-token-of-tests' },
    body: { name: '\u0430dmin', type: 'koko' },
  })
  expect(component.status).toBe(400)
})

test('people who were there before it was known what names are taken for are known at the next start', async () => {
  const { pool } = server.kernel
  await pool.query('UPDATE users_user SET looks = NULL')
  await fillLooks(server.kernel)
  expect(await server.admin.post(USERS, draft('\u0430dmin', 'a1@example.com'))).toMatchObject({ status: 400 })
  expect((await pool.query('SELECT 1 FROM users_user WHERE looks IS NULL')).rowCount).toBe(0)
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
