import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { ROOT_ORG_ID } from '@sallyport/contract/constants.ts'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type Answer, openTestServer, type TestServer } from '../../../test/server.ts'
import { assetRows2 } from '../../admin/import-jumpserver/fixtures/assets-fixture.ts'
import {
  type Installation,
  type Installations,
  startInstallations,
} from '../../admin/import-jumpserver/fixtures/installations-fixture.ts'
import { peopleRows } from '../../admin/import-jumpserver/fixtures/people-fixture.ts'
import { KEY } from '../../admin/import-jumpserver/fixtures/sealed-fixture.ts'
import { V2_19 } from '../../admin/import-jumpserver/fixtures/tables-fixture.ts'

const PATH = '/api/v1/moving/jumpserver/'
const PASSWORD = 'read only'
const WRONG_KEY = 'of something else, which opens nothing'

let server: TestServer
let theirs: Installations
let source: Installation
beforeAll(async () => {
  ;[server, theirs] = await Promise.all([openTestServer(), startInstallations()])
  source = await theirs.make('mysql', V2_19, { ...peopleRows('v2.19'), ...assetRows2 })
})
afterAll(async () => {
  await server?.close()
  await theirs?.close()
})

const from = (more: Record<string, unknown> = {}) => {
  const { hostname, port, pathname, username } = new URL(source.address)
  const place = { host: hostname, port: Number(port), database: pathname.slice(1), username }
  return { engine: 'mysql', ...place, password: PASSWORD, secret_keys: [KEY], ...more }
}
const run = (task: string, more: Record<string, unknown> = {}) =>
  server.admin.post(`${PATH}run/`, { ...from(), task, ...more })
/** The report once nothing goes on any more. */
const over = (): Promise<Answer['body']> =>
  vi.waitFor(
    async () => {
      const { body } = await server.admin.get(PATH)
      expect(body.current).toBeNull()
      return body
    },
    { timeout: 60_000, interval: 50 },
  )
async function ran(task: string, more: Record<string, unknown> = {}) {
  const answer = await run(task, more)
  expect([answer.status, answer.body.current?.task]).toEqual([200, task])
  return (await over()).latest
}

/** Seen from above all organizations. */
const inAll = async (path: string) => (await server.admin.in(ROOT_ORG_ID).get(path)).body
const came = async () => (await inAll('/api/v1/users/users/?username=ming')).length
const logged = async () => (await inAll('/api/v1/audits/operate-logs/?limit=100')).results as Record<string, string>[]

test('before the first run nothing is there', async () => {
  expect((await server.admin.get(PATH)).body).toEqual({ current: null, latest: null, runs: [], installations: [] })
})

test('looking, trying, importing, proving and taking back lead through the whole move, and each is logged', async () => {
  const looked = await ran('look')
  expect(looked).toMatchObject({ state: 'done', version: '2.19', fault: '', has_report: false })
  expect(looked.source).toBe(source.address.replace(':read%20only', ''))
  expect(looked.result.counts).toContainEqual({ label: 'Users', count: 10 })
  expect((await over()).installations).toEqual([])

  const tried = await ran('try')
  const users = tried.result.kinds.find((kind: { label: string }) => kind.label === 'Users')
  expect(users).toMatchObject({ read: 10, added: 8, same: 1, behind: 1 })
  expect(users.stays).toContainEqual({
    count: 1,
    lines: [{ words: 'A component: it registers here by itself', names: ['[KoKo]-box'] }],
  })
  expect((await over()).installations).toEqual([])
  const report = await server.admin.get(`${PATH}runs/${tried.id}/report/`)
  expect([report.status, report.headers['content-disposition']]).toEqual([
    200,
    expect.stringContaining('import-jumpserver.txt'),
  ])
  expect(report.body).toMatch(
    /^JumpServer 2\.19 in mysql:\/\/reader@127.*this would be imported\. Nothing was written\./,
  )

  const imported = await ran('import')
  expect(imported).toMatchObject({ state: 'done', stages_done: 9, stages: 10, has_report: true })
  expect(imported.result.kinds).toEqual(tried.result.kinds)
  expect(imported.result.proof).toEqual(tried.result.proof)
  const after = await over()
  expect(after.installations).toEqual(['jumpserver'])
  expect(await came()).toBe(1)

  const proved = await ran('prove', { secret_keys: [] })
  expect(proved.result).toEqual({ proof: imported.result.proof })

  const tryBack = await ran('try_take_back')
  expect((await over()).installations).toEqual(['jumpserver'])
  const back = await ran('take_back')
  expect(back.result).toEqual(tryBack.result)
  expect(back.result.taken).toContainEqual({ label: 'Users', removed: expect.any(Number), stays: 0 })
  expect(await came()).toBe(0)
  expect((await over()).installations).toEqual([])

  const own = (await logged()).filter((one) => one.resource_type === 'Import from JumpServer')
  const lines = own.map(({ user, resource }) => `${user} ${resource?.split(' ')[0]}`)
  expect(lines.sort()).toEqual(
    ['import', 'look', 'prove', 'take_back', 'try', 'try_take_back'].map((task) => `Administrator(admin) ${task}`),
  )
})

