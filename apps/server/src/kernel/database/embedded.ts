import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, chown, lchown, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import pg from 'pg'
import { awaitedLater } from '../background.ts'
import { type Account, accountFor, NAMED_ACCOUNT, type Run, runnerFor } from './embedded-account.ts'
import { choosePostgres, type PostgresBinaries } from './embedded-binaries.ts'
import { openToAll } from './embedded-bundled.ts'
import { endOrphan, readPostmasterFile } from './embedded-orphan.ts'

export interface EmbeddedOptions {
  /** Where the database's files are, or will be; made with mode 0700 at the first start. */
  directory: string
  /** Gets each line of PostgreSQL's output. */
  log: (line: string) => void
  /** SALLYPORT_POSTGRES_BIN: whose programs to run. */
  programs?: string | undefined
  /** Settings that override ours, as in postgresql.conf. */
  settings?: Readonly<Record<string, string>>
  /** Called once, when the server has crashed too often to be restarted again. */
  onLost?: (error: Error) => void
}

export interface EmbeddedPostgres {
  connection: { /** Folder of the unix socket. */ host: string; port: number; user: string; database: string }
  /**
   * Fast shutdown: ends connections, writes everything, waits; kills the server when that takes too
   * long.
   */
  stop(): Promise<void>
}

/** Only part of the socket's name, since nothing listens on TCP. */
const PORT = 5432
/** Not a superuser: a mistake in SQL must not read files or run programs. */
const ROLE = 'sallyport'
const DATABASE = 'sallyport'
const SUPERUSER = 'postgres'

/** The kernel limits a socket's path to 108 bytes, with the closing zero (unix(7)). */
const MAX_SOCKET_PATH_BYTES = 107
const SOCKET_FOLDER_PREFIX = 'sallyport-pg-'

/** Recovery after a crash may read a gigabyte of log. */
const START_LIMIT_MS = 120_000
const FAST_STOP_LIMIT_MS = 4_000
const HARD_STOP_LIMIT_MS = 1_500
const READY_POLL_MS = 20
/** Lines of output that are quoted when the server does not start. */
const MAX_LAST_WORDS = 20
/** More crashes within the window are a fault of the machine, not an accident. */
const MAX_RESTARTS = 5
const RESTART_WINDOW_MS = 60_000

const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: '',
  port: String(PORT),
  unix_socket_permissions: '0700',
  max_connections: '100',
  shared_buffers: '128MB',
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  jit: 'off', // our queries are short: compiling them takes longer than running them
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_checkpoints: 'off',
  log_min_error_statement: 'panic', // statements may hold what people typed
  log_error_verbosity: 'terse',
}

/**
 * Starts a PostgreSQL server on a unix socket, as a child that is watched and restarted when it
 * crashes. Creates its files, the role and the database at the first start, and tidies up after a
 * killed process (a running server, a lock, half-made files). Throws with PostgreSQL's last output
 * when it does not start.
 */
export async function startEmbeddedPostgres({
  directory,
  log,
  programs,
  settings = {},
  onLost,
}: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const binaries = await choosePostgres(directory, programs)
  await mkdir(dirname(directory), { recursive: true })
  const account = accountFor(directory)
  if (account && binaries.isBundled) await openToAll(binaries.root)
  await removeOldSocketFolder(directory)
  if (!existsSync(join(directory, 'PG_VERSION'))) await createFiles(directory, binaries, account)

  const run = runnerFor(account, [directory, binaries.root])
  const host = await socketFolder(directory, account)
  const parameters = ['-D', directory]
  for (const [name, value] of Object.entries({ ...SETTINGS, ...settings, unix_socket_directories: `"${host}"` }))
    parameters.push('-c', `${name}=${value}`)
  const connection = { host, port: PORT, user: ROLE, database: DATABASE }

  let server: ChildProcess | undefined
  let starting: Promise<void> | undefined
  let stopping: Promise<void> | undefined
  const ends: number[] = []

  const launch = async () => {
    await endOrphan(directory, log)
    if (stopping) return
    server = spawnServer(run, binaries.postgres, parameters)
    await untilReady(server, directory, log)
    if (!stopping) server.once('exit', startAgain)
  }
  const startAgain = (code: number | null, signal: string | null) => {
    if (stopping) return
    const error = new Error(`PostgreSQL ended by itself (${signal ?? `code ${code}`})`)
    log(error.message)
    ends.push(Date.now())
    if (ends.filter((end) => Date.now() - end < RESTART_WINDOW_MS).length > MAX_RESTARTS) return onLost?.(error)
    starting = launch().catch((cause) => {
      if (!stopping) onLost?.(new Error('PostgreSQL does not start again', { cause }))
    })
  }
  const end = async () => {
    if (server) await endServer(server)
    await starting
    await removeSocketFolder(host)
  }
  const stop = () => {
    stopping ??= awaitedLater(end())
    return stopping
  }

  try {
    await launch()
    await createDatabase(host)
  } catch (error) {
    await stop()
    throw error
  }
  return { connection, stop }
}

/**
 * How to reach the server that another process runs on these files; undefined when none is ready.
 */
export async function runningPostgres(directory: string): Promise<EmbeddedPostgres['connection'] | undefined> {
  const file = await readPostmasterFile(directory)
  return file?.socketFolder && !file.isCopy && file.status === 'ready'
    ? { host: file.socketFolder, port: PORT, user: ROLE, database: DATABASE }
    : undefined
}

/**
 * Makes the database's files beside their place and moves them there when complete: a killed
 * process leaves nothing that looks finished.
 */
