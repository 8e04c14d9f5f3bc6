import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AssetsFixture, admin, openAssetsFixture, ordinary, otherAdmin } from '../../assets/assets-fixture.ts'
import { type Sshd, startSshd } from '../../assets/sshd-fixture.ts'
import { keepNewestVersions, sendDueTasks } from '../../ops/index.ts'
import { startSilentServer } from '../hosts/silent-server-fixture.ts'

let fixture: AssetsFixture
let sshd: Sshd
let boss: { id: string }

beforeAll(async () => {
  fixture = await openAssetsFixture()
  sshd = await startSshd()
  await fixture.kernel.jobs.start()
  const login = { username: sshd.username, private_key: sshd.privateKey }
  boss = await fixture.make('system-users', { name: 'boss', type: 'admin', ...login })
})
afterAll(async () => {
  await fixture?.close()
  await sshd?.close()
})

const get = async (path: string, headers = admin) =>
  (await fixture.call('GET', `/api/v1/ops/${path}`, undefined, headers)).body
const taskOf = async (name: string) => (await get(`tasks/?name=${encodeURIComponent(name)}`))[0]

/** An asset that is not contacted by itself. */
async function anAsset(hostname: string, port = sshd.port): Promise<string> {
  const { id } = await fixture.make('assets', {
    hostname,
    ip: '127.0.0.1',
    platform: 'Linux',
    protocols: [`ssh/${port}`],
    is_active: false,
    admin_user: boss.id,
  })
  await fixture.call('PATCH', `/api/v1/assets/assets/${id}/`, { is_active: true })
  return id
}

async function over(task: string): Promise<void> {
  while (!['SUCCESS', 'FAILURE'].includes((await get(`celery/task/${task}/result/`)).state))
    await new Promise((resolve) => setTimeout(resolve, 50))
}

async function testAssets(assets: string[]): Promise<string> {
  const { body } = await fixture.call('POST', '/api/v1/assets/assets/tasks/', { action: 'test', assets })
  await over(body.task)
  return body.task
}

test('[A1.11 A2.44] the server’s work is a task of that name, a run by other means a version of it, each run an execution with its hosts', async () => {
  const good = await anAsset('good')
  const dead = await anAsset('dead', 1)
  const first = await testAssets([good, dead])
  const task = await taskOf('Test assets connectivity')
  expect(task).toMatchObject({
    display_name: 'Test assets connectivity',
    summary: { total: 1, success: 0, failed: 1 },
    contents: [{ name: 'ping', action: { module: 'ping', args: '' } }],
    latest_execution: {
      id: first,
      hosts_amount: 2,
      is_finished: true,
      is_success: false,
      stat: { total: 2, success: 1, failed: 1 },
      last_success: ['good(127.0.0.1)'],
      last_failure: { 'dead(127.0.0.1)': { ping: { msg: 'The server could not be reached' } } },
    },
  })
  // The same once more is the same version, on other machines another one.
  await testAssets([dead, good])
  const last = await testAssets([good, await anAsset('third')])
  const versions = await get(`adhoc/?task=${task.id}`)
  expect(
    versions.map(({ hosts, run_times }: { hosts: string[]; run_times: number }) => [hosts.length, run_times]),
  ).toEqual([
    [2, 1],
    [2, 2],
  ])
  expect(versions[0]).toMatchObject({ pattern: 'all', run_as_admin: true, options: "{'timeout': 10, 'forks': 10}" })
  expect(await get(`adhoc-executions/?task=${task.id}`)).toHaveLength(3)
  expect(await get(`adhoc-executions/?adhoc=${versions[1].id}`)).toHaveLength(2)
  expect(await get(`adhoc-executions/${last}/`)).toMatchObject({
    is_success: true,
    task_display: expect.stringMatching(/^Test assets connectivity@0000/),
    adhoc_short_id: versions[0].short_id,
    summary: "{'contacted': {'good(127.0.0.1)': {}, 'third(127.0.0.1)': {}}, 'dark': {}, 'success': True}",
  })
  expect((await get(`ansible/task/${last}/log/`)).data).toContain('good(127.0.0.1)')
  const inChinese = { ...admin, cookie: 'django_language=zh' }
  expect((await get('tasks/', inChinese))[0].display_name).toMatch(/测试|更新/)
  expect((await get(`adhoc-executions/${last}/`, inChinese)).task_display).toMatch(/^测试资产可连接性@0000/)
})

