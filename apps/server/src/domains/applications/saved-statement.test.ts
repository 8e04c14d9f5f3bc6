import { randomUUID } from 'node:crypto'
import { SAVED_STATEMENTS_MAX } from '@sallyport/contract/resources/applications/saved-statement.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestServer, type TestServer } from '../../../test/server.ts'

const PATH = '/api/v1/applications/saved-statements/'

let server: TestServer
beforeAll(async () => {
  server = await openTestServer()
})
afterAll(() => server?.close())

test('a person keeps statements by database under names of their own, changes and deletes them, and no more than they may', async () => {
  const person = await server.aPerson('keeper')
  const [shop, ledger] = [randomUUID(), randomUUID()]
  const draft = { application: shop, name: '订单', statement: 'select *\nfrom orders' }
  const made = await person.post(PATH, draft)
  expect([made.status, made.body]).toEqual([201, expect.objectContaining(draft)])
  expect((await person.post(PATH, { ...draft, application: ledger })).status).toBe(201)
  const twice = await person.post(PATH, draft)
  expect([twice.status, twice.body]).toEqual([400, { name: [expect.any(String)] }])
  const listed = async () => (await person.get(`${PATH}?application=${shop}`)).body as { statement: string }[]
  expect((await person.patch(`${PATH}${made.body.id}/`, { statement: 'select 1' })).status).toBe(200)
  expect((await listed()).map(({ statement }) => statement)).toEqual(['select 1'])
  for (const wrong of [{ application: 'shop' }, { name: '' }, { statement: 'x'.repeat(65_537) }])
    expect((await person.post(PATH, { ...draft, name: 'other', ...wrong })).status).toBe(400)
  expect((await person.delete(`${PATH}${made.body.id}/`)).status).toBe(204)
  expect(await listed()).toEqual([])
  // Nobody else reads them: not in the operate log either.
  const { rows: logged } = await server.kernel.pool.query(
    "SELECT resource FROM audits_operate_log WHERE resource_type = 'Saved statement'",
  )
  expect(logged).toEqual([])
  await server.kernel.pool.query(
    `INSERT INTO applications_saved_statement (user_id, application, name, statement)
      SELECT $1, $2, n, 'select 1' FROM generate_series(1, $3::int) n`,
    [person.id, shop, SAVED_STATEMENTS_MAX - 2],
  )
  const both = await Promise.all(['one', 'two'].map((name) => person.post(PATH, { ...draft, name })))
  expect(both.map(({ status }) => status).sort()).toEqual([201, 400])
})
