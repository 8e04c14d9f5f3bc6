import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createEmptyDatabase, type TestDatabase } from '../../../test/database.ts'
import { freePort } from '../../../test/free-port.ts'
import {
  DATABASE,
  type PostgresServer,
  SECRET,
  startPostgres,
} from '../../gateway/connectors/postgresql/postgresql-fixture.ts'
import { StartRefusal } from '../start-refusal.ts'
import { checkDatabase } from './check-database.ts'

let server: PostgresServer
let database: TestDatabase
beforeAll(async () => {
  ;[server, database] = await Promise.all([startPostgres(), createEmptyDatabase()])
})
afterAll(async () => {
  await server?.close()
  await database?.drop()
})

/** A database of the test's own PostgreSQL, as an address. */
function addressOf(options = ''): string {
  const { host, user, database: name } = database.connection
  return `postgres://${user}@/${name}?host=${encodeURIComponent(String(host))}${options}`
}

test.each([
  [
    'a wrong password',
    () => `scram:wrong@127.0.0.1:${server.port}/${DATABASE}`,
    /password authentication failed for user "scram": check the name and the password/,
  ],
  ['no password', () => `scram@127.0.0.1:${server.port}/${DATABASE}`, /password must be a string/],
  [
    'an unknown name',
    () => `nobody:x@127.0.0.1:${server.port}/${DATABASE}`,
    /no pg_hba\.conf entry for host "127\.0\.0\.1", user "nobody".*: check the name/,
  ],
  [
    'a database that is not there',
    () => `scram:${encodeURIComponent(SECRET)}@127.0.0.1:${server.port}/none`,
    /database "none" does not exist: make the database first/,
  ],
  ['a port where nobody listens', () => 'a:b@127.0.0.1:1/none', /ECONNREFUSED 127\.0\.0\.1:1: check host and port/],
  [
    'a name of several addresses where nobody listens',
    () => 'a:b@localhost:1/none',
    /ECONNREFUSED .*: check host and port/,
  ],
  ['a machine that is not there', () => 'a:b@database.invalid/none', /database\.invalid: check its host/],
])('%s is told in one line, without the password', async (_what, address, words) => {
  const refusal = await checkDatabase(`postgres://${address()}`).catch((error: unknown) => error)
  expect(refusal).toBeInstanceOf(StartRefusal)
  expect((refusal as Error).message).toMatch(/^The database of DATABASE_URL cannot be used: .+$/)
  expect((refusal as Error).message).toMatch(words)
  expect((refusal as Error).message).not.toMatch(/wrong/)
})

const byPassword = (name: string, port = server.port) =>
  `postgres://scram:${encodeURIComponent(SECRET)}@127.0.0.1:${port}/${name}`

/** The same server, but of another major version by its own word, in as many digits. */
async function ofVersion(major: number): Promise<{ port: number; close(): void }> {
  const [row] = (await server.sql('SHOW server_version_num')) as { server_version_num: string }[]
  const own = (row?.server_version_num ?? '').slice(0, 2)
  const relay = createServer((client) => {
    const database = connect(server.port, '127.0.0.1')
    for (const [from, to] of [[client, database] as const, [database, client] as const]) {
      from.on('error', () => {})
      from.on('close', () => to.destroy())
    }
    client.pipe(database)
    database.on('data', (bytes) =>
      client.write(
        bytes.toString('latin1').replace(new RegExp(`\\b${own}(?=00\\d\\d|\\.\\d)`, 'g'), `${major}`),
        'latin1',
      ),
    )
  })
  await once(relay.listen(0, '127.0.0.1'), 'listening')
  return { port: (relay.address() as AddressInfo).port, close: () => relay.close() }
}

test('a PostgreSQL that is too old or read-only is refused; one that fits is not, and of a newer one is said that nobody tried it', async () => {
  await server.sql(`GRANT CREATE ON DATABASE ${DATABASE} TO scram`)
  const [old, newer] = [await ofVersion(13), await ofVersion(19)]
  try {
    await expect(checkDatabase(byPassword(DATABASE, old.port))).rejects.toThrow(
      /^DATABASE_URL leads to PostgreSQL 13\.\S+( .*)?: Sallyport needs 14 or newer$/,
    )
    expect(await checkDatabase(byPassword(DATABASE, newer.port))).toEqual([
      expect.stringMatching(/^DATABASE_URL leads to PostgreSQL 19\..*: this Sallyport has been tried with 14 to 18$/),
    ])
  } finally {
    old.close()
    newer.close()
  }
  const standby = addressOf(`&options=${encodeURIComponent('-c default_transaction_read_only=on')}`)
  await expect(checkDatabase(standby)).rejects.toThrow('takes no writes')
  expect(await checkDatabase(addressOf())).toEqual([])
  expect(await checkDatabase(byPassword(DATABASE))).toEqual([])
})

