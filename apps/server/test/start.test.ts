import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest'
import { startPostgres } from '../src/gateway/connectors/postgresql/postgresql-fixture.ts'
import { runningPostgres, startEmbeddedPostgres } from '../src/kernel/database/embedded.ts'
import { startObjectStore } from './object-store.ts'
import { ADMIN, MAIN } from './programs.ts'
import { runToEnd } from './run-to-end.ts'

const LAUNCHER = fileURLToPath(new URL('../../../scripts/start.mjs', import.meta.url))

/** Data directories that a first start has filled, kept for those tests that begin with a later one. */
const prepared = mkdtempSync(join(tmpdir(), 'sallyport-prepared-'))
const kept = join(prepared, 'data')
afterAll(() => rmSync(prepared, { recursive: true, force: true }))

let folder: string
let data: string
let started: Start[]
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sallyport-start-'))
  data = join(folder, 'data')
  started = []
})
afterEach(async () => {
  for (const { child } of started) child.kill('SIGKILL')
  await Promise.all(started.map(({ ended }) => ended))
  // Those that the server's own end takes along may be gone between the look and the signal.
  for (const pid of processesIn(folder)) endAtOnce(pid)
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
})

/** For commands of operators. */
const settingsOf = () => ({ environment: { SALLYPORT_DATA_DIR: data } })

interface Start {
  child: ChildProcess
  /** Everything that it has written so far. */
  output: () => string
  /** Its address, once it is ready; throws with its output when it ends before that. */
  ready: Promise<string>
  /** Its exit code. */
  ended: Promise<number | null>
}

/**
 * Starts the product with a data directory of its own and free ports, and nothing of our own
 * settings.
 */
