import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '../../../../test/database.ts'
import { type Caller, openTestServer, type TestServer } from '../../../../test/server.ts'

const LABELS = '/api/v1/assets/labels/'
const JOBS = `${LABELS}import-jobs/`

let server: TestServer
beforeAll(async () => {
  server = await openTestServer()
})
afterAll(() => server?.close())

/** Waits for the end and answers the last progress with the results of all rows. */
async function ended(caller: Caller, id: string) {
  await expect.poll(async () => (await caller.get(`${JOBS}${id}/`)).body.finished).toBe(true)
  return (await caller.get(`${JOBS}${id}/`)).body
}
const start = (caller: Caller, mode: string, rows: unknown) => caller.post(JOBS, { mode, rows })

test('[B7.45] rows are created one by one: good ones are stored and audited, bad ones answer as a single create would', async () => {
  const rows = [
    { name: 'env', value: 'prod' },
    { name: 'env' },
    { name: 'env', value: 'prod' },
    { name: 'env', value: 'x'.repeat(200) },
  ]
  const { status, body } = await start(server.admin, 'create', rows)
  expect(status).toBe(202)
  const progress = await ended(server.admin, body.id)
  expect(progress).toMatchObject({ mode: 'create', status: 'done', total: 4, succeeded: 1, failed: 3 })
  const [, missing, twice, long] = await Promise.all(rows.map((row) => server.admin.post(LABELS, row)))
  expect(progress.results).toEqual([
    { index: 0, errors: null },
    { index: 1, errors: missing?.body },
    { index: 2, errors: twice?.body },
    { index: 3, errors: long?.body },
  ])
  expect(
    (await server.admin.get(`${JOBS}${body.id}/?after=2`)).body.results.map(({ index }: { index: number }) => index),
  ).toEqual([3])
  expect((await server.admin.get(`${LABELS}?name=env`)).body).toHaveLength(1)
  const log = await server.admin.get('/api/v1/audits/operate-logs/?resource_type=Label&action=create')
  expect(log.body.map(({ resource }: { resource: string }) => resource)).toEqual(['env:prod'])
})

test('[B7.45] update replaces rows by their id; a missing or unknown id is named as such', async () => {
  const row = (await server.admin.post(LABELS, { name: 'role', value: 'web', comment: 'old' })).body
  const unknown = '00000000-0000-4000-8000-000000000001'
  const { body } = await start(server.admin, 'update', [
    { id: row.id, name: 'role', value: 'db' },
    { name: 'role', value: 'x' },
    { id: unknown, name: 'role', value: 'y' },
  ])
  const { results } = await ended(server.admin, body.id)
  expect(results).toEqual([
    { index: 0, errors: null },
    { index: 1, errors: { id: ['This field is required.'] } },
    { index: 2, errors: { id: ['Not found.'] } },
  ])
  expect((await server.admin.get(`${LABELS}${row.id}/`)).body.value).toBe('db')
})

test.each([
  ['is disabled', { is_active: false }],
  ['loses the role', { org_roles: ['User'] }],
])('[A6.15] an import ends when the person who started it %s, and what it stored stays', async (how, change) => {
  const name = `left-${how.replaceAll(' ', '-')}`
  const person = await server.aPerson(name, { orgRoles: ['Admin'] })
  const rows = Array.from({ length: 5000 }, (_, n) => ({ name, value: `n${n}` }))
  const { body } = await start(person, 'create', rows)
  await expect.poll(async () => (await person.get(`${JOBS}${body.id}/`)).body.succeeded).toBeGreaterThan(0)
  expect((await server.admin.patch(`/api/v1/users/users/${person.id}/`, change)).status).toBe(200)
  const state = async () => {
    const { rows } = await server.kernel.pool.query(
      'SELECT status, date_finished, rows_sealed FROM kernel_import_job WHERE id = $1',
      [body.id],
    )
    return rows[0]
  }
  await expect.poll(async () => (await state()).date_finished).not.toBeNull()
  expect(await state()).toMatchObject({ status: 'interrupted', rows_sealed: null })
  const stored = (await server.admin.get(`${LABELS}?name=${name}&limit=1`)).body.count
  expect(stored).toBeGreaterThan(0)
  expect(stored).toBeLessThan(5000)
})