test.each<[string, { made?: string; alter?: string }, RegExp]>([
  [
    'another encoding',
    { made: `ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C'` },
    /has the encoding LATIN1, and Sallyport needs UTF8: /,
  ],
  [
    'an account that may make no tables',
    { made: 'OWNER postgres', alter: 'REVOKE CREATE ON SCHEMA public FROM PUBLIC' },
    /^The account scram of DATABASE_URL may not make tables in the schema public: make it the owner of trial /,
  ],
  [
    'an account that may make tables and no extensions',
    { made: 'OWNER postgres', alter: 'GRANT ALL ON SCHEMA public TO scram' },
    /^The account scram of DATABASE_URL may not make the extension ltree in trial: make it the owner of the database, /,
  ],
  [
    'a search path to no schema',
    { alter: `ALTER ROLE scram IN DATABASE trial SET search_path = 'elsewhere'` },
    /has no schema to make tables in \(search_path\): /,
  ],
  [
    'an extension where it is not found',
    { alter: 'CREATE SCHEMA apart; CREATE EXTENSION ltree SCHEMA apart' },
    /^The extension ltree of trial is in the schema apart, which scram does not search: /,
  ],
  [
    'the tables of another account',
    { alter: 'CREATE TABLE kernel_migration (name text)' },
    /^The tables in trial belong to postgres, and the account scram of DATABASE_URL may not change them: /,
  ],
])(
  '%s is refused in one sentence, and nothing is left behind',
  async (_what, { made = 'OWNER scram', alter = '' }, words) => {
    await server.sql(`CREATE DATABASE trial TEMPLATE template0 ${made}`)
    const admin = new pg.Client({ host: '127.0.0.1', port: server.port, user: 'postgres', database: 'trial' })
    await admin.connect()
    try {
      await admin.query(alter)
      const content = `SELECT relname FROM pg_class WHERE relnamespace::regnamespace::text !~ '^pg_'
      UNION ALL SELECT proname FROM pg_proc WHERE pronamespace::regnamespace::text !~ '^pg_' ORDER BY 1`
      const { rows: before } = await admin.query(content)
      const refusal = await checkDatabase(byPassword('trial')).catch((error: unknown) => error)
      expect(refusal).toBeInstanceOf(StartRefusal)
      expect((refusal as Error).message).toMatch(words)
      expect((refusal as Error).message).not.toContain('\n')
      expect((await admin.query(content)).rows).toEqual(before)
    } finally {
      await admin.end()
      await server.sql('DROP DATABASE trial WITH (FORCE)')
    }
  },
)

test('a database that knows no letters but a to z can be used, and a word is said about it', async () => {
  await server.sql(`CREATE DATABASE trial TEMPLATE template0 OWNER scram ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C'`)
  try {
    expect(await checkDatabase(byPassword('trial'))).toEqual([
      expect.stringMatching(/^The database trial of DATABASE_URL has the character type C, .*C\.UTF-8/),
    ])
  } finally {
    await server.sql('DROP DATABASE trial WITH (FORCE)')
  }
})

test.each([
  ['transaction', '0'],
  ['transaction', '1'],
  ['statement', '0'],
  ['session', '0'],
])(
  'PgBouncer with pool_mode = %s (taking turns: %s) is refused at the start unless it keeps a connection',
  async (mode, turns) => {
    const pool = await startPgBouncer(mode, turns)
    try {
      if (mode === 'session') expect(await checkDatabase(pool.address)).toEqual([])
      else
        await expect(checkDatabase(pool.address)).rejects.toThrow(
          mode === 'transaction' ? 'set pool_mode = session' : /transaction/,
        )
    } finally {
      await pool.stop()
    }
  },
)

test('PgBouncer that gives connections for a transaction is refused as well while others keep it busy', async () => {
  const pool = await startPgBouncer('transaction', '0')
  const busy = new pg.Client(pool.address)
  await busy.connect()
  let isBusy = true
  const work = (async () => {
    while (isBusy) await busy.query('SELECT 1')
  })()
  try {
    for (let start = 0; start < 10; start++)
      await expect(checkDatabase(pool.address)).rejects.toThrow('set pool_mode = session')
  } finally {
    isBusy = false
    await work
    await busy.end()
    await pool.stop()
  }
})

async function startPgBouncer(mode: string, turns: string) {
  const { host, user, database: name, port: socket } = database.connection
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-pool-'))
  // As the account that may use PostgreSQL's socket.
  const { uid, gid } = statSync(String(host))
  chownSync(folder, uid, gid)
  writeFileSync(
    join(folder, 'pool.ini'),
    `[databases]\nshop = host=${host} port=${socket} dbname=${name} user=${user}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${port}
unix_socket_dir =\nauth_type = any\npool_mode = ${mode}\nserver_round_robin = ${turns}\n`,
  )
  const child = spawn('/usr/sbin/pgbouncer', [join(folder, 'pool.ini')], { uid, gid, stdio: 'ignore' })
  const ended = once(child, 'exit')
  const address = `postgres://somebody@127.0.0.1:${port}/shop`
  await vi.waitFor(
    async () => {
      const client = new pg.Client(address)
      await client.connect()
      await client.end()
    },
    { timeout: 120_000 },
  )
  return {
    address,
    async stop() {
      child.kill('SIGKILL')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
