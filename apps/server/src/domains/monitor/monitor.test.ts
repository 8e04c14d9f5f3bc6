import type { Figures, NodeFigure } from '@sallyport/contract/resources/monitor/system-monitor.ts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { BUCKET, type ObjectStore, startObjectStore } from '../../../test/object-store.ts'
import { type Caller, openTestServer, type TestServer } from '../../../test/server.ts'
import { startElasticsearch } from '../terminal/commands/elastic/elasticsearch-fixture.ts'
import { readHistory, rollUp } from './history.ts'
import { monitorMinute } from './minutes.ts'
import { openThisNode } from './this-node.ts'

const MONITOR = '/api/v1/xpack/system-monitor'
const SETTINGS = '/api/v1/settings/setting/?category=monitor'
const MINUTE = 60_000
const OTHER_NODE = '00000000-0000-4000-8000-0000000000b2'
const NO_NODE = '00000000-0000-4000-8000-0000000000b3'

const TOKEN = 'token-of-the-prometheus'

let server: TestServer
let objects: ObjectStore
const HOUR = 3_600_000
/**
 * The clock of tests: days ahead, so that the minutes and signs of life of the server itself do not
 * mix with them.
 */
let clock = Math.ceil(Date.now() / HOUR + 48) * HOUR

beforeAll(async () => {
  server = await openTestServer({ SALLYPORT_METRICS_TOKEN: TOKEN })
  objects = await startObjectStore()
  await server.kernel.pool.query("UPDATE users_user SET language = 'en'")
})
afterAll(async () => {
  await objects?.close()
  await server?.close()
})
beforeEach(async () => {
  // A whole hour, with nothing of the test before in its window.
  clock = Math.ceil(clock / HOUR + 2) * HOUR
  await server.kernel.pool.query('TRUNCATE monitor_sample, monitor_alarm, monitor_storage')
  await news(server.admin)
})

const CALM = { cpu: 3, memory: 40, disk: 30, loop_delay: 1, database_delay: 1, disk_free: 1e9, process_memory: 2e8 }

/** So many minutes, one after the other, in which this node measures the same. */
async function minutes(count: number, own: Figures<NodeFigure> = {}): Promise<void> {
  for (let n = 0; n < count; n++) {
    clock += MINUTE
    await monitorMinute(server.kernel, { ...CALM, ...own }, new Date(clock))
  }
}

/** Messages of the monitor that somebody has not read, newest first; read afterwards. */
async function news(person: Caller): Promise<string[]> {
  const INBOX = '/api/v1/notifications/site-message/'
  const rows = (await person.get(`${INBOX}?has_read=false`)).body as { id: string; subject: string; message: string }[]
  await person.patch(`${INBOX}mark-as-read/`, { ids: rows.map(({ id }) => id) })
  return rows.flatMap(({ subject, message }) => (/performance|性能/.test(subject) ? message : []))
}
const now = async () => (await server.admin.get(`${MONITOR}/now/`)).body
const kinds = async () => (await now()).alarms.map(({ kind }: { kind: string }) => kind)
const over = async () => (await server.admin.get(`${MONITOR}/alarms/?limit=10`)).body.results
const limits = async (values: Record<string, number>) =>
  expect((await server.admin.patch(SETTINGS, values)).status).toBe(200)

test('[A2.61 A6.19] the system monitor is for super administrators: others are refused, and wrong questions get a reason', async () => {
  const administrator = await server.aPerson('monitor-administrator', { orgRoles: ['Admin'] })
  for (const part of ['now/', 'history/', 'alarms/'])
    expect([part, (await administrator.get(`${MONITOR}/${part}`)).status]).toEqual([part, 403])
  expect((await server.admin.get(`${MONITOR}/history/?range=decade`)).status).toBe(400)
  expect((await server.admin.get(`${MONITOR}/history/?node=1' OR 1=1`)).status).toBe(400)
  expect((await server.admin.get(`${MONITOR}/alarms/?limit=-1`)).status).toBe(400)
})

