/**
 * Three nodes under fault: lines between them and to the database are cut, one is killed with its
 * disk, one is stopped in order, one is killed and comes back, the database is away for a while.
 * People at the other nodes notice nothing, and nothing that was said to be done is gone.
 */
import { rmSync } from 'node:fs'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Sshd, startSshd } from '../../apps/server/src/domains/assets/sshd-fixture.ts'
import { openTerminal } from '../../apps/server/src/gateway/listeners/web/terminal-fixture.ts'
import { Client } from '../../apps/server/src/kernel/ssh/ssh2/index.ts'
import { describeMachine, type Machine } from '../machine.ts'
import { type Administrator, signInAsAdministrator, withToken } from './administrator.ts'
import { type Cluster, type Node, startCluster } from './cluster.ts'
import { type CountingSession, openCountingSession, PAUSE_MS } from './counting-session.ts'
import { makeNextVersion, type NextVersion } from './next-version.ts'
import { startWriters, type Writers } from './writers.ts'

const PASSWORD = 'Guarded-door-1'
const SESSIONS = 30
/** So many are opened at a time. */
const AT_A_TIME = 10
/**
 * So many of the last lines a recording may lack whose node was lost with its disk: those of ten
 * seconds. On a busy machine lines come slower, as all else does.
 */
const LOST_WITH_DISK = Math.ceil(10_000 / PAUSE_MS)
/** Likewise where a node was killed and came back with its disk: those of a second. */
const LOST = Math.ceil(1_000 / PAUSE_MS)
/** Lines that each session has sent before something happens to it. */
const LINES_BEFORE = 10
/** Lines in whose time every node looks for lost ones. */
const LINES_TO_LOOK = 40

/** Where the SSH clients are: not where HAProxy is. */
const SSH_CLIENT = '127.0.0.9'

/**
 * How calls fail that met a database or a node just as it went: refused as the server's fault, or
 * ended with their connection when no node was left to answer.
 */
const PLAIN = /^50[23]$|other side closed/

interface SessionRow {
  id: string
  terminal: string
  remote_addr: string
}

let cluster: Cluster
let sshd: Sshd
let admin: Administrator
let machine: Machine
let writers: Writers
let next: NextVersion | undefined
let sessions: CountingSession[] = []

