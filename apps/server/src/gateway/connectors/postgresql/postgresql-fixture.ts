/** A real PostgreSQL of the system's packages over TCP, with roles for each way to prove a password. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chownSync, closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { freePort } from '../../../../test/free-port.ts'
import { makeServerCertificate } from '../../../kernel/nodes/certificate.ts'

export const SECRET = 'word of the role'
export const DATABASE = 'shop'
const LIB = '/usr/lib/postgresql'

export interface PostgresServer {
  port: number
  /** Folder with psql, pg_dump and pgbench of the same version. */
  programs: string
  /** Straight to it, as an administrator. */
  admin: pg.Pool
  /** Runs as a superuser. */
  sql(text: string): Promise<unknown[]>
  /** It is ended without any order; `start` brings it back. */
  crash(): Promise<void>
  start(): Promise<void>
  /** All that it has logged; statements unless `logs` was false. */
  log(): string
  close(): Promise<void>
}

/** `tls`: whether it can encrypt; `logs`: whether it writes down every statement; `under`: the folder that its own is made in; `more`: settings of its own. */
export async function startPostgres({
  tls = true,
  logs = false,
  under = tmpdir(),
  more = [] as readonly string[],
} = {}): Promise<PostgresServer> {
  const programs = join(LIB, readdirSync(LIB).sort().at(-1) ?? '', 'bin')
  const folder = mkdtempSync(join(under, 'sallyport-postgres-'))
  const account = accountFor(folder)
  const data = join(folder, 'data')
  const run = { ...account, stdio: 'ignore' as const, cwd: folder }
  execFileSync(join(programs, 'initdb'), ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync'], run)
  const { certificate, privateKey } = makeServerCertificate()
  const give = (name: string, content: string) => {
    const path = join(data, name)
    writeFileSync(path, content, { mode: 0o600 })
    if (account) chownSync(path, account.uid, account.gid)
  }
  give('server.crt', certificate)
  give('server.key', privateKey)
  give(
    'pg_hba.conf',
    ['md5 md5', 'clear password', 'scram scram-sha-256', 'postgres trust', '+changing scram-sha-256']
      .map((line) => `host all ${line.split(' ')[0]} 127.0.0.1/32 ${line.split(' ')[1]}`)
      .join('\n'),
  )
  const port = await freePort()
  const settings = [`port=${port}`, `ssl=${tls ? 'on' : 'off'}`, 'listen_addresses=127.0.0.1', 'fsync=off']
  settings.push(`unix_socket_directories=${folder}`, 'max_connections=200', ...more)
  if (logs) settings.push('log_statement=all')
  const connection = { host: '127.0.0.1', port, user: 'postgres', database: 'postgres' }
  const logPath = join(folder, 'log')
  let server: ChildProcess
  const start = async () => {
    const log = openSync(logPath, 'a')
    const options = ['-D', data, ...settings.flatMap((one) => ['-c', one])]
    server = spawn(join(programs, 'postgres'), options, { ...run, stdio: ['ignore', 'ignore', log] })
    closeSync(log)
    await untilReady(connection)
  }
  const end = async (signal: NodeJS.Signals) => {
    const gone = new Promise((resolve) => server.once('exit', resolve))
    if (server.kill(signal)) await gone
  }
  await start()
  const first = new pg.Client(connection)
  await first.connect()
  await first.query(`CREATE DATABASE ${DATABASE}`)
  for (const role of ['scram', 'clear']) await first.query(`CREATE ROLE ${role} LOGIN PASSWORD '${SECRET}'`)
  await first.query("SET password_encryption = 'md5'")
  await first.query(`CREATE ROLE md5 LOGIN PASSWORD '${SECRET}'`)
  await first.end()
  const admin = new pg.Pool({ ...connection, database: DATABASE })
  admin.on('error', () => {})
  await admin.query('GRANT ALL ON SCHEMA public TO scram, md5, clear')
  return {
    port,
    programs,
    admin,
    sql: async (text) => (await admin.query(text)).rows,
    start,
    // Its children would outlive a postmaster that is killed.
    crash: () => end('SIGQUIT'),
    log: () => readFileSync(logPath, 'utf8'),
    async close() {
      await admin.end()
      await end('SIGINT')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** PostgreSQL does not run as root; its package brings an account. */
function accountFor(folder: string): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const id = (option: string) => Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }))
  const account = { uid: id('-u'), gid: id('-g') }
  chownSync(folder, account.uid, account.gid)
  return account
}

async function untilReady(connection: pg.ClientConfig): Promise<void> {
  for (let tries = 0; ; tries++) {
    const client = new pg.Client(connection)
    try {
      await client.connect()
      return await client.end()
    } catch (error) {
      if (tries > 200) throw error
      await setTimeout(50)
    }
  }
}