test('a limit that is crossed for five minutes raises one alarm, told once; it is over when the figure has been well below for as long', async () => {
  const node = server.kernel.nodes
  await minutes(4, { cpu: 97 })
  expect(await kinds()).toEqual([])
  await minutes(1, { cpu: 97.25 })
  const [alarm, ...others] = (await now()).alarms
  expect(alarm).toMatchObject({ kind: 'cpu', subject: node.id, name: node.name, limit: 90, date_closed: null })
  expect([alarm.text, others]).toEqual([`The processors of ${node.name} are 97.3% busy.`, []])
  const [message, ...more] = await news(server.admin)
  expect([message?.includes(alarm.text), message?.includes('/ui/xpack/system-monitor'), more]).toEqual([true, true, []])
  // Around the limit: it lasts, and is not reported again.
  for (let n = 0; n < 6; n++) await minutes(1, { cpu: n % 2 ? 91 : 89 })
  await minutes(5, { cpu: 88 })
  expect([await kinds(), await news(server.admin)]).toEqual([['cpu'], []])
  await minutes(4)
  expect(await kinds()).toEqual(['cpu'])
  await minutes(1)
  expect([await now(), await news(server.admin)]).toMatchObject([{ state: 'healthy', alarms: [] }, []])
  const [past] = await over()
  expect(past).toMatchObject({ id: alarm.id, value: 97.3, date_closed: expect.any(String) })
})

test('limits are settings: the time until an alarm, the limit, and 0 for none; a change counts from the next minute', async () => {
  await limits({ MONITOR_ALARM_MINUTES: 2, MONITOR_DISK_PERCENT: 0, MONITOR_LOOP_MS: 30 })
  await minutes(1, { disk: 99, loop_delay: 31 })
  expect(await kinds()).toEqual([])
  await minutes(1, { disk: 99, loop_delay: 31 })
  expect(await kinds()).toEqual(['loop_delay'])
  await limits({ MONITOR_LOOP_MS: 1000 })
  await minutes(1, { disk: 99, loop_delay: 31 })
  expect(await kinds()).toEqual([])
  await limits({ MONITOR_ALARM_MINUTES: 5, MONITOR_DISK_PERCENT: 80, MONITOR_LOOP_MS: 100 })
  expect((await server.admin.patch(SETTINGS, { MONITOR_CPU_PERCENT: 101 })).status).toBe(400)
})

test('subscribers read of an alarm in their language', async () => {
  const reader = await server.aPerson('monitor-reader')
  await server.kernel.pool.query("UPDATE users_user SET language = 'cn' WHERE username = 'monitor-reader'")
  const subscription = '/api/v1/notifications/system-msg-subscription/ServerPerformanceMessage/'
  const change = { users: [reader.id], groups: [], receive_backends: [] }
  expect((await server.admin.put(subscription, change)).status).toBe(200)
  await minutes(5, { memory: 93 })
  const [message] = await news(reader)
  expect(message).toContain(`${server.kernel.nodes.name} 的内存使用率为 93%。`)
  await server.admin.put(subscription, { ...change, users: [server.admin.id] })
})

test('dropped audit events are reported at once, for any number, and the alarm lasts for an hour after the last', async () => {
  const drop = (count: number) =>
    server.kernel.pool.query("UPDATE audits_forwarding SET dropped = dropped + $1 WHERE target = 'syslog'", [count])
  await minutes(2)
  await drop(7)
  await minutes(1)
  expect(await kinds()).toEqual(['events_dropped'])
  expect(await news(server.admin)).toEqual([expect.stringContaining('7 in all are missing there')])
  await drop(3)
  await minutes(1)
  expect([(await now()).alarms, await news(server.admin)]).toMatchObject([[{ value: 10 }], []])
  clock += 58 * MINUTE
  await minutes(2)
  expect(await kinds()).toEqual(['events_dropped'])
  await minutes(1)
  expect(await kinds()).toEqual([])
})

test('a storage of recordings that is away is shown with the reason, and told once it has been so for five minutes', async () => {
  const place = { BUCKET, ENDPOINT: objects.endpoint, ACCESS_KEY: 'S3RVER', SECRET_KEY: 'S3RVER' }
  const storages = '/api/v1/terminal/replay-storages/'
  const made = await server.admin.post(`${storages}?type=s3`, { name: 'watched bucket', type: 's3', meta: place })
  expect(made.status).toBe(201)
  // From one look to the next.
  await minutes(5)
  expect((await now()).storages).toMatchObject([{ kind: 'replay', name: 'watched bucket', is_away: false, error: '' }])
  await objects.stop()
  await minutes(5)
  expect(await now()).toMatchObject({
    state: 'attention',
    alarms: [],
    storages: [{ is_away: true, error: 'The storage does not answer' }],
  })
  await minutes(5)
  expect(await now()).toMatchObject({ figures: { storages_away: 1 }, alarms: [{ kind: 'storage_away' }] })
  expect(await news(server.admin)).toEqual([expect.stringContaining('The storage watched bucket cannot be used.')])
  await objects.start()
  await minutes(1)
  expect(await now()).toMatchObject({ storages: [{ is_away: false }], alarms: [{ kind: 'storage_away' }] })
  await minutes(5)
  expect([await kinds(), await news(server.admin)]).toEqual([[], []])
  expect((await server.admin.delete(`${storages}${made.body.id}/`)).status).toBe(204)
  await minutes(5)
  expect((await now()).storages).toEqual([])
})