beforeAll(async () => {
  ;[cluster, sshd] = await Promise.all([
    startCluster({ databaseLines: true, settings: { SALLYPORT_ADMIN_PASSWORD: PASSWORD } }),
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
  next?.remove()
})

test('thirty sessions through the load balancer send back what is typed, byte by byte', () =>
  goOn(sessions, LINES_BEFORE))

test('plain SSH clients come in at every node, as from where they are', async () => {
  for (const node of cluster.nodes) {
    const output = await runOverSsh(cluster.sshPort, `admin@${sshd.username}@web-1`, PASSWORD, `echo to-${node.name}`)
    expect(output).toBe(`to-${node.name}\n`)
  }
  const rows: SessionRow[] = await admin.call('GET', '/api/v1/terminal/sessions/?login_from=ST')
  const terminals = await Promise.all(cluster.nodes.map(terminalOf))
  expect(rows.map(({ terminal }) => terminal).sort()).toEqual(terminals.sort())
  expect(new Set(rows.map((row) => row.remote_addr))).toEqual(new Set([SSH_CLIENT]))
})

test('a node that the others do not reach goes on, its sessions are said to be out of reach, and all heals by itself', async () => {
  const [first, second] = cluster.nodes
  if (!first || !second) throw new Error('there are no two nodes')
  const session = await carriedBy(first)
  const watch = () =>
    openTerminal(second.url, admin, { type: 'shareroom', target: session.id, systemUser: machine.systemUser })
  const watcher = await watch()
  await watcher.see(`of ${session.id}`)

  first.link.cut()
  await watcher.closed
  const late = await watch()
  await late.closed
  expect(late.errors).toEqual(['The server that carries this session cannot be reached'])
  await goOn(sessions, LINES_BEFORE)

  first.link.mend()
  await expect
    .poll(async () => {
      const again = await watch()
      const seen = await Promise.race([again.see(`of ${session.id}`), again.closed])
      again.close()
      return seen
    })
    .toBeTruthy()
})

test('a node that is cut off from the database keeps its sessions and takes no new ones in plain words; it heals by itself', async () => {
  const node = cluster.nodes[0]
  if (!node?.database) throw new Error('there is no first node with a line of its own')
  const failures = writers.failures.length
  const before = await openRows()
  node.database.cut()
  await cluster.balancer.until((inUse) => !inUse.includes(1))
  expect((await fetch(`${node.url}/api/health/`)).status).toBe(503)
  const here = withToken(node.url, admin.token)
  await expect(here.call('GET', '/api/v1/users/profile/')).rejects.toThrow(/503.*"unavailable"/)
  const terminal = { type: 'ssh', target: machine.asset, systemUser: machine.systemUser }
  await expect(openTerminal(node.url, admin, terminal)).rejects.toThrow('503')
  // The others hear nothing of it for longer than a node may be silent, and ask it itself.
  await agedInDatabase(node)
  await writers.go(20)
  await goOn(sessions, LINES_TO_LOOK)
  expect(await openRows()).toEqual(before)

  node.database.mend()
  await cluster.balancer.until((inUse) => inUse.includes(1))
  const opened = await openCountingSession(node.url, admin.token, machine)
  await goOn([...sessions, opened], LINES_BEFORE)
  // Each session is open once, where it was, and on nobody else's account.
  expect(await openRows()).toEqual([...before, { id: opened.id, terminal: await terminalOf(node) }].sort(byId))
  opened.stop()
  await opened.terminal.closed
  await writers.go(20)
  // Those that were on their way to that node when it was cut off.
  expect(writers.failures.slice(failures).filter((failure) => !PLAIN.test(failure))).toEqual([])
})

test('a node that dies with its disk takes its own sessions along and nobody else’s; others play them but for ten seconds', async () => {
  const node = cluster.nodes[2]
  if (!node) throw new Error('there is no third node')
  await node.kill()
  rmSync(node.data, { recursive: true, force: true })
  await agedInDatabase(node)
  const lost = await untilLost()
  await cluster.balancer.until((inUse) => !inUse.includes(3))
  await goOn(sessions, LINES_BEFORE)
  await untilPlayable(lost, LOST_WITH_DISK)
  await writers.go(20)
})

test('a stopping node leaves the load balancer before it takes no more calls, and no call fails', async () => {
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
  const before = writers.failures.length
  await cluster.database.shutDown()
  await expect.poll(() => writers.failures.length).toBeGreaterThan(before)
  await goOn(sessions, LINES_BEFORE)
  await cluster.database.startAgain()
  await writers.go(20)
  await goOn(sessions, LINES_BEFORE)
  expect(writers.failures.slice(before).filter((failure) => !PLAIN.test(failure))).toEqual([])
})

test('a node that is killed and comes back with its disk has lost at most a second of its recordings', async () => {
  const node = cluster.nodes[0]
  if (!node) throw new Error('there is no first node')
  await node.kill()
  const lost = await untilLost()
  await node.startAgain()
  await untilPlayable(lost, LOST)
})

test('the next version takes over node by node: no call fails, sessions of the others go on, and the old program does not start any more', async () => {
  const [first, second, third] = cluster.nodes
  if (!first || !second || !third) throw new Error('there are no three nodes')
  next = makeNextVersion(
    '209901010000_kernel_shelf.sql',
    '-- A shelf, for a test.\nCREATE TABLE kernel_shelf (id int);\n',
  )
  const failures = writers.failures.length
  // It was lost with its disk: its place is taken by one of the next version, which migrates.
  await third.startAgain(next.main)
  await cluster.balancer.until((inUse) => inUse.length === 3)
  sessions = await Promise.all(
    Array.from({ length: AT_A_TIME }, () => openCountingSession(cluster.url, admin.token, machine)),
  )
  await goOn(sessions, LINES_BEFORE)
  for (const [number, node] of [
    [1, first],
    [2, second],
  ] as const) {
    const own = await terminalOf(node)
    const carried = (await openRows()).flatMap(({ id, terminal }) => (terminal === own ? [id] : []))
    await node.terminate()
    await expect
      .poll(() =>
        sessions
          .filter(({ isOpen }) => !isOpen)
          .map(({ id }) => id)
          .sort(),
      )
      .toEqual(carried)
    sessions = sessions.filter(({ isOpen }) => isOpen)
    await goOn(sessions, LINES_BEFORE)
    await expect(node.startAgain()).rejects.toThrow(
      /This Sallyport is older than its database, .*209901010000_kernel_shelf/,
    )
    await node.startAgain(next.main)
    await cluster.balancer.until((inUse) => inUse.includes(number))
    await writers.go(20)
  }
  expect(writers.failures.slice(failures)).toEqual([])
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

const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1)

/** Sessions that are open, and the terminal under which each is carried, as the database has them. */
async function openRows(): Promise<Pick<SessionRow, 'id' | 'terminal'>[]> {
  const rows: SessionRow[] = await admin.call('GET', '/api/v1/terminal/sessions/?is_finished=false')
  return rows.map(({ id, terminal }) => ({ id, terminal })).sort(byId)
}

/** As if the node had said nothing to the database for a minute. */
async function agedInDatabase({ name }: Node): Promise<void> {
  const client = new pg.Client({ connectionString: cluster.database.url })
  await client.connect()
  await client.query("UPDATE kernel_node SET date_seen = now() - interval '1 minute' WHERE name = $1", [name])
  await client.end()
}

/** Waits until each of these sessions has had so many more lines back. */
async function goOn(open: readonly CountingSession[], lines: number): Promise<void> {
  const before = open.map(({ came }) => came.length)
  const behind = () => open.filter(({ came }, n) => came.length < (before[n] ?? 0) + lines).length
  await expect.poll(behind).toBe(0)
  for (const session of open) session.check()
}

/** The id under which a node carries sessions. */
async function terminalOf(node: Node): Promise<string | undefined> {
  const terminals: { id: string; name: string }[] = await admin.call('GET', '/api/v1/terminal/terminals/')
  return terminals.find(({ name }) => name === `[KoKo]-${node.name}`)?.id
}

/** Output of a command that an SSH client runs. */
function runOverSsh(port: number, username: string, password: string, command: string): Promise<string> {
  const client = new Client()
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  client.on('error', reject).on('ready', () =>
    client.exec(command, (error, channel) => {
      if (error) return reject(error)
      let output = ''
      channel.on('data', (bytes: Buffer) => {
        output += bytes
      })
      channel.on('close', () => resolve(output))
    }),
  )
  client.connect({ host: '127.0.0.1', localAddress: SSH_CLIENT, port, username, password, readyTimeout: 20_000 })
  return promise.finally(() => client.end())
}

/** One of the sessions of that node. */
async function carriedBy(node: Node): Promise<CountingSession> {
  const own = await terminalOf(node)
  const rows: SessionRow[] = await admin.call('GET', '/api/v1/terminal/sessions/?is_finished=false')
  const found = sessions.find(({ id }) => rows.some((row) => row.id === id && row.terminal === own))
  if (!found) throw new Error(`${node.name} carries none of the sessions`)
  return found
}

/** Waits until a node's share of the sessions has broken off, and takes them out of those that go on. */
async function untilLost(): Promise<CountingSession[]> {
  await expect.poll(() => sessions.filter(({ isOpen }) => !isOpen).length).toBe(SESSIONS / 3)
  const lost = sessions.filter(({ isOpen }) => !isOpen)
  sessions = sessions.filter(({ isOpen }) => isOpen)
  return lost
}

/** Waits until each session is over and played by another node, with all that came back but for the last lines. */
async function untilPlayable(lost: readonly CountingSession[], lastLines: number): Promise<void> {
  for (const session of lost) {
    await expect
      .poll(() => admin.call('GET', `/api/v1/terminal/sessions/${session.id}/`), { timeout: 150_000 })
      .toMatchObject({ is_finished: true, can_replay: true })
    const shown = await played(session.id)
    const missing = session.came.slice(0, -lastLines).filter((line) => !shown.includes(`${line}\n`))
    expect(missing).toEqual([])
  }
}

/** All that a recording shows. */
async function played(id: string): Promise<string> {
  const { src } = await admin.call('GET', `/api/v1/terminal/sessions/${id}/replay/`)
  const answer = await fetch(cluster.url + src, { headers: { authorization: `Bearer ${admin.token}` } })
  if (!answer.ok) throw new Error(`the recording answered ${answer.status}`)
  const [, ...events] = (await answer.text()).trimEnd().split('\n')
  return events
    .map((line) => JSON.parse(line) as [number, string, string])
    .map(([, kind, text]) => (kind === 'o' ? text : ''))
    .join('')
}