test('no password and no key is answered, logged or kept', async () => {
  const wrong = await ran('look', { secret_keys: [WRONG_KEY] })
  expect([wrong.state, wrong.fault]).toEqual(['failed', expect.stringMatching(/^The SECRET_KEY opens none of \d+/)])
  const refused = await ran('look', { password: 'a wrong word' })
  expect(refused.fault).toMatch(/cannot be read: Access denied/)
  const { rows } = await server.kernel.pool.query(`
    SELECT to_jsonb(r) AS row FROM moving_run r UNION ALL SELECT to_jsonb(j) FROM kernel_job j`)
  const text = JSON.stringify([rows, await logged(), (await server.admin.get(PATH)).body])
  expect(text).toContain('mysql://reader@127.0.0.1')
  for (const secret of [KEY, WRONG_KEY, PASSWORD, 'read%20only', 'a wrong word']) expect(text).not.toContain(secret)
})

test('a reader of Chinese reads the fault in Chinese, also of a run that somebody else has begun', async () => {
  await ran('look', { secret_keys: [WRONG_KEY] })
  const { body } = await server.call('GET', PATH, {
    headers: { authorization: `Bearer ${server.admin.token}`, cookie: 'django_language=cn' },
  })
  expect(body.latest.fault).toMatch(/^尝试的 \d+ 个密文均无法用该 SECRET_KEY 解开/)
})

test.each([
  [{ task: 'steal' }, 'task'],
  [{ host: '' }, 'host'],
  [{ host: '/var/run/postgresql' }, 'host'],
  [{ host: 'a@b' }, 'host'],
  [{ host: 'db/other?host=x' }, 'host'],
  [{ port: 70_000 }, 'port'],
  [{ database: '' }, 'database'],
  [{ username: '' }, 'username'],
  [{ secret_keys: [] }, 'secret_keys'],
  [{ secret_keys: [' '] }, 'secret_keys'],
  [{ engine: 'sqlite' }, 'engine'],
  [{ history_from: '2026-02-30' }, 'history_from'],
  [{ task: 'take_back', installation: 'jumpserver%' }, 'installation'],
])('bad input is refused under its field, and begins nothing: %j', async (more, field) => {
  const before = (await server.admin.get(PATH)).body.runs.length
  const { status, body } = await run('try', more)
  expect([status, Object.keys(body)]).toEqual([400, [field]])
  expect((await server.admin.get(PATH)).body.runs).toHaveLength(before)
})

test('no connection is made to addresses that are closed to all calls', async () => {
  for (const engine of ['mysql', 'postgres']) {
    const { fault } = await ran('look', { engine, host: '169.254.169.254', port: 80 })
    expect(fault).toMatch(/cannot be read: .*169\.254\.169\.254 is closed to connections from here/)
  }
})

test('one goes on at a time, and is stopped', async () => {
  // It takes connections and says nothing.
  const silent = createServer(() => {}).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  try {
    const begun = await run('try', { port: (silent.address() as AddressInfo).port })
    expect(begun.body.current).toMatchObject({ task: 'try', state: 'running', asked_by: 'Administrator(admin)' })
    const second = await run('look')
    expect([second.status, second.body.code]).toEqual([400, 'busy'])
    expect((await server.admin.post(`${PATH}stop/`)).status).toBe(200)
    const { latest } = await over()
    expect([latest.state, latest.fault]).toEqual(['stopped', ''])
    const none = await server.admin.post(`${PATH}stop/`)
    expect([none.status, none.body.detail]).toEqual([400, 'No import goes on'])
  } finally {
    silent.close()
  }
})

test('a run whose node has gone is shown as lost, and holds off no other', async () => {
  await server.kernel.pool.query(`INSERT INTO moving_run (task, node, node_name, asked_by, date_seen)
    VALUES ('import', gen_random_uuid(), 'gone', 'Ann(ann)', now() - interval '2 minutes')`)
  const { body } = await server.admin.get(PATH)
  expect([body.current, body.runs[0].state, body.runs[0].fault]).toEqual([
    null,
    'failed',
    'The node stopped meanwhile. What had come by then is here: run it again.',
  ])
  expect((await ran('look')).state).toBe('done')
})

test('only system administrators see it, and files of runs that are not there are not found', async () => {
  const person = await server.aPerson('orgadmin', { orgRoles: ['Admin'] })
  expect((await person.get(PATH)).status).toBe(403)
  expect((await person.post(`${PATH}run/`, from({ task: 'look' }))).status).toBe(403)
  for (const id of ['nothing', '00000000-0000-4000-8000-000000000001'])
    expect((await server.admin.get(`${PATH}runs/${id}/report/`)).status).toBe(404)
})