function start(script = MAIN, settings: Record<string, string> = {}): Start {
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env
  const own = {
    SALLYPORT_DATA_DIR: data,
    SALLYPORT_HTTP_PORT: '0',
    SALLYPORT_SSH_PORT: '0',
    SALLYPORT_LOG_LEVEL: 'warn',
  }
  const child = spawn(process.execPath, [script], {
    env: { PATH, HOME, NODE_COMPILE_CACHE, ...own, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  const ready = new Promise<string>((resolve, reject) => {
    const hear = (bytes: Buffer) => {
      text += bytes
      const [, url] = text.match(/is ready: (http\S+)/) ?? []
      if (url) resolve(url)
    }
    child.stdout.on('data', hear)
    child.stderr.on('data', hear)
    child.once('close', () => reject(new Error(`it ended before it was ready:\n${text}`)))
  })
  ready.catch(() => {})
  const ended = once(child, 'close').then(([code]) => code as number | null)
  const one = { child, output: () => text, ready, ended }
  started.push(one)
  return one
}

/** What systemd listens with: Node has no sockets of datagrams. */
async function serviceManager() {
  const socket = join(folder, 'notify')
  const program = `import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
print('listens', flush=True)
while True:
    print(s.recv(4096).decode(), flush=True)`
  const child = spawn('python3', ['-c', program, socket], { stdio: ['ignore', 'pipe', 'inherit'] })
  let text = ''
  child.stdout.on('data', (bytes) => (text += bytes))
  await expect.poll(() => text).toContain('listens')
  return {
    socket,
    // Beside states it sends what it waits for the answer to.
    heard: () => text.split('\n').filter((line) => /^(READY|STOPPING)=/.test(line)),
    stop: () => child.kill('SIGKILL'),
  }
}

/** Processes that work in the data directory: the database's. */
function processesIn(place: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => {
      try {
        return pid > 0 && readlinkSync(`/proc/${pid}/cwd`).startsWith(place)
      } catch {
        return false
      }
    })
}

/** Ends a process that may have ended already. */
function endAtOnce(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** Puts a data directory in place that was started and ended before. */
async function startedBefore(): Promise<void> {
  if (!existsSync(kept)) {
    const first = start()
    await first.ready
    first.child.kill('SIGTERM')
    expect(await first.ended).toBe(0)
    keepForOthers()
  } else execFileSync('cp', ['-a', kept, data])
}

/** Keeps the data directory of a first start that has ended. */
function keepForOthers(): void {
  // The database's files belong to an account of their own.
  if (!existsSync(kept)) execFileSync('cp', ['-a', data, kept])
}

async function expectHealthy(url: string): Promise<void> {
  expect((await fetch(`${url}/api/health/`)).status).toBe(200)
}

test('[A4.06] starts from nothing with everything open, says where the first password is and tells systemd, and SIGTERM leaves no process and no lock', async () => {
  const manager = await serviceManager()
  const first = start(MAIN, { NOTIFY_SOCKET: manager.socket })
  await expectHealthy(await first.ready)
  const settings = await fetch(`${await first.ready}/api/v1/settings/public/`)
  expect(await settings.json()).toMatchObject({ data: { XPACK_ENABLED: true, XPACK_LICENSE_IS_VALID: true } })
  const file = join(data, 'admin-password.txt')
  await expect.poll(first.output).toContain(`First sign-in: admin, with the password in ${file}`)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  // For people who can't read the sign-in page.
  await expect.poll(first.output).toMatch(/Language: 中文.*English.*SALLYPORT_LANGUAGE/)
  // Output without a terminal is the journal of a service.
  expect(first.output()).not.toContain(readFileSync(file, 'utf8').trim())
  expect(await storedHashes()).toEqual([expect.stringMatching(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)])
  await expect.poll(manager.heard).toEqual(['READY=1'])
  first.child.kill('SIGTERM')
  expect(await first.ended).toBe(0)
  await expect.poll(manager.heard).toEqual(['READY=1', 'STOPPING=1'])
  manager.stop()
  expect(processesIn(data)).toEqual([])
  expect(readdirSync(data)).not.toContain('sallyport.lock')
  keepForOthers()

  const second = start()
  await expectHealthy(await second.ready)
  second.child.kill('SIGINT')
  expect(await second.ended).toBe(0)
  expect(second.output()).not.toContain('First sign-in')
})

test('a promise that fails while nobody waits for it is logged, and the node goes on, as it does once nobody reads its log', async () => {
  await startedBefore()
  const fault = `process.on('SIGUSR2', () => {
    console.error('a line of its log')
    void Promise.reject(new Error('seen by nobody'))
  })`
  const one = start(MAIN, { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(fault)}` })
  const url = await one.ready
  one.child.kill('SIGUSR2')
  await expect.poll(one.output).toContain('seen by nobody')
  await expectHealthy(url)
  // As where a log collector ends: nobody reads any more.
  await Promise.all([one.child.stdout, one.child.stderr].map((stream) => stream && once(stream.destroy(), 'close')))
  for (const _ of ['a line that fails', 'one after it']) {
    one.child.kill('SIGUSR2')
    await expectHealthy(url)
  }
  one.child.kill('SIGTERM')
  expect(await one.ended).toBe(0)
})

test('a second start with the same data directory names the process that runs, and leaves it alone', async () => {
  await startedBefore()
  const first = start()
  const url = await first.ready
  const second = start()
  expect(await second.ended).toBe(1)
  expect(second.output()).toContain(`already runs on this data directory, as process ${first.child.pid}`)
  await expectHealthy(url)
})

test('starts again after kill -9 of the server, and after kill -9 of server and database together', async () => {
  await startedBefore()
  const first = start()
  await first.ready
  first.child.kill('SIGKILL')
  await first.ended
  const second = start()
  await second.ready
  const database = Number(readFileSync(join(data, 'postgres/postmaster.pid'), 'utf8').split('\n')[0])
  second.child.kill('SIGKILL')
  process.kill(database, 'SIGKILL')
  await second.ended
  await expectHealthy(await start().ready)
})

test('the launcher passes signals on, and what it started ends with it even when it is killed', async () => {
  await startedBefore()
  const polite = start(LAUNCHER)
  await expectHealthy(await polite.ready)
  polite.child.kill('SIGTERM')
  expect(await polite.ended).toBe(0)
  expect(processesIn(data)).toEqual([])

  const killed = start(LAUNCHER)
  await killed.ready
  killed.child.kill('SIGKILL')
  await expect.poll(() => processesIn(data)).toEqual([])
})

test('a wrong setting stops the start before anything is made', async () => {
  const wrong = start(MAIN, { SALLYPORT_HTTP_PORT: 'eighty' })
  expect(await wrong.ended).toBe(1)
  expect(wrong.output()).toContain('SALLYPORT_HTTP_PORT must be a port from 0 to 65535')
  expect(readdirSync(folder)).toEqual([])
  const elsewhere = start(MAIN, { SALLYPORT_POSTGRES_BIN: folder })
  expect(await elsewhere.ended).toBe(1)
  expect(elsewhere.output()).toMatch(/^SALLYPORT_POSTGRES_BIN names \S+, where there is no initdb .*\n$/)
  expect(existsSync(join(data, 'postgres'))).toBe(false)
})

test('a key that is not that of the certificate stops the start before anything is made', async () => {
  const made = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=door'.split(' ')
  const at = (name: string) => join(folder, name)
  for (const name of ['one', 'other'])
    execFileSync('openssl', [...made, '-keyout', at(`${name}.key`), '-out', at(`${name}.crt`)], { stdio: 'ignore' })
  const wrong = start(MAIN, { SALLYPORT_TLS_CERTIFICATE: at('one.crt'), SALLYPORT_TLS_KEY: at('other.key') })
  expect(await wrong.ended).toBe(1)
  expect(wrong.output()).toBe(
    `SALLYPORT_TLS_KEY (${at('other.key')}) is not the key of SALLYPORT_TLS_CERTIFICATE (${at('one.crt')}): ` +
      'name the one that this certificate was made for\n',
  )
  expect(existsSync(data)).toBe(false)
})

test('a data directory that cannot be made, or a database that lets nobody in, stops the start in one line', async () => {
  const file = join(folder, 'a-file')
  writeFileSync(file, '')
  const server = await startPostgres()
  try {
    const nowhere = start(MAIN, { SALLYPORT_DATA_DIR: join(file, 'data') })
    const refused = start(MAIN, { DATABASE_URL: `postgres://scram:secret-word@127.0.0.1:${server.port}/shop` })
    expect([await nowhere.ended, await refused.ended]).toEqual([1, 1])
    expect(nowhere.output()).toMatch(/^The data directory .*a-file\/data cannot be made .*SALLYPORT_DATA_DIR\n$/)
    expect(refused.output()).toMatch(/^The database of DATABASE_URL cannot be used: .*failed for user "scram".*\n$/)
  } finally {
    await server.close()
  }
})

test('a program that is older than its database, or finds one from before the first release, says so in one line and writes nothing', async () => {
  await startedBefore()
  const noted = (name: string) =>
    onDatabase(data, (client) => client.query('INSERT INTO kernel_migration VALUES ($1)', [name]))
  await noted('209901010000_x.sql')
  const before = await contentOf(data)
  const older = start()
  expect(await older.ended).toBe(1)
  expect(older.output()).toMatch(/^This Sallyport is older than its database, .*209901010000_x.*\n$/)
  expect(await contentOf(data)).toEqual(before)
  const planned = await runToEnd(process.execPath, [ADMIN, 'migrate', '--dry-run'], settingsOf())
  expect(planned).toMatchObject({ code: 1, stdout: '', stderr: older.output() })
  expect(await contentOf(data)).toEqual(before)

  await noted('202611211332_orgs_tables.sql')
  const newer = start()
  expect(await newer.ended).toBe(1)
  expect(newer.output()).toMatch(
    /^This database was made by a Sallyport from before its first release .*_orgs_tables.*\n$/,
  )
})

test('a dry run says which migrations are due, for which tables and rows, while the server runs and while it does not', async () => {
  await startedBefore()
  const dryRun = () => runToEnd(process.execPath, [ADMIN, 'migrate', '--dry-run'], settingsOf())
  const running = start()
  await running.ready
  expect(await dryRun()).toEqual({ code: 0, stdout: 'The database is up to date: no migration is due.\n', stderr: '' })
  running.child.kill('SIGTERM')
  await running.ended

  // As for a program that brings one migration more.
  await onDatabase(data, (client) => client.query(`DELETE FROM kernel_migration WHERE name LIKE '%_audits_tables.sql'`))
  const before = await contentOf(data)
  const { code, stdout, stderr } = await dryRun()
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toMatch(
    /^One migration is due, and nothing has been changed\.\n\n\d+_audits_tables: a few seconds\n {2}What people did: /,
  )
  expect(stdout).toMatch(/\n {2}terminal_session, 0 rows: a new trigger\n/)
  expect(stdout).toMatch(/\nTogether a few seconds, .*\n\nBack up the database first\./)
  expect(await contentOf(data)).toEqual(before)
  expect(processesIn(data)).toEqual([])
  expect(readdirSync(data)).not.toContain('sallyport.lock')
})

test('a copy of a data directory starts beside the one that runs, with all that was stored, and both stay', async () => {
  await startedBefore()
  const first = start()
  const url = await first.ready
  const copy = join(folder, 'copy')
  execFileSync('cp', ['-a', data, copy])
  const second = start(MAIN, { SALLYPORT_DATA_DIR: copy })
  await expectHealthy(await second.ready)
  expect(await storedHashes(copy)).toEqual(await storedHashes())
  await expectHealthy(url)
  for (const { child, ended } of [first, second]) {
    child.kill('SIGTERM')
    expect(await ended).toBe(0)
  }
})

test('a bucket for recordings that is not there, or keys that may not use it, stop the start in plain words', async () => {
  const objects = await startObjectStore()
  try {
    const bucket = start(MAIN, { ...objects.environment, SALLYPORT_RECORDINGS: 's3://another' })
    expect(await bucket.ended).toBe(1)
    expect(bucket.output()).toContain(`SALLYPORT_RECORDINGS: ${objects.endpoint} has no bucket another`)
    const secret = 'not-the-secret-of-the-store'
    const keys = start(MAIN, { ...objects.environment, SALLYPORT_RECORDINGS_SECRET_KEY: secret })
    expect(await keys.ended).toBe(1)
    expect(keys.output()).toContain(
      'SALLYPORT_RECORDINGS_SECRET_KEY may not list, read, write and delete in the bucket',
    )
    for (const { output } of [bucket, keys]) {
      expect(output()).not.toMatch(/\n\s+at /)
      expect(output()).not.toContain(secret)
    }
  } finally {
    await objects.close()
  }
})

test('a start with another key, or without its key, is refused in plain words before anything is written', async () => {
  await startedBefore()
  const before = await contentOf(data)

  const other = start(MAIN, { SALLYPORT_SECRET_KEY: 'a key that this installation never had' })
  expect(await other.ended).toBe(1)
  expect(other.output()).toMatch(/sealed under another key \([0-9a-f]{16}\) than that of SALLYPORT_SECRET_KEY/)
  expect(other.output()).not.toMatch(/\n\s+at /)

  const key = readFileSync(join(data, 'secret.key'))
  rmSync(join(data, 'secret.key'))
  const without = start()
  expect(await without.ended).toBe(1)
  expect(without.output()).toContain(`there is no ${join(data, 'secret.key')}`)
  expect(readdirSync(data)).not.toContain('secret.key')
  expect(await contentOf(data)).toEqual(before)

  writeFileSync(join(data, 'secret.key'), key)
  await expectHealthy(await start().ready)
})

/** The hashes of passwords that the server which runs has stored. */
async function storedHashes(place = data): Promise<string[]> {
  const client = new pg.Client(await runningPostgres(join(place, 'postgres')))
  await client.connect()
  try {
    const { rows } = await client.query('SELECT password_hash FROM users_user WHERE password_hash IS NOT NULL')
    return rows.map((row) => row.password_hash)
  } finally {
    await client.end()
  }
}

/** Every table of the embedded database with its rows' count and sum of hashes. */
function contentOf(place: string): Promise<Record<string, string>> {
  return onDatabase(place, async (client) => {
    const tables = await client.query(
      `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname = 'public'`,
    )
    const content: Record<string, string> = {}
    for (const { name } of tables.rows) {
      const { rows } = await client.query(
        `SELECT count(*) || ' ' || coalesce(sum(hashtext(t::text)::bigint), 0) AS sum FROM ${name} t`,
      )
      content[name] = rows[0].sum
    }
    return content
  })
}

/** Asks the embedded database of a server that does not run. */
async function onDatabase<T>(place: string, ask: (client: pg.Client) => Promise<T>): Promise<T> {
  const postgres = await startEmbeddedPostgres({ directory: join(place, 'postgres'), log: () => {} })
  const client = new pg.Client(postgres.connection)
  await client.connect()
  try {
    return await ask(client)
  } finally {
    await client.end()
    await postgres.stop()
  }
}
