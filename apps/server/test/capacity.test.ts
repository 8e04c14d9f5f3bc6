import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { text } from 'node:stream/consumers'
import { ROOT_ORG_ID } from '@sallyport/contract/constants.ts'
import {
  CAPACITY_FIGURES,
  CAPACITY_PATH,
  type CapacityReport,
  type CapacityRun,
} from '@sallyport/contract/resources/monitor/capacity.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { compareDays } from '../src/domains/monitor/capacity/days.ts'
import { GaveWay } from '../src/domains/monitor/index.ts'
import { recordingStore, replayFolder } from '../src/domains/terminal/recording/index.ts'
import { openLoopbackMachine } from '../src/gateway/capacity/loopback-machine.ts'
import { measureNode } from '../src/gateway/capacity/measure-node.ts'
import { connectPlain, connectSsh } from '../src/kernel/ssh/connect.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { type ObjectStore, startObjectStore } from './object-store.ts'
import { ADMIN } from './programs.ts'
import { openTestServer, type TestServer } from './server.ts'

const ROUND = {
  ...{
    key_cpu: 0.2,
    command_cpu: 1,
    session_cpu: 18,
    session_threads: 25,
    processors: 2,
    statement_cpu: 0.2,
    session_rows: 100,
    command_rows: 5_000,
  },
  ...{ store_write: 100, free_memory: 2_000, free_disk: 15_000 },
}
const SETTINGS = '/api/v1/settings/setting/?category=monitor'

let database: TestDatabase
let objects: ObjectStore
let server: TestServer
/** One that carries no sessions. */
let other: TestServer
beforeAll(async () => {
  ;[database, objects] = await Promise.all([createTestDatabase(), startObjectStore()])
  server = await openTestServer({ ...objects.environment, SALLYPORT_NODE_NAME: 'gate' }, database)
  const stays = { ...database, drop: async () => {} }
  other = await openTestServer({ ...objects.environment, SALLYPORT_NODE_NAME: 'api', SALLYPORT_ROLES: 'api' }, stays)
  // The machine of the tests has other work.
  expect((await server.admin.patch(SETTINGS, { MONITOR_LOOP_MS: 60_000 })).status).toBe(200)
})
afterAll(async () => {
  await other?.close()
  await server?.close()
  await objects?.close()
})

const report = async (): Promise<CapacityReport> => (await server.admin.get(CAPACITY_PATH)).body
const ask = (node: string, rounds = 1, asked = server) =>
  asked.admin.post(`${CAPACITY_PATH}run/?node=${node}&rounds=${rounds}`)