test('[A4.18] a stopped import keeps what is stored, tells which rows that is, and starts no further ones', async () => {
  const rows = Array.from({ length: 3000 }, (_, n) => ({ name: 'many', value: `n${n}` }))
  const { body } = await start(server.admin, 'create', rows)
  await expect.poll(async () => (await server.admin.get(`${JOBS}${body.id}/`)).body.succeeded).toBeGreaterThan(0)
  expect((await server.admin.delete(`${JOBS}${body.id}/`)).status).toBe(204)
  const progress = await ended(server.admin, body.id)
  expect(progress.status).toBe('stopped')
  expect(progress.succeeded).toBeLessThan(3000)
  expect((await server.admin.get(`${LABELS}?name=many&limit=1`)).body.count).toBe(progress.succeeded)
})

test('the rows, which may hold passwords, are gone from the database when the import is over', async () => {
  const { body } = await start(server.admin, 'create', [{ name: 'sealed', value: 'hunter2' }])
  await ended(server.admin, body.id)
  const { rows } = await server.kernel.pool.query(
    'SELECT rows_sealed, call::text FROM kernel_import_job WHERE id = $1',
    [body.id],
  )
  expect(rows[0].rows_sealed).toBeNull()
  expect(rows[0].call).not.toContain('sessionId')
})

test('a server that is closed in the middle of an import ends it, with a result for exactly the rows that are stored', async () => {
  const rows = Array.from({ length: 5000 }, (_, n) => ({ name: 'restart', value: `n${n}` }))
  const database = await createTestDatabase()
  const first = await openTestServer({}, database)
  const { body } = await start(first.admin, 'create', rows)
  await expect.poll(async () => (await first.admin.get(`${JOBS}${body.id}/`)).body.succeeded).toBeGreaterThan(0)
  await first.kernel.app.close()
  const counted = async () => {
    const { rows: found } = await first.kernel.pool.query(
      `SELECT status, date_finished IS NOT NULL AS finished, (SELECT count(*)::int FROM kernel_import_result WHERE job = $1) AS results,
        (SELECT count(*)::int FROM assets_label WHERE name = 'restart') AS stored FROM kernel_import_job WHERE id = $1`,
      [body.id],
    )
    return found[0]
  }
  await expect.poll(async () => (await counted()).finished).toBe(true)
  const { status, results, stored } = await counted()
  expect(status).toBe('interrupted')
  expect(stored).toBeLessThan(5000)
  expect(results).toBe(stored)
  await first.close()
})

test('an import whose server went away is ended, and says so', async () => {
  const { body } = await start(server.admin, 'create', [{ name: 'late', value: 'one' }])
  await ended(server.admin, body.id)
  await server.kernel.pool.query(
    "UPDATE kernel_import_job SET status = 'running', date_finished = NULL, date_updated = now() - interval '3 minutes' WHERE id = $1",
    [body.id],
  )
  expect((await server.admin.get(`${JOBS}${body.id}/`)).body).toMatchObject({ status: 'interrupted', finished: true })
})

test('[A6.15] an import is its owner’s alone, and starts only with the right to write', async () => {
  const { body } = await start(server.admin, 'create', [{ name: 'mine', value: 'one' }])
  await ended(server.admin, body.id)
  const other = await server.aPerson('other-admin', { orgRoles: ['Admin'] })
  const auditor = await server.aPerson('only-looks', { orgRoles: ['Auditor'] })
  const elsewhere = server.admin.in(await server.anOrg('Elsewhere'))
  for (const who of [other, elsewhere]) {
    expect((await who.get(`${JOBS}${body.id}/`)).status).toBe(404)
    expect((await who.delete(`${JOBS}${body.id}/`)).status).toBe(404)
  }
  expect((await server.admin.get(`/api/v1/assets/domains/import-jobs/${body.id}/`)).status).toBe(404)
  expect((await start(auditor, 'create', [{ name: 'no', value: 'no' }])).status).toBe(403)
})

test('a body that is no list of objects is refused, and so is a third import at a time', async () => {
  for (const bad of [
    {},
    { mode: 'create' },
    { mode: 'create', rows: [] },
    { mode: 'create', rows: [1] },
    { mode: 'drop', rows: [{}] },
  ])
    expect((await server.admin.post(JOBS, bad)).status).toBe(400)
  expect((await start(server.admin, 'create', Array(50_001).fill({}))).body).toEqual({
    rows: ['At most 50000 rows in one import.'],
  })
  expect((await server.admin.get(`${JOBS}no-id/`)).status).toBe(404)
  await server.kernel.pool.query(
    `INSERT INTO kernel_import_job (user_id, org_id, resource, mode, call, parameters, total)
     SELECT $1, $2, 'label', 'create', '{}', '{}', 1 FROM generate_series(1, 2)`,
    [server.admin.id, '00000000-0000-0000-0000-000000000002'],
  )
  expect((await start(server.admin, 'create', [{ name: 'third', value: 'x' }])).status).toBe(409)
})
