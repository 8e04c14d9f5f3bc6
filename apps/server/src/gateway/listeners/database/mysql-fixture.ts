/** A whole server with its port for clients of MySQL, and an application on a real MariaDB. */
import mysql from 'mysql2/promise'
import type { TestDatabase } from '../../../../test/database.ts'
import { type Ran, runToEnd } from '../../../../test/run-to-end.ts'
import { PASSWORD } from '../../../../test/server.ts'
import { DATABASE, type MariaDbServer, SECRET, startMariaDb } from '../../connectors/mysql/mariadb-fixture.ts'
import { type ApplicationFixture, accountsOf, openApplicationFixture } from './application-fixture.ts'

export interface MysqlFixture extends ApplicationFixture {
  mariadb: MariaDbServer
  /** Runs a program of MariaDB's, straight to the server or through Sallyport. */
  run(program: string, parameters: string[], options?: RunOptions): Promise<Ran>
  /** A connected driver, through Sallyport. */
  connect(options?: mysql.ConnectionOptions): Promise<mysql.Connection>
  close(): Promise<void>
}

export interface RunOptions {
  direct?: boolean
  user?: string
  password?: string
  input?: string
}

export async function openMysqlFixture(
  environment: Record<string, string> = {},
  database?: TestDatabase,
): Promise<MysqlFixture> {
  const mariadb = await startMariaDb()
  const application = {
    type: 'mariadb',
    setting: 'SALLYPORT_MYSQL_PORT',
    attrs: { host: '127.0.0.1', port: mariadb.port, database: DATABASE },
    accounts: accountsOf(['native', 'ed25519'], SECRET),
  }
  const fixture = await openApplicationFixture(application, environment, database)
  return {
    ...fixture,
    mariadb,
    run(program, parameters, { direct = false, user = 'walker#gold#native', password = PASSWORD, input = '' } = {}) {
      const [port, name, secret] = direct ? [mariadb.port, 'native', SECRET] : [fixture.port, user, password]
      const where = ['--no-defaults', '--ssl', '--host=127.0.0.1', `--port=${port}`, `--user=${name}`]
      return runToEnd(program, [...where, ...parameters], { input, environment: { MYSQL_PWD: secret } })
    },
    connect: (options = {}) => connectThrough(fixture.port, { user: 'walker#gold#native', ...options }),
    async close() {
      await fixture.server.close()
      await mariadb.close()
    },
  }
}

/** A connected driver, through the port. */
export async function connectThrough(port: number, options: mysql.ConnectionOptions): Promise<mysql.Connection> {
  const own = { host: '127.0.0.1', port, password: PASSWORD, ssl: { rejectUnauthorized: false } }
  const client = await mysql.createConnection({ ...own, ...options })
  client.on('error', () => {})
  return client
}