/** The newest run, once it is over. */
async function over(): Promise<CapacityRun | undefined> {
  await expect.poll(async () => (await report()).current, { timeout: 120_000 }).toBeNull()
  return (await report()).history[0]
}
/** Messages of the monitor that the administrator has. */
async function news(): Promise<string[]> {
  const rows: { subject: string; message: string }[] = (await server.admin.get('/api/v1/notifications/site-message/'))
    .body
  return rows.flatMap(({ subject, message }) => (/capacity/.test(subject) ? message : []))
}
/** What `sallyport-admin capacity` prints, in English. */
async function onCommandLine(...args: string[]) {
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env
  const { host = '', port, user, database: name } = database.connection
  const address = `postgres://${user}@localhost:${port}/${name}?host=${encodeURIComponent(host)}`
  const { dataDirectory } = server.kernel.config
  const env = { PATH, HOME, NODE_COMPILE_CACHE, SALLYPORT_DATA_DIR: dataDirectory, DATABASE_URL: address }
  const child = spawn(process.execPath, [ADMIN, 'capacity', '--language', 'en', ...args], { env })
  child.stdin.end()
  const [out, , [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { code, out }
}

/** Rows that people and auditors see: a measurement must not change them. */
async function evidence() {
  const { rows } = await server.kernel.pool.query(
    `SELECT (SELECT count(*) FROM terminal_session) AS sessions, (SELECT count(*) FROM terminal_command) AS commands,
       (SELECT count(*) FROM terminal_statement) AS statements, (SELECT count(*) FROM users_user) AS people,
       (SELECT count(*) FROM audits_login_log) AS sign_ins, (SELECT count(*) FROM assets_asset) AS assets`,
  )
  return rows[0]
}

test('asked on the command line, a node measures itself and says what it carries; nothing stays of it but its figures', async () => {
  const before = await evidence()
  const command = onCommandLine('--rounds', '1')
  await expect.poll(async () => (await report()).current?.state).toBe('running')
  const again = await ask(server.kernel.nodes.id)
  expect([again.status, again.body.detail]).toEqual([400, 'A measurement goes on already'])
  const { code, out } = await command
  expect(code).toBe(0)
  const run = (await report()).history[0]
  expect([run?.state, run?.fault]).toEqual(['done', ''])
  for (const name of Object.keys(CAPACITY_FIGURES))
    expect([name, run?.figures[name as keyof typeof CAPACITY_FIGURES]]).toEqual([name, expect.any(Number)])
  expect(run).toMatchObject({ done: 8, total: 8, machine: { store: 'bucket' } })
  const { sentence, full_first, capacity, newest, nodes } = await report()
  expect(sentence).toMatch(/^1 node carries about [\d,]+ people at work in terminals at the same time\.$/)
  expect(full_first).toMatch(/first\.$/)
  for (const words of [sentence, full_first]) expect(out).toContain(words)
  expect(out).toMatch(new RegExp(`${run?.figures.session_cpu} +ms +Processor for a session`))
  expect(capacity?.parts.map(({ people }) => people)).toEqual(
    capacity?.parts.map(({ people }) => people).toSorted((a, b) => a - b),
  )
  expect(newest.map(({ id }) => id)).toEqual([run?.id])
  expect(nodes.map(({ name, is_measurable }) => [name, is_measurable])).toEqual([
    ['api', false],
    ['gate', true],
  ])
  expect(await evidence()).toEqual(before)
  expect(readdirSync(replayFolder(server.kernel.config))).toEqual([])
  expect(await Array.fromAsync(recordingStore(server.kernel.config).list(''))).toEqual([])
  const log = (await server.admin.in(ROOT_ORG_ID).get('/api/v1/audits/operate-logs/?limit=5')).body.results
  expect(log).toContainEqual(expect.objectContaining({ resource_type: 'Capacity measurement', resource: 'gate' }))
})

test('a measurement can be stopped, and the next one begins', async () => {
  expect((await server.admin.post(`${CAPACITY_PATH}cancel/`)).status).toBe(400)
  // Any node takes the question.
  const asked = await ask(server.kernel.nodes.id, 1, other)
  expect([asked.status, asked.body.current?.node]).toEqual([200, server.kernel.nodes.id])
  await expect
    .poll(async () => (await report()).current)
    .toMatchObject({ state: 'running', asked_by: 'Administrator(admin)' })
  expect((await server.admin.post(`${CAPACITY_PATH}cancel/`)).status).toBe(200)
  expect((await over())?.state).toBe('canceled')
})

test('[A6.19] the capacity is for super administrators, and wrong questions change nothing', async () => {
  const person = await server.aPerson('capacity-administrator', { orgRoles: ['Admin'] })
  expect((await person.get(CAPACITY_PATH)).status).toBe(403)
  for (const part of ['run/', 'cancel/']) expect((await person.post(`${CAPACITY_PATH}${part}`)).status).toBe(403)
  const { length } = (await report()).history
  for (const node of ['', 'gate', other.kernel.nodes.id, '00000000-0000-4000-8000-0000000000b2'])
    expect([node, (await ask(node)).status]).toEqual([node, 400])
  for (const rounds of [0, 11, -1, Number.NaN]) expect((await ask(server.kernel.nodes.id, rounds)).status).toBe(400)
  expect((await report()).history.length).toBe(length)
})

test('it gives way where the node is late at its work, and says so', async () => {
  const stop = new AbortController()
  const late = setInterval(() => {
    const until = performance.now() + 200
    while (performance.now() < until);
  }, 250)
  try {
    const options = { signal: stop.signal, lateMs: 50, rounds: 1, onStep: () => {}, commit: async () => {} }
    await expect(measureNode(server.kernel, options)).rejects.toThrow(GaveWay)
  } finally {
    clearInterval(late)
  }
  expect(readdirSync(replayFolder(server.kernel.config))).toEqual([])
})

test('the machine of a measurement lets in nobody but the measurement, and no session leads there', async () => {
  const port = new Set<number>()
  const keep = server.kernel.targetAddresses
  const watched = {
    keep(one: number) {
      port.add(one)
      keep.keep(one)
    },
    letGo: (one: number) => keep.letGo(one),
  }
  const machine = await openLoopbackMachine({ targetAddresses: watched as unknown as typeof keep })
  const [own = 0] = port
  const hostKey = {
    expected: async () => ({ types: [], certified: false }),
    decide: async () => ({ accepted: true, fingerprint: '', trusted: [], isMoved: false }),
  }
  const hop = { host: '127.0.0.1', port: own, username: 'root', password: 'root', privateKey: '', hostKey }
  await expect(connectSsh([hop], { timeoutMs: 5_000 })).rejects.toMatchObject({ failure: 'authentication' })
  expect(keep.judge('127.0.0.1', own)).toBeDefined()
  const addresses = Object.values(networkInterfaces()).flatMap((some) => some ?? [])
  for (const { address } of addresses.filter(({ family, internal }) => family === 'IPv4' && !internal))
    await expect(connectPlain([], { host: address, port: own }, { timeoutMs: 2_000 })).rejects.toThrow()
  const connection = await machine.connect()
  connection.close()
  await machine.close()
  expect(keep.judge('127.0.0.1', own)).toBeUndefined()
  await expect(connectPlain([], { host: '127.0.0.1', port: own }, { timeoutMs: 2_000 })).rejects.toThrow()
})

test('a node that does not begin, or is lost on the way, makes room for the next measurement', async () => {
  const { pool, nodes } = server.kernel
  const lost = (state: string, seconds: number) =>
    pool.query(
      `INSERT INTO monitor_capacity (node, node_name, asked_by, state, date_seen)
       VALUES ($1, 'gone', 'somebody', $2, now() - make_interval(secs => $3))`,
      ['00000000-0000-4000-8000-0000000000b3', state, seconds],
    )
  await lost('running', 61)
  expect((await report()).current).toBeNull()
  expect((await report()).history[0]).toMatchObject({
    state: 'failed',
    fault: 'The node stopped during the measurement.',
  })
  expect((await ask(nodes.id)).status).toBe(200)
  await server.admin.post(`${CAPACITY_PATH}cancel/`)
  await over()
  await lost('waiting', 21)
  expect((await report()).history[0]).toMatchObject({
    state: 'failed',
    fault: 'The node did not begin: it does not answer.',
  })
})

test('the busiest minute of a day is kept against the capacity; a day that comes near it is reported once', async () => {
  const { pool, nodes } = server.kernel
  await pool.query("UPDATE users_user SET language = 'en'")
  await pool.query('DELETE FROM monitor_sample')
  const figures = { ...ROUND, session_cpu: 11_250 }
  await pool.query(
    `INSERT INTO monitor_capacity (node, node_name, asked_by, state, figures, date_finished)
     VALUES ($1, 'gate', 'somebody', 'done', $2, now())`,
    [nodes.id, JSON.stringify(figures)],
  )
  const at = new Date('2031-05-06T10:07:00Z')
  const minute = (minutes: number, sessions: number) =>
    pool.query(`INSERT INTO monitor_sample (node, at, minutes, figures) VALUES ($1, $2, 1, $3)`, [
      ...[nodes.id, new Date(at.getTime() - minutes * 60_000), JSON.stringify({ sessions })],
    ])
  // 0.1 × 3.4 + 1.6 × 11,250 / 1,800 = 10.34 ms of a second: 67 people.
  await minute(10, 40)
  await minute(5, 50)
  await compareDays(server.kernel, at)
  expect((await report()).days).toEqual([
    { node: nodes.id, node_name: 'gate', day: '2031-05-06', sessions: 50, opened: 0, commands: 0, percent: 74.6 },
  ])
  expect(await news()).toEqual([])
  await minute(2, 60)
  for (let n = 0; n < 2; n++) await compareDays(server.kernel, at)
  const [reported, ...more] = await news()
  expect(reported).toMatch(/On 2031-05-06 gate was 90% full in its busiest minute: 60 live sessions/)
  expect(more).toEqual([])
})
