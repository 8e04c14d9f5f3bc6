import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Caller, openTestServer, type TestServer } from '../../../../test/server.ts'
import { withWork } from '../../../kernel/jobs/schedules.ts'

const MONITOR = '/api/v1/ops/monitor'
const PERIODIC = '/api/v1/ops/celery/period-tasks/'
/** Work that does nothing where the task that it names is gone. */
const QUEUE = 'ops.run_due_task'
const NOBODY = '00000000-0000-4000-8000-000000000001'

let server: TestServer
let administrator: Caller

beforeAll(async () => {
  server = await openTestServer()
  administrator = await server.aPerson('administrator', { orgRoles: ['Admin'] })
})
afterAll(() => server?.close())

const jobsIn = async (state: string, queue = QUEUE) =>
  (await server.admin.get(`${MONITOR}/jobs/?state=${state}&queue=${queue}&limit=50`)).body.results as {
    id: string
    error: string
    tries: number
  }[]
const idsIn = async (state: string) => (await jobsIn(state)).map(({ id }) => id)
const schedule = async (name: string) => (await server.admin.get(`${PERIODIC}?search=${name}`)).body[0]

async function aFailedJob(): Promise<string> {
  const { rows } = await server.kernel.pool.query<{ id: string }>(
    `INSERT INTO kernel_job (queue, data, state, tries, date_start, date_finished, error)
     VALUES ($1, $2, 'failed', 1, now(), now(), 'no route to host') RETURNING id`,
    [QUEUE, { id: NOBODY }],
  )
  return rows[0]?.id ?? ''
}

