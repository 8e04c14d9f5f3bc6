import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
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

test('a PostgreSQL that is too old or read-only is reported; one that fits is not', async () => {
  const old = `postgres://scram:${encodeURIComponent(SECRET)}@127.0.0.1:${server.port}/${DATABASE}`
  const [row] = (await server.sql('SHOW server_version')) as { server_version: string }[]
  await expect(checkDatabase(old)).rejects.toThrow(
    `DATABASE_URL leads to PostgreSQL ${row?.server_version}: Sallyport needs 18`,
  )
  const standby = addressOf(`&options=${encodeURIComponent('-c default_transaction_read_only=on')}`)
  await expect(checkDatabase(standby)).rejects.toThrow('takes no writes')
  await checkDatabase(addressOf())
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
      if (mode === 'session') return await checkDatabase(pool.address)
      await expect(checkDatabase(pool.address)).rejects.toThrow(
        mode === 'transaction' ? 'set pool_mode = session' : /transaction/,
      )
    } finally {
      await pool.stop()
    }
  },
)

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
