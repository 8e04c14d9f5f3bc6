import { LIST_VIEWS_MAX } from '@sallyport/contract/constants.ts'
import { OWN_LIST_VIEWS_MAX } from '@sallyport/contract/resources/users/list-view.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestServer, type TestServer } from '../../../test/server.ts'

const PATH = '/api/v1/users/list-views/'
const LIST = 'Asset_/api/v1/assets/assets/'

let server: TestServer
beforeAll(async () => {
  server = await openTestServer()
})
afterAll(() => server?.close())

test('a person keeps views of lists, by names that are unique in a list, renames and deletes them', async () => {
  const person = await server.aPerson('viewer')
  const draft = {
    list: LIST,
    name: '生产环境',
    search: ['prod', '华东'],
    filters: { is_active: 'true' },
    order: '-hostname',
    columns: ['hostname', 'ip'],
    density: 'compact',
  }
  const made = await person.post(PATH, draft)
  expect([made.status, made.body]).toEqual([201, { id: expect.any(String), is_default: false, ...draft }])
  const plain = await person.post(PATH, { list: LIST, name: 'plain' })
  expect(plain.body).toMatchObject({ search: [], filters: {}, order: '', columns: [], density: 'comfortable' })
  const twice = await person.post(PATH, draft)
  expect([twice.status, twice.body]).toEqual([400, { name: [expect.any(String)] }])
  expect((await person.patch(`${PATH}${plain.body.id}/`, { name: draft.name })).status).toBe(400)
  expect((await person.post(PATH, { ...draft, list: 'User_/api/v1/users/users/' })).status).toBe(201)
  expect((await person.patch(`${PATH}${made.body.id}/`, { name: 'Production' })).status).toBe(200)
  const names = async () =>
    ((await person.get(`${PATH}?list=${LIST}`)).body as { name: string }[]).map((one) => one.name)
  expect(await names()).toEqual(['Production', 'plain'])
  expect((await person.delete(`${PATH}${made.body.id}/`)).status).toBe(204)
  expect(await names()).toEqual(['plain'])
})

test('one view of a list is shown first: the last that was chosen for it', async () => {
  const person = await server.aPerson('default-viewer')
  const first = await person.post(PATH, { list: LIST, name: 'one', is_default: true })
  const elsewhere = await person.post(PATH, { list: 'other', name: 'one', is_default: true })
  const second = await person.post(PATH, { list: LIST, name: 'two', is_default: true })
  const defaults = async () =>
    ((await person.get(PATH)).body as { id: string; is_default: boolean }[])
      .filter((one) => one.is_default)
      .map((one) => one.id)
      .sort()
  expect(await defaults()).toEqual([elsewhere.body.id, second.body.id].sort())
  expect((await person.patch(`${PATH}${first.body.id}/`, { is_default: true })).status).toBe(200)
  expect(await defaults()).toEqual([elsewhere.body.id, first.body.id].sort())
  const both = await Promise.all(
    [first, second].map(({ body }) => person.patch(`${PATH}${body.id}/`, { is_default: true })),
  )
  // The one that comes second may be refused, because the row has changed meanwhile.
  expect(both.map(({ status }) => status).every((status) => status === 200 || status === 409)).toBe(true)
  expect(both.some(({ status }) => status === 200)).toBe(true)
  expect(await defaults()).toHaveLength(2)
  expect((await person.patch(`${PATH}${first.body.id}/`, { is_default: false })).status).toBe(200)
})

test('a view that is no view is refused by its field', async () => {
  const person = await server.aPerson('careless')
  for (const [field, wrong] of [
    ['list', ''],
    ['list', 'x'.repeat(201)],
    ['name', '  '],
    ['name', 'x'.repeat(61)],
    ['search', 'prod'],
    ['filters', ['prod']],
    ['filters', { is_active: true }],
    ['filters', { ip: { or: '1=1' } }],
    ['filters', { ip: 'x'.repeat(5000) }],
    ['columns', [1]],
    ['columns', Array.from({ length: 101 }, (_, n) => `c${n}`)],
    ['density', 'cosy'],
    ['is_default', 'perhaps'],
  ] as const) {
    const answer = await person.post(PATH, { list: LIST, name: 'a name', [field]: wrong })
    expect([field, wrong, answer.status, Object.keys(answer.body)[0]?.split('.')[0]]).toEqual([
      field,
      wrong,
      400,
      field,
    ])
  }
})

test('a person has no more views of a list, and of all lists, than a menu has room for', async () => {
  const person = await server.aPerson('collector')
  const fill = (list: string, amount: number) =>
    server.kernel.pool.query(
      'INSERT INTO users_list_view (user_id, list, name) SELECT $1, $2, n FROM generate_series(1, $3::int) n',
      [person.id, list, amount],
    )
  await fill(LIST, LIST_VIEWS_MAX - 1)
  const both = await Promise.all(['one', 'two'].map((name) => person.post(PATH, { list: LIST, name })))
  expect(both.map(({ status }) => status).sort()).toEqual([201, 400])
  const other = await person.post(PATH, { list: 'other', name: 'moved' })
  expect((await person.patch(`${PATH}${other.body.id}/`, { list: LIST })).status).toBe(400)
  expect((await person.patch(`${PATH}${other.body.id}/`, { order: 'name' })).status).toBe(200)
  for (let list = 0; list < OWN_LIST_VIEWS_MAX / LIST_VIEWS_MAX - 1; list++) await fill(`list ${list}`, LIST_VIEWS_MAX)
  expect((await person.post(PATH, { list: 'one more', name: 'one' })).status).toBe(400)
})