test('a cluster of commands that answers, but has a red index, is reported like one that is away', async () => {
  const cluster = await startElasticsearch()
  try {
    const meta = { HOSTS: [cluster.url], INDEX: 'commands', INDEX_BY_DATE: true }
    const storages = '/api/v1/terminal/command-storages/'
    const made = await server.admin.post(`${storages}?type=es`, { name: 'watched cluster', type: 'es', meta })
    expect(made.status).toBe(201)
    const index = () => ({ mappings: {}, documents: new Map() })
    cluster.indices.set('commands-2026.11.20', index()).set('commands-2026.11.21', index())
    cluster.red.add('commands-2026.11.20')
    await minutes(10)
    expect(await now()).toMatchObject({
      storages: [{ kind: 'command', is_away: true, error: expect.stringContaining('1 of 2 shards failed') }],
      alarms: [{ kind: 'storage_away' }],
    })
    expect(await news(server.admin)).toEqual([expect.stringContaining('The storage watched cluster cannot be used.')])
    expect((await server.admin.delete(`${storages}${made.body.id}/`)).status).toBe(204)
  } finally {
    await cluster.stop()
  }
})

test('what one node has measured of the installation in a minute no other does again', async () => {
  const other = { ...server.kernel, nodes: { ...server.kernel.nodes, id: OTHER_NODE } }
  clock += MINUTE
  const at = new Date(clock)
  for (const kernel of [server.kernel, other, other, server.kernel]) await monitorMinute(kernel, CALM, at)
  const { rows } = await server.kernel.pool.query('SELECT node FROM monitor_sample WHERE at = $1 ORDER BY node', [at])
  expect(rows.map(({ node }) => node).sort()).toEqual([server.kernel.nodes.id, OTHER_NODE, null].sort())
})

test('a minute that is judged late closes nothing that a later one has opened', async () => {
  await minutes(5, { cpu: 99 })
  await monitorMinute(server.kernel, CALM, new Date(clock - 20 * MINUTE))
  expect(await kinds()).toEqual(['cpu'])
})

test('a node that fell silent without a goodbye is reported; one that was stopped is not', async () => {
  const enter = (name: string, is_running: boolean) =>
    server.kernel.pool.query(
      `INSERT INTO kernel_node (id, name, roles, is_running, date_seen) VALUES (gen_random_uuid(), $1, '{worker}', $2, $3)`,
      [name, is_running, new Date(clock)],
    )
  await enter('worker-lost', true)
  await enter('worker-stopped', false)
  await minutes(5)
  expect(await kinds()).toEqual([])
  await minutes(1)
  expect((await now()).alarms).toMatchObject([{ kind: 'node_silent', text: 'worker-lost is offline.' }])
  expect(await news(server.admin)).toEqual([expect.stringContaining('worker-lost is offline.')])
  await server.kernel.pool.query("DELETE FROM kernel_node WHERE name IN ('worker-lost', 'worker-stopped')")
  await minutes(1)
  expect(await kinds()).toEqual([])
})

test('a node that does not come back within a day was taken away: nobody has to attend to it any more', async () => {
  const { pool } = server.kernel
  await pool.query(
    `INSERT INTO kernel_node (id, name, roles, date_seen) VALUES
       (gen_random_uuid(), 'worker-lost', '{worker}', now() - interval '23 hours'),
       (gen_random_uuid(), 'worker-gone', '{worker}', now() - interval '25 hours')`,
  )
  await minutes(1)
  const { nodes, state } = await now()
  const states = new Map(nodes.map((node: { name: string; state: string }) => [node.name, node.state]))
  expect([state, states.get('worker-lost'), states.get('worker-gone')]).toEqual(['attention', 'silent', 'stopped'])
  await pool.query("DELETE FROM kernel_node WHERE name = 'worker-lost'")
  // The server's own minute, if it came just now, has raised an alarm: over with the node.
  await minutes(1)
  expect((await now()).state).toBe('healthy')
  await pool.query("DELETE FROM kernel_node WHERE name = 'worker-gone'")
})

