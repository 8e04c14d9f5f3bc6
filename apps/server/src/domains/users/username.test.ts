import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestServer, type TestServer } from '../../../test/server.ts'

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
