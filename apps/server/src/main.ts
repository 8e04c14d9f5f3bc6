import { join } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'
import type pg from 'pg'
import './kernel/resolve-once.ts'
import { lockDataDirectory } from './data-lock.ts'
import { inBackground, noteBackgroundFault } from './kernel/background.ts'
import type { Config } from './kernel/config.ts'
import { checkDatabase } from './kernel/database/check-database.ts'
import { startEmbeddedPostgres } from './kernel/database/embedded.ts'
import { sharedBuffers } from './kernel/database/shared-buffers.ts'
import { inSources } from './kernel/errors/source-places.ts'
import { StartRefusal } from './kernel/start-refusal.ts'
import { refuseHalfRestore } from './kernel/unfinished-restore.ts'
import { tellServiceManager } from './service-manager.ts'
import { startWords } from './start-words.ts'

/** How long running requests, sessions and jobs may take to end before the database is stopped. */
const CLOSE_LIMIT_MS = 5_000
/** How long a stop waits for a start that is not finished. */
const START_LIMIT_MS = 3_000

// Our files hold recordings and secrets: private, whatever umask we were started with.
process.umask(0o077)

/** Opened parts, last one first to be closed. */
const closing: (() => unknown)[] = []
let stopping: Promise<void> | undefined
/** Once the server is open: tells load balancers, and answers when they have heard. */
let drain = async () => {}
let isLeaving = false
let isOpen = false

// Once nobody reads our log, each line of it fails; without this each such failure would be logged, too.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => stop(0))
process.on('SIGTERM', leave)
// A promise that nobody waited for, which no check has found: what it belonged to has failed in order,
// as its own `finally` has run. All other sessions go on.
process.on('unhandledRejection', noteBackgroundFault)
// A fault outside of every request: the state is unknown, so end, but in order.
process.on('uncaughtException', (error) => {
  console.error(explain(error))
  stop(1)
})
// The channel to the launcher: when that is killed, nobody else would stop us.
process.on('disconnect', () => stop(0))
process.channel?.unref()

const starting = start()
starting.catch((error) => {
  if (!stopping) console.error(explain(error))
  stop(1)
})

async function start(): Promise<void> {
  // Not imported above: what is needed for it is found faster once `resolve-once.ts` has run.
  const { loadConfig, readConfigFile } = await import('./config.ts')
  const config = loadConfig(process.env, readConfigFile(process.env))
  const [{ checkNamedPairs }, { httpsLines }] = await Promise.all([
    import('./kernel/tls/certificates.ts'),
    import('./kernel/tls/start-lines.ts'),
  ])
  // Before anything is made.
  await checkNamedPairs(config)
  closing.push(lockDataDirectory(config.dataDirectory))
  refuseHalfRestore(config.dataDirectory)
  // PostgreSQL starts while the rest of the code is read.
  const [database, { openServer }] = await Promise.all([openPostgres(config), import('./server.ts')])
  if (stopping) return
  const server = await openServer({ config, database, demo: process.argv.includes('--demo') })
  isOpen = true
  closing.push(() => atMost(CLOSE_LIMIT_MS, server.close()))
  drain = () => {
    server.leave()
    return after(config.drainSeconds * 1000)
  }
  if (stopping) return
  console.log(`\n  Sallyport is ready: ${server.url}`)
  if (server.firstPassword) {
    const file = join(config.dataDirectory, 'admin-password.txt')
    // Output that is no terminal is a log, which others read and keep.
    console.log(
      process.stdout.isTTY
        ? `  First sign-in: admin / ${server.firstPassword}   (also in ${file})`
        : `  First sign-in: admin, with the password in ${file}`,
    )
  }
  // For people who can't read the language of the page that comes next.
  const languages = { cn: '中文', en: 'English', browser: 'as the browser asks (English / 中文)' }
  console.log(
    `  Language: ${languages[config.language]}. Switch at the top of the sign-in page (中文 / English), or set SALLYPORT_LANGUAGE to cn, en or browser.`,
  )
  if (server.sshPort) console.log(`  SSH: ssh -p ${server.sshPort} <user>@${config.host}`)
  for (const line of httpsLines(config, server.kernel.certificates.inUse())) console.log(`  ${line}`)
  console.log('  Ctrl-C stops it.\n')
  tellServiceManager('READY=1')
}

async function openPostgres(config: Config): Promise<pg.PoolConfig> {
  if (config.databaseUrl) {
    for (const warning of await checkDatabase(config.databaseUrl)) console.error(warning)
    return { connectionString: config.databaseUrl }
  }
  const postgres = await startEmbeddedPostgres({
    directory: join(config.dataDirectory, 'postgres'),
    programs: config.postgresBin,
    settings: { shared_buffers: sharedBuffers() },
    // Refused statements are left out: we log them ourselves, with the request that made them.
    log: (line) => !stopping && /\b(FATAL|PANIC|WARNING):|left behind|by itself/.test(line) && console.error(line),
    onLost: (error) => {
      console.error(startWords(error))
      stop(1)
    },
  })
  closing.push(postgres.stop)
  return postgres.connection
}

/** A service manager's word: no hurry, unless it is said twice. */
function leave(): void {
  tellServiceManager('STOPPING=1')
  const hasHeard = isLeaving ? Promise.resolve() : drain()
  isLeaving = true
  inBackground(hasHeard.then(() => stop(0)))
}

/**
 * Closes everything in the reverse order of opening and ends the process. A start that is under way
 * is waited for, or what it opens would never be closed.
 */
function stop(code: number): void {
  const opened = starting.catch(() => {})
  stopping ??= atMost(START_LIMIT_MS, opened)
    .then(closeAll)
    .then(
      () => process.exit(code),
      () => process.exit(1),
    )
}

async function closeAll(): Promise<void> {
  for (let close = closing.pop(); close; close = closing.pop()) {
    try {
      await close()
    } catch (error) {
      console.error(explain(error))
    }
  }
}

async function atMost(limitMs: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise((resolve) => (timer = setTimeout(resolve, limitMs)))
  await Promise.race([work, limit]).finally(() => clearTimeout(timer))
}

/** Text for the operator: words for what stops a start, the whole stack for a fault afterwards. */
function explain(error: unknown): string {
  const { stack, message } = error as Error
  return error instanceof StartRefusal || !isOpen ? startWords(error) : inSources(stack ?? message)
}
