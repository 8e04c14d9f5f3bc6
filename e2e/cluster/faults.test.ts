/**
 * Three nodes under fault: one is killed with its disk, one is stopped in order, the database is
 * away for a while. People at the other nodes notice nothing, and nothing that was said to be done
 * is gone.
 */
import { rmSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Sshd, startSshd } from '../../apps/server/src/domains/assets/sshd-fixture.ts'
import { describeMachine, type Machine } from '../machine.ts'
import { type Administrator, signInAsAdministrator } from './administrator.ts'
import { type Cluster, startCluster } from './cluster.ts'
import { type CountingSession, openCountingSession } from './counting-session.ts'
import { startWriters, type Writers } from './writers.ts'

const PASSWORD = 'Guarded-door-1'
const SESSIONS = 60
/** So many are opened at a time. */
const AT_A_TIME = 10
/** Lines that each session has sent before something happens to it. */
const LINES_BEFORE = 10

let cluster: Cluster
let sshd: Sshd
let admin: Administrator
let machine: Machine
let writers: Writers
let sessions: CountingSession[] = []

beforeAll(async () => {
  ;[cluster, sshd] = await Promise.all([
    startCluster({ settings: { SALLYPORT_ADMIN_PASSWORD: PASSWORD } }),
    startSshd(),
  ])
  machine = await describeMachine(cluster, sshd, PASSWORD)
  admin = await signInAsAdministrator(cluster.url, PASSWORD)
  while (sessions.length < SESSIONS) {
    const some = Array.from({ length: AT_A_TIME }, () => openCountingSession(cluster.url, admin.token, machine))
    sessions.push(...(await Promise.all(some)))
  }
  writers = startWriters(cluster.url, admin.token)
})
afterAll(async () => {
  for (const session of sessions) session.stop()
  await writers?.stop()
  await cluster?.stop()
  await sshd?.close()
})

test('sixty sessions through the load balancer send back what is typed, byte by byte', () =>
  goOn(sessions, LINES_BEFORE))

test('a node that dies with its disk takes its own sessions along and nobody else’s', async () => {
  const node = cluster.nodes[2]
  if (!node) throw new Error('there is no third node')
  await node.kill()
  rmSync(node.data, { recursive: true, force: true })
  await untilLost()
  await cluster.balancer.until((inUse) => !inUse.includes(3))
  await goOn(sessions, LINES_BEFORE)
  await writers.go(20)
})

test('a node that is told to stop leaves the load balancer before it takes no more, and no call fails', async () => {
  const node = cluster.nodes[1]
  if (!node) throw new Error('there is no second node')
  const failures = writers.failures.length
  const own = await fetch(`${node.url}/api/health/`)
  expect(own.status).toBe(200)
  const ended = node.terminate()
  await expect.poll(async () => (await fetch(`${node.url}/api/health/`)).status).toBe(503)
  await cluster.balancer.until((inUse) => !inUse.includes(2))
  // It still answers who has come to it.
  expect((await fetch(`${node.url}/core/auth/login/`)).status).toBe(200)
  await ended
  await writers.go(20)
  expect(writers.failures.slice(failures)).toEqual([])
  await untilLost()
  await node.startAgain()
  await cluster.balancer.until((inUse) => inUse.includes(2))
})

test('the database is away: sessions stay, calls are refused as a fault of the server, and all goes on by itself', async () => {
  await cluster.database.shutDown()
  await expect.poll(() => writers.failures.length).toBeGreaterThan(0)
  await goOn(sessions, LINES_BEFORE)
  await cluster.database.startAgain()
  await writers.go(20)
  await goOn(sessions, LINES_BEFORE)
  expect(writers.failures.filter((failure) => !/^50[023]$/.test(failure))).toEqual([])
})

test('no row that was acknowledged is gone, whatever happened', async () => {
  await writers.stop()
  const names = async (path: string, field: string) => {
    const rows: Record<string, string>[] = await admin.call('GET', path)
    return new Set(rows.map((row) => row[field]))
  }
  const users = await names('/api/v1/users/users/?search=trial-', 'username')
  const assets = await names('/api/v1/assets/assets/?search=trial-', 'hostname')
  expect(writers.users.filter((name) => !users.has(name))).toEqual([])
  expect(writers.assets.filter((name) => !assets.has(name))).toEqual([])
  for (const session of sessions) session.check()
})

/** Waits until each of these sessions has had so many more lines back. */
async function goOn(open: readonly CountingSession[], lines: number): Promise<void> {
  const before = open.map(({ came }) => came.length)
  const behind = () => open.filter(({ came }, n) => came.length < (before[n] ?? 0) + lines).length
  await expect.poll(behind, { timeout: 30_000 }).toBe(0)
  for (const session of open) session.check()
}

/** Waits until a node's share of the sessions has broken off, and takes them out of those that go on. */
async function untilLost(): Promise<void> {
  await expect.poll(() => sessions.filter(({ isOpen }) => !isOpen).length).toBe(SESSIONS / 3)
  sessions = sessions.filter(({ isOpen }) => isOpen)
}