test('[A2.46] the task monitor is for super administrators: others read Forbidden at its address, and are refused its calls', async () => {
  const address = '/core/flower/?_=1764000000000'
  expect(await server.admin.get(address)).toMatchObject({ status: 302, headers: { location: '/ui/ops/monitor' } })
  const { status, headers } = await administrator.get(address)
  expect([status, headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8'])
  const answer = await server.kernel.app.inject({
    url: address,
    headers: { authorization: `Bearer ${administrator.token}` },
  })
  expect(answer.body).toBe('Forbidden')
  const id = await aFailedJob()
  for (const path of [`${MONITOR}/queues/`, `${MONITOR}/workers/`, `${MONITOR}/jobs/`, PERIODIC])
    expect((await administrator.get(path)).status).toBe(403)
  expect((await administrator.post(`${MONITOR}/jobs/${id}/retry/`)).status).toBe(403)
  expect(await idsIn('failed')).toContain(id)
})

test('a job that failed is listed with the reason alone, is done once more when asked, and no second time', async () => {
  const id = await aFailedJob()
  const failed = (await jobsIn('failed')).find((job) => job.id === id)
  expect(failed).toMatchObject({ error: 'no route to host', can_retry: true, can_cancel: false, tries: 1 })
  expect(JSON.stringify(failed)).not.toContain('secret')
  expect((await server.admin.post(`${MONITOR}/jobs/${id}/retry/`)).status).toBe(200)
  await expect.poll(() => idsIn('done')).toContain(id)
  const again = await server.admin.post(`${MONITOR}/jobs/${id}/retry/`)
  expect([again.status, again.body.detail]).toEqual([400, 'The job is not in a state for that any more'])
  expect((await server.admin.post(`${MONITOR}/jobs/${NOBODY}/retry/`)).status).toBe(404)
  expect((await server.admin.post(`${MONITOR}/jobs/nonsense/cancel/`)).status).toBe(404)
  expect((await server.admin.get(`${MONITOR}/jobs/?state=broken`)).status).toBe(400)
})

test('a cancel takes a waiting job out of its queue, and is in the operate log', async () => {
  const id = await server.kernel.jobs.send(QUEUE, { id: NOBODY }, { startAfterSeconds: 3600 })
  const queue = async () =>
    (await server.admin.get(`${MONITOR}/queues/`)).body.find((one: { queue: string }) => one.queue === QUEUE)
  expect(await queue()).toMatchObject({ later: 1, waiting: 0 })
  expect((await server.admin.post(`${MONITOR}/jobs/${id}/cancel/`)).body).toMatchObject({ id, state: 'cancelled' })
  expect(await queue()).toMatchObject({ later: 0 })
  const { rows } = await server.kernel.pool.query('SELECT resource FROM audits_operate_log WHERE object_id = $1', [id])
  expect(rows).toEqual([{ resource: `${QUEUE} ${id}` }])
})

test('the monitor names this node with every queue that it works at', async () => {
  const [node] = (await server.admin.get(`${MONITOR}/workers/`)).body
  expect(node).toMatchObject({ id: server.kernel.nodes.id, is_reached: true })
  expect(node.work).toContainEqual({ queue: QUEUE, concurrency: 1, running: [] })
})

test('a periodic job that is switched off does nothing at its times, and goes on when switched on; essential ones stay on', async () => {
  const { id, ...row } = await schedule('ops.clean_versions')
  expect(row).toMatchObject({
    task: 'ops.clean_versions',
    description: 'Remove old task versions',
    enabled: true,
    crontab: '40 3 * * *',
  })
  expect(Number.isInteger(id)).toBe(true)
  const comes = async () => {
    const run = await server.kernel.jobs.send('ops.clean_versions', {})
    await expect.poll(async () => (await jobsIn('done', 'ops.clean_versions')).map((job) => job.id)).toContain(run)
    return schedule('ops.clean_versions')
  }
  expect((await server.admin.patch(`${PERIODIC}${id}/`, { enabled: false })).body).toMatchObject({
    enabled: false,
    next_run_at: null,
  })
  const { total_run_count: before } = await schedule('ops.clean_versions')
  expect((await comes()).total_run_count).toBe(before)
  await server.admin.patch(`${PERIODIC}${id}/`, { enabled: true })
  const now = await comes()
  // Its own time may come meanwhile.
  expect(now.total_run_count).toBeGreaterThan(before)
  expect(now.last_run_at).toEqual(expect.any(String))
  const seal = await schedule('audits.seal')
  const refused = await server.admin.patch(`${PERIODIC}${seal.id}/`, { enabled: false })
  expect([refused.status, Object.keys(refused.body)]).toEqual([400, ['enabled']])
  expect((await schedule('audits.seal')).enabled).toBe(true)
})

test('which periodic jobs nobody may switch off is a decision', async () => {
  const { body } = await server.admin.get(`${PERIODIC}?limit=100&offset=0`)
  const essential = (body.results as { task: string; is_essential: boolean }[]).filter((row) => row.is_essential)
  expect(essential.map(({ task }) => task).toSorted()).toEqual([
    'accounts.settle_changes',
    'acls.settle_command_reviews',
    'assets.forget_typed_logins',
    'audits.seal',
    'authentication.forget_expired',
    'kernel.fold_counts',
    'ops.close_lost_tasks',
    'terminal.bring_commands_out',
    'terminal.close_orphans',
    'tickets.follow_people',
    'tickets.forget_waiting',
  ])
})

test('what every minute finds nothing to do does not run: only logs with rows to seal are sealed', async () => {
  const { kernel } = server
  const rarely = kernel.jobs.schedules.filter(({ hasWork }) => hasWork)
  expect(rarely.length).toBeGreaterThan(10)
  // Seen by nobody else: the server seals its logs meanwhile.
  const client = await kernel.pool.connect()
  try {
    await client.query('BEGIN')
    await client.query(`INSERT INTO audits_login_log (username, type, ip) VALUES ('somebody', 'W', '127.0.0.1')`)
    const due = (await withWork(client, rarely, server.kernel.app.log)).map(({ name }) => name)
    expect(due).toContain('audits.seal')
    expect(due).not.toContain('acls.settle_command_reviews')
  } finally {
    await client.query('ROLLBACK')
    client.release()
  }
})
