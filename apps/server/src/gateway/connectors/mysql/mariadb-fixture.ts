/** A real MariaDB of the system's packages over TCP, with accounts for its ways to prove a password. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import mysql from 'mysql2/promise'
import { freePort } from '../../../../test/free-port.ts'
import { makeServerCertificate } from '../../../kernel/nodes/certificate.ts'

export const SECRET = 'word of the account'
export const DATABASE = 'shop'

export interface MariaDbServer {
  port: number
  /** Runs as root, straight to it. */
  sql(text: string): Promise<unknown[]>
  /** Its process is killed; `start` brings it back. */
  crash(): Promise<void>
  start(): Promise<void>
  /** All that it has logged of statements, its binary log included; empty unless it logs. */
  log(): string
  /** Its log of errors. */
  errors(): string
  close(): Promise<void>
}

/** `tls`: whether it can encrypt; `logs`: whether it writes down every statement; `under`: the folder that its own is made in. */
export async function startMariaDb({ tls = true, logs = false, under = tmpdir() } = {}): Promise<MariaDbServer> {
  const user = process.getuid?.() === 0 ? ['--user=mysql'] : []
  const folderIn = (place: string) => {
    const folder = mkdtempSync(join(place, 'sallyport-mariadb-'))
    if (user.length) chownSync(folder, idOf('-u'), idOf('-g'))
    return folder
  }
  const folder = folderIn(under)
  // A server that starts deletes what others have there, such as the tables of one that is being made.
  const temporary = folderIn(tmpdir())
  const data = join(folder, 'data')
  // The kernel's rings for it are few, and several servers run at a time.
  const shared = ['--no-defaults', `--datadir=${data}`, `--tmpdir=${temporary}`, '--innodb-use-native-aio=0', ...user]
  const install = [...shared, '--auth-root-authentication-method=normal', '--skip-test-db']
  const made = spawnSync('mariadb-install-db', install, { encoding: 'utf8', cwd: folder })
  if (made.status !== 0) throw new Error(`mariadb-install-db failed: ${made.stdout}${made.stderr}`)
  const { certificate, privateKey } = makeServerCertificate()
  writeFileSync(join(folder, 'tls.pem'), `${certificate}${privateKey}`)
  if (user.length) chownSync(join(folder, 'tls.pem'), idOf('-u'), idOf('-g'))
  const port = await freePort()
  const socketPath = join(folder, 'socket')
  const settings = [...shared, `--port=${port}`, `--socket=${socketPath}`]
  settings.push('--bind-address=127.0.0.1', '--innodb-flush-log-at-trx-commit=0')
  const general = join(data, 'general.log')
  // Not in its data: what it says of a full disk must not wait for room on it.
  const errors = join(tmpdir(), `${basename(folder)}.err`)
  settings.push(`--log-error=${errors}`)
  settings.push(
    ...(logs ? ['--log-bin=binary', '--general-log=1', `--general-log-file=${general}`] : ['--skip-log-bin']),
  )
  settings.push('--plugin-load-add=auth_ed25519', '--local-infile=1', '--max-connections=300', '--skip-name-resolve')
  settings.push('--max-allowed-packet=64M', '--character-set-server=utf8mb4', `--pid-file=${join(folder, 'pid')}`)
  if (tls) settings.push(`--ssl-cert=${join(folder, 'tls.pem')}`, `--ssl-key=${join(folder, 'tls.pem')}`)
  let server: ChildProcess
  const start = async () => {
    server = spawn('/usr/sbin/mariadbd', settings, { stdio: 'ignore', cwd: folder })
    await untilReady(socketPath)
  }
  const end = async (signal: NodeJS.Signals) => {
    const gone = new Promise((resolve) => server.once('exit', resolve))
    if (server.kill(signal)) await gone
  }
  await start()
  const admin = mysql.createPool({ socketPath, user: 'root', multipleStatements: true })
  const sql = async (text: string) => (await admin.query(text))[0] as unknown[]
  await sql(`
    CREATE DATABASE ${DATABASE};
    CREATE USER native@'%' IDENTIFIED VIA mysql_native_password USING PASSWORD('${SECRET}');
    CREATE USER ed25519@'%' IDENTIFIED VIA ed25519 USING PASSWORD('${SECRET}');
    GRANT ALL ON ${DATABASE}.* TO native@'%', ed25519@'%';
  `)
  return {
    port,
    sql,
    start,
    crash: () => end('SIGKILL'),
    log: () =>
      readdirSync(data)
        .filter((name) => name === 'general.log' || name.startsWith('binary.'))
        .map((name) => readFileSync(join(data, name), 'latin1'))
        .join(''),
    errors: () => (existsSync(errors) ? readFileSync(errors, 'utf8') : ''),
    async close() {
      await admin.end()
      await end('SIGTERM')
      for (const made of [folder, temporary]) rmSync(made, { recursive: true, force: true })
      rmSync(errors, { force: true })
    },
  }
}

/** MariaDB does not run as root; its package brings an account. */
const idOf = (option: string) => Number(execFileSync('id', [option, 'mysql'], { encoding: 'utf8' }))

async function untilReady(socketPath: string): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      const connection = await mysql.createConnection({ socketPath, user: 'root' })
      return await connection.end()
    } catch (error) {
      if (tries > 400) throw error
      await setTimeout(50)
    }
  }
}