test('history is kept by the minute for a day and by the quarter of an hour for 30 days; charts read means and peaks of it', async () => {
  const { db, pool } = server.kernel
  const end = clock
  // 31 days at once, in which the processors go from 0 to 59 % in each hour.
  await pool.query(
    `INSERT INTO monitor_sample (node, at, minutes, figures)
     SELECT $1, at, 1, jsonb_build_object('cpu', extract(minute FROM at)::int)
     FROM generate_series($2::timestamptz - interval '31 days', $2::timestamptz - interval '1 minute', '1 minute') AS at`,
    [OTHER_NODE, new Date(end)],
  )
  const at = new Date(end + 2 * MINUTE)
  await rollUp(db, at)
  await rollUp(db, at)
  const { rows } = await pool.query<{ minutes: number; count: number }>(
    'SELECT minutes, count(*)::int FROM monitor_sample WHERE node = $1 GROUP BY minutes ORDER BY minutes',
    [OTHER_NODE],
  )
  expect(rows.map(({ minutes, count }) => [minutes, count])).toEqual([
    [1, 25 * 60 - 2],
    [15, 30 * 96 - 1],
  ])
  const hour = await readHistory(db, 'hour', OTHER_NODE, new Date(end - MINUTE))
  expect([hour.points, hour.series.cpu?.mean]).toEqual([60, Array.from({ length: 60 }, (_, minute) => minute)])
  const day = await readHistory(db, 'day', OTHER_NODE, new Date(end - MINUTE))
  expect([day.series.cpu?.mean.slice(0, 3), day.series.cpu?.peak.slice(0, 3)]).toEqual([
    [2, 7, 12],
    [4, 9, 14],
  ])
  const week = await readHistory(db, 'week', OTHER_NODE, new Date(end - MINUTE))
  expect([week.points, week.series.cpu?.mean.slice(0, 2), week.series.cpu?.peak.slice(0, 2)]).toEqual([
    336,
    [14.5, 44.5],
    [29, 59],
  ])
  const month = await readHistory(db, 'month', OTHER_NODE, new Date(end - MINUTE))
  expect([month.points, month.series.cpu?.peak.filter((peak) => peak === 59).length]).toEqual([360, 360])
  expect((await readHistory(db, 'month', NO_NODE, new Date(end))).series).toEqual({})
})

test('this node measures itself, and the database what waits in it', async () => {
  const { kernel } = server
  const node = openThisNode(kernel)
  const own = await node.measure().finally(() => node.close())
  expect(own.process_memory).toBeGreaterThan(50e6)
  expect(own.disk_free).toBeGreaterThan(0)
  for (const share of [own.cpu, own.memory, own.disk]) {
    expect(share).toBeGreaterThanOrEqual(0)
    expect(share).toBeLessThanOrEqual(100)
  }
  expect(own.database_delay).toBeGreaterThan(0)
  await kernel.pool.query(
    `INSERT INTO kernel_job (queue, data, state, tries, date_start, date_finished, error)
     VALUES ('ops.clean_versions', '{}', 'failed', 1, now(), now(), 'no')`,
  )
  await kernel.pool.query(
    `INSERT INTO audits_outbox (target, category, body, date_created) VALUES ('webhook', 'login_log', '{}', now() - interval '90 seconds')`,
  )
  await kernel.pool.query("UPDATE audits_forwarding SET is_on = true WHERE target = 'webhook'")
  await minutes(1)
  const { figures, nodes } = await now()
  expect(figures).toMatchObject({ events_waiting: 1, recordings_waiting: 0, recordings_oldest: 0 })
  // The server has jobs of its own.
  expect(figures.jobs_failed).toBeGreaterThanOrEqual(1)
  expect(figures.events_oldest).toBeGreaterThanOrEqual(90)
  expect(figures.database_bytes).toBeGreaterThan(1e6)
  expect(nodes).toMatchObject([{ id: kernel.nodes.id, state: 'running', figures: { ...CALM, sessions: 0 } }])
})

test('Prometheus reads the newest figures of the node and of all together in base units, and the alarms that last', async () => {
  const read = async () =>
    (await server.kernel.app.inject({ method: 'GET', url: '/metrics', headers: { authorization: `Bearer ${TOKEN}` } }))
      .body
  // The server's own minute may fall in between.
  const emptied = async () => {
    await server.kernel.pool.query('TRUNCATE monitor_sample')
    return read()
  }
  await expect.poll(emptied).not.toMatch(/^sallyport_installation_/m)
  await minutes(5, { cpu: 97, loop_delay: 20 })
  const text = await read()
  for (const line of [
    'sallyport_node_cpu_ratio 0.97',
    'sallyport_node_loop_delay_seconds 0.02',
    'sallyport_node_disk_free_bytes 1000000000',
    'sallyport_installation_storages_away 0',
    'sallyport_alarms{kind="cpu"} 1',
  ])
    expect(text.split('\n')).toContain(line)
  expect(text).toMatch(/^sallyport_installation_database_bytes \d+/m)
  expect(text).toMatch(/^sallyport_installation_jobs_oldest_seconds /m)
})