test('[A1.11] a machine that turns the first connections away is tried again, and logged in to once for all steps', async () => {
  let connections = 0
  const sockets = new Set<Socket>()
  const door = createServer((socket) => {
    connections++
    sockets.add(socket.on('error', () => {}))
    if (connections < 3) return socket.destroy()
    const onward = connect(sshd.port, '127.0.0.1')
    sockets.add(onward.on('error', () => {}))
    socket.pipe(onward).pipe(socket)
  })
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve))
  const asset = await anAsset('restarting', (door.address() as AddressInfo).port)
  const before = sshd.logins()
  const { task } = (await fixture.call('POST', `/api/v1/assets/assets/${asset}/tasks/`, { action: 'refresh' })).body
  await over(task)
  expect((await get(`adhoc-executions/${task}/`)).stat).toEqual({ total: 1, success: 1, failed: 0 })
  expect(connections).toBe(3)
  await expect.poll(() => sshd.logins() - before).toBe(1)
  expect((await get(`ansible/task/${task}/log/`)).data.match(/UNREACHABLE/g)).toHaveLength(2)
  for (const socket of sockets) socket.destroy()
  door.close()
})

test('[A2.44] the newest five versions of each task are kept; older ones go with their runs', async () => {
  const assets = await Promise.all(Array.from({ length: 7 }, (_, n) => anAsset(`version${n}`)))
  // Each on other machines than the one before: a version of its own.
  for (let amount = 2; amount <= assets.length; amount++) await testAssets(assets.slice(0, amount))
  const { id } = await taskOf('Test assets connectivity')
  const ids = async () => (await get(`adhoc/?task=${id}`)).map((version: { id: string }) => version.id)
  const all = await ids()
  expect(all.length).toBeGreaterThan(5)
  const runsOf = async (adhoc: string) => (await get(`adhoc-executions/?adhoc=${adhoc}`)).length
  expect(await runsOf(all.at(-1))).toBeGreaterThan(0)
  await keepNewestVersions(fixture.kernel, 30)
  expect(await ids()).toEqual(all.slice(0, 5))
  const left = (await get(`adhoc-executions/?task=${id}`)).map((run: { adhoc: string }) => run.adhoc)
  expect(new Set(left)).toEqual(new Set(all.slice(0, 5)))
})

test('[A2.44] a task is run now by its latest version, for administrators of its organization alone', async () => {
  const asset = await anAsset('again')
  await over((await fixture.call('POST', `/api/v1/assets/assets/${asset}/tasks/`, { action: 'test' })).body.task)
  const task = await taskOf('Test assets connectivity: again')
  const run = `/api/v1/ops/tasks/${task.id}/run/`
  const { body } = await fixture.call('GET', run)
  await over(body.task)
  expect((await taskOf(task.name)).summary).toEqual({ total: 2, success: 2, failed: 0 })
  expect((await fixture.call('GET', run, undefined, ordinary)).status).toBe(403)
  expect((await fixture.call('GET', run, undefined, otherAdmin)).status).toBe(404)
  expect((await fixture.call('GET', run, undefined, { ...admin, 'sec-fetch-site': 'cross-site' })).status).toBe(403)
  const empty = (await fixture.call('POST', '/api/v1/ops/tasks/', { name: 'by hand' })).body
  expect((await fixture.call('GET', `/api/v1/ops/tasks/${empty.id}/run/`)).body).toEqual({
    error: 'The task has no version that could run.',
  })
})