async function createFiles(directory: string, binaries: PostgresBinaries, account: Account | undefined): Promise<void> {
  if (existsSync(directory) && (await readdir(directory)).length)
    throw new Error(`${directory} is neither empty nor a database`)
  const fresh = join(dirname(directory), `.${basename(directory)}.new`)
  await rm(fresh, { recursive: true, force: true })
  await mkdir(fresh, { mode: 0o700 })
  if (account) await chown(fresh, NAMED_ACCOUNT.uid, NAMED_ACCOUNT.gid)
  const run = runnerFor(account && NAMED_ACCOUNT, [fresh, binaries.root])
  const parameters = [
    '-D',
    fresh,
    '-U',
    SUPERUSER,
    ...localeOf(binaries),
    '--auth-local=trust',
    '--auth-host=reject',
    '--no-instructions',
    // One call for all files, which are a thousand.
    ...(binaries.major >= 17 ? ['--sync-method=syncfs'] : []),
  ]
  const child = run(binaries.initdb, parameters, { stdio: ['ignore', 'pipe', 'pipe'], cwd: '/', env: environment() })
  const output: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (bytes) => output.push(String(bytes)))
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0) {
    await rm(fresh, { recursive: true, force: true })
    throw new Error(`PostgreSQL could not make its files:\n${output.join('')}`)
  }
  if (account) {
    for (const entry of await readdir(fresh, { recursive: true }))
      await lchown(join(fresh, entry), account.uid, account.gid)
    await chown(fresh, account.uid, account.gid)
  }
  await rename(fresh, directory)
}

/** Order by code points, on every machine alike; PostgreSQL itself knows how from 17 on. */
function localeOf({ major }: PostgresBinaries): string[] {
  const locale = ['--encoding=UTF8', '--locale=C.UTF-8']
  if (major >= 17) return [...locale, '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
  return major >= 15 ? [...locale, '--locale-provider=libc'] : locale
}

/**
 * Settings of the account that starts us (PGHOST, PGOPTIONS, LC_ALL, …) must not reach the server.
 */
function environment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, TZ: 'UTC', LANG: 'C.UTF-8' }
}

function spawnServer(run: Run, program: string, parameters: readonly string[]): ChildProcess {
  // Detached, since Ctrl-C reaches a whole process group and the database must be the last to end.
  return run(program, parameters, { stdio: ['ignore', 'ignore', 'pipe'], detached: true, cwd: '/', env: environment() })
}

/**
 * Resolves when the server accepts connections; throws with its last output when it ends before.
 */
async function untilReady(child: ChildProcess, directory: string, log: (line: string) => void): Promise<void> {
  const lastWords: string[] = []
  if (child.stderr) {
    createInterface({ input: child.stderr }).on('line', (line) => {
      lastWords.push(line)
      if (lastWords.length > MAX_LAST_WORDS) lastWords.shift()
      log(line)
    })
  }
  let failure: Error | undefined
  child.once('error', (error) => (failure = error))
  // 'close' comes after the last line was read; 'exit' may come earlier.
  child.once(
    'close',
    (code, signal) =>
      (failure ??= new Error(`PostgreSQL did not start (${signal ?? `code ${code}`}):\n${lastWords.join('\n')}`)),
  )
  const deadline = Date.now() + START_LIMIT_MS
  while (true) {
    if (failure) throw failure
    const file = await readPostmasterFile(directory)
    if (file?.pid === child.pid && file?.status === 'ready') return
    if (Date.now() > deadline) {
      await endServer(child)
      throw new Error(`PostgreSQL was not ready after ${START_LIMIT_MS / 1000} s:\n${lastWords.join('\n')}`)
    }
    await new Promise((resolve) => setTimeout(resolve, READY_POLL_MS))
  }
}

/** SIGINT is the fast shutdown; SIGQUIT ends at once and makes the next start recover. */
async function endServer(child: ChildProcess): Promise<void> {
  for (const [signal, limit] of [
    ['SIGINT', FAST_STOP_LIMIT_MS],
    ['SIGQUIT', HARD_STOP_LIMIT_MS],
    ['SIGKILL', HARD_STOP_LIMIT_MS],
  ] as const) {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill(signal)
    await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, limit).unref())])
  }
}

/**
 * The socket is beside the files or, where that path would be too long, in a short private folder.
 */
async function socketFolder(directory: string, account: Account | undefined): Promise<string> {
  const fits = Buffer.byteLength(join(directory, `.s.PGSQL.${PORT}`)) <= MAX_SOCKET_PATH_BYTES
  if (fits && !/["\\]/.test(directory)) return directory
  const folder = await mkdtemp(join(tmpdir(), SOCKET_FOLDER_PREFIX))
  await chmod(folder, 0o700)
  if (account) await chown(folder, account.uid, account.gid)
  return folder
}

async function removeSocketFolder(folder: string): Promise<void> {
  if (basename(folder).startsWith(SOCKET_FOLDER_PREFIX)) await rm(folder, { recursive: true, force: true })
}

/** The lock file of a killed server names its socket folder. */
async function removeOldSocketFolder(directory: string): Promise<void> {
  const file = await readPostmasterFile(directory)
  if (file?.socketFolder && !file.isCopy) await removeSocketFolder(file.socketFolder)
}

/**
 * Makes the product's role and database where they are missing. May be interrupted at any point;
 * the next start finishes it.
 */
async function createDatabase(host: string): Promise<void> {
  const client = new pg.Client({ host, port: PORT, user: SUPERUSER, database: 'postgres' })
  await client.connect()
  try {
    const role = await client.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [ROLE])
    if (!role.rowCount) await client.query(`CREATE ROLE ${ROLE} LOGIN CREATEDB`)
    const database = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [DATABASE])
    if (!database.rowCount) await client.query(`CREATE DATABASE ${DATABASE} OWNER ${ROLE}`)
  } finally {
    await client.end()
  }
}
