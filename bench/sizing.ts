/**
 * Figures for docs/sizing.md: the memory of a node at rest, recordings of terminals at work, by the
 * hour, as they are stored, and rows of commands with their indexes in the database. Nothing is
 * compared: it reports, and never fails.
 *
 *   node_modules/.bin/node bench/sizing.ts            # BENCH_MINUTES=5 BENCH_COMMANDS=200000
 */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type ssh2 from 'ssh2'
import { startSshd } from '../apps/server/src/domains/assets/sshd-fixture.ts'
import { Client } from '../apps/server/src/kernel/ssh/ssh2/index.ts'
import { startInstallation } from '../e2e/installation.ts'
import { fillCommands } from './command-rows.ts'
import { openInstallation } from './installation.ts'

const MINUTES = Number(process.env.BENCH_MINUTES ?? 5)
const COMMANDS = Number(process.env.BENCH_COMMANDS ?? 200_000)
const PASSWORD = 'Bench-password-1'
const SCREEN = { term: 'xterm-256color', cols: 120, rows: 40 }
/** A person at work reads for some seconds, then types the next one. */
const BETWEEN_COMMANDS_MS = 10_000
const TYPED = ['ls -la /etc', 'df -h', 'ps aux | head -40', 'cat /etc/services | head -60', 'uptime', 'free -m']
const TOO_LATE_MS = 60_000
/** After that a start has nothing left to do. */
const AT_REST_MS = 15_000

/** Terminals by a line to begin with, and lines that a person types now and then. */
const WORK: Readonly<Record<string, { begin?: string; typed?: readonly string[] }>> = {
  'a command every 10 seconds': { typed: TYPED },
  'a log, a line a second': {
    begin:
      "while sleep 1; do printf '%(%FT%T)T INFO GET /api/v1/assets/ 200 12ms user=walker id=%08x%08x\\n' -1 $SRANDOM $SRANDOM; done",
  },
  'top, every 3 seconds': { begin: 'top -d 3' },
}

const sshd = await startSshd()
const installation = await startInstallation({ settings: { SALLYPORT_ADMIN_PASSWORD: PASSWORD } })
const call = async (path: string, token?: string, body?: unknown) => {
  const answer = await fetch(`${installation.url}/api/v1/${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  return answer.json()
}

/** A machine that the administrator may use; answers the user name that leads to it. */
async function describe(token: string, user: string): Promise<string> {
  const asset = await call('assets/assets/', token, {
    hostname: 'bench',
    ip: '127.0.0.1',
    platform: 'Linux',
    protocols: [`ssh/${sshd.port}`],
  })
  const account = await call('assets/system-users/', token, {
    name: 'bench',
    username: sshd.username,
    protocol: 'ssh',
    login_mode: 'auto',
    private_key: sshd.privateKey,
    auto_push: false,
  })
  const granted = { name: 'bench', users: [user], assets: [asset.id], system_users: [account.id] }
  await call('perms/asset-permissions/', token, granted)
  return `admin@${account.id}@${asset.id}`
}

function connect(username: string): Promise<ssh2.Client> {
  const client = new Client()
  const options = { host: '127.0.0.1', port: installation.sshPort, username, password: PASSWORD }
  return new Promise((resolve, reject) =>
    client
      .once('ready', () => resolve(client))
      .once('error', reject)
      .connect(options),
  )
}

function shell(client: ssh2.Client): Promise<ssh2.ClientChannel> {
  return new Promise((resolve, reject) =>
    client.shell(SCREEN, (error, channel) => (error ? reject(error) : resolve(channel))),
  )
}

/** Bytes of the files of each session: recording, index and screens. */
function storedBytes(): Map<string, number> {
  const bytes = new Map<string, number>()
  for (const entry of readdirSync(join(installation.data, 'replay'), { recursive: true, withFileTypes: true })) {
    const id = /^([0-9a-f-]{36})\.(?:cast\.gz|index\.json|screens\.gz)$/.exec(entry.name)?.[1]
    if (id) bytes.set(id, (bytes.get(id) ?? 0) + statSync(join(entry.parentPath, entry.name)).size)
  }
  return bytes
}

async function memory(): Promise<void> {
  await pause(AT_REST_MS)
  const status = readFileSync(`/proc/${installation.process.pid}/status`, 'utf8')
  console.log(
    `a node at rest: ${(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024).toFixed(0)} MB without its PostgreSQL`,
  )
}

async function recordings(): Promise<void> {
  const { token, user } = await call('authentication/tokens/', undefined, { username: 'admin', password: PASSWORD })
  const client = await connect(await describe(token, user.id))
  const shells: { name: string; channel: ssh2.ClientChannel; received: () => number; typed: readonly string[] }[] = []
  for (const [name, { begin, typed = [] }] of Object.entries(WORK)) {
    const channel = await shell(client)
    let bytes = 0
    channel.on('data', (piece: Buffer) => void (bytes += piece.length))
    await pause(1000)
    if (begin) channel.write(`${begin}\r`)
    shells.push({ name, channel, typed, received: () => bytes })
  }
  for (let at = 0; at * BETWEEN_COMMANDS_MS < MINUTES * 60_000; at++) {
    for (const { channel, typed } of shells) if (typed.length) channel.write(`${typed[at % typed.length]}\r`)
    await pause(BETWEEN_COMMANDS_MS)
  }
  for (const { channel } of shells) channel.close()
  const sessions: { id: string }[] = await call('terminal/sessions/?order=date_start', token)
  const until = Date.now() + TOO_LATE_MS
  const isPacked = () => sessions.every(({ id }) => storedBytes().has(id))
  while (!isPacked() && Date.now() < until) await pause(500)
  const stored = storedBytes()
  for (const [at, { name, received }] of shells.entries()) {
    const hour = (count: number) => `${((count * 60) / MINUTES / 1024 / 1024).toFixed(2)} MB`
    console.log(
      `${name}: ${hour(received())} an hour on the screen, ${hour(stored.get(sessions[at]?.id ?? '') ?? Number.NaN)} stored`,
    )
  }
  client.end()
}

async function rows(): Promise<void> {
  const { server, close } = await openInstallation()
  const { pool } = server.kernel
  try {
    await fillCommands(pool, COMMANDS)
    const { rows } = await pool.query<{ table: string; bytes: string; count: string }>(
      `SELECT 'terminal_command' AS table, pg_total_relation_size('terminal_command') AS bytes, (SELECT count(*) FROM terminal_command) AS count
       UNION ALL SELECT 'terminal_session', pg_total_relation_size('terminal_session'), (SELECT count(*) FROM terminal_session)
       UNION ALL SELECT 'terminal_statement', pg_total_relation_size('terminal_statement'), (SELECT count(*) FROM terminal_statement)`,
    )
    for (const { table, bytes, count } of rows)
      console.log(`${table}: ${count} rows, ${(Number(bytes) / Number(count)).toFixed(0)} bytes each with indexes`)
  } finally {
    await close()
  }
}

try {
  await memory()
  await recordings()
  await rows()
} catch (error) {
  console.error(error)
  process.exitCode = 1
} finally {
  await installation.stop()
  await sshd.close()
  process.exit()
}