test('[A5.09 B5.07] a task with times runs by them, the crontab before the hours, and impossible times are refused', async () => {
  const asset = await anAsset('timed')
  await over((await fixture.call('POST', `/api/v1/assets/assets/${asset}/tasks/`, { action: 'test' })).body.task)
  const task = await taskOf('Test assets connectivity: timed')
  const url = `/api/v1/ops/tasks/${task.id}/`
  expect((await fixture.call('PATCH', url, { is_periodic: true, crontab: '61 * * * *' })).body).toHaveProperty(
    'crontab',
  )
  expect((await fixture.call('PATCH', url, { is_periodic: true, interval: null })).body).toHaveProperty('is_periodic')
  const timed = await fixture.call('PATCH', url, { is_periodic: true, crontab: '0 4 * * *', interval: 1 })
  expect(timed.body).toMatchObject({ is_periodic: true, crontab: '0 4 * * *' })
  const round = (now: Date) => sendDueTasks(fixture.kernel, now)
  await round(new Date('2030-01-01T12:00:00Z'))
  // Planned for four in the morning, not in an hour.
  await round(new Date('2030-01-01T14:00:00Z'))
  expect((await taskOf(task.name)).summary.total).toBe(1)
  await round(new Date('2030-01-02T12:00:00Z'))
  while ((await taskOf(task.name)).summary.total < 2) await new Promise((resolve) => setTimeout(resolve, 50))
})

test('[A2.44] a task that is deleted leaves its runs as records, without a link', async () => {
  const asset = await anAsset('leaving')
  const { task: run } = (await fixture.call('POST', `/api/v1/assets/assets/${asset}/tasks/`, { action: 'test' })).body
  await over(run)
  const task = await taskOf('Test assets connectivity: leaving')
  expect((await fixture.call('DELETE', `/api/v1/ops/tasks/${task.id}/`)).status).toBe(204)
  expect(await get(`adhoc-executions/${run}/`)).toMatchObject({ task: null, adhoc: null, is_finished: true })
  expect((await fixture.call('GET', `/api/v1/ops/adhoc/?task=${task.id}`)).status).toBe(404)
})

test('[A2.44] a run is ended by who started it or administers: nothing more begins, each machine says how far it came, and the failed ones run again', async () => {
  const silent = await startSilentServer()
  const good = await anAsset('answers')
  // More than are worked on at a time.
  const mute = await Promise.all(Array.from({ length: 12 }, (_, n) => anAsset(`mute${n}`, silent.port)))
  const start = { action: 'test', assets: [good, ...mute] }
  const { task } = (await fixture.call('POST', '/api/v1/assets/assets/tasks/', start)).body
  const cancel = `/api/v1/ops/celery/task/${task}/cancel/`
  await silent.reached
  await expect.poll(async () => (await get(`adhoc-executions/${task}/`)).stat).toMatchObject({ success: 1 })
  expect((await get(`celery/task/${task}/result/`)).can_cancel).toBe(true)
  expect((await fixture.call('POST', cancel, undefined, ordinary)).status).toBe(404)
  await fixture.kernel.pool.query(
    `UPDATE ops_background_task SET date_started = now() - interval '2 minutes' WHERE id = $1`,
    [task],
  )
  expect((await fixture.call('POST', cancel)).status).toBe(200)
  await over(task)
  const run = await get(`adhoc-executions/${task}/`)
  expect(run).toMatchObject({ is_finished: true, is_success: false, stat: { total: 13, success: 1, failed: 12 } })
  const messages = Object.values(run.last_failure as Record<string, Record<string, { msg: string }>>).map((steps) =>
    Object.values(steps)
      .map(({ msg }) => msg)
      .join(),
  )
  expect(new Set(messages)).toEqual(new Set(['Cancelled', 'Cancelled before it was begun here']))
  // It took long: the person who started it gets a notice, with a link; nobody gets one for the
  // earlier runs.
  const inbox = async () =>
    (await fixture.kernel.pool.query('SELECT subject, message FROM notifications_site_message')).rows
  await expect.poll(inbox).toEqual([
    {
      subject: 'Task failed: Test assets connectivity',
      message: expect.stringContaining(`href="/ui/ops/celery/task/${task}/log/"`),
    },
  ])
  expect((await fixture.call('POST', cancel)).status).toBe(400)
  await silent.close()
  const retry = (id: string) => fixture.call('POST', `/api/v1/ops/adhoc-executions/${id}/retry/`)
  const again = (await retry(task)).body.task
  await over(again)
  expect((await get(`adhoc-executions/${again}/`)).stat).toEqual({ total: 12, success: 0, failed: 12 })
  const fine = await retry(await testAssets([good]))
  expect([fine.status, fine.body.detail]).toEqual([400, 'It failed nowhere'])
})
