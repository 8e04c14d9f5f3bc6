/** A whole server with its port for clients of PostgreSQL, and an application on a real one. */
import pg from 'pg'
import type { TestDatabase } from '../../../../test/database.ts'
import { type Ran, runToEnd } from '../../../../test/run-to-end.ts'
import { PASSWORD } from '../../../../test/server.ts'
import { DATABASE, type PostgresServer, SECRET, startPostgres } from '../../connectors/postgresql/postgresql-fixture.ts'
import { type ApplicationFixture, accountsOf, openApplicationFixture } from './application-fixture.ts'

export interface DatabaseFixture extends ApplicationFixture {
  postgres: PostgresServer
  /** Runs a program of PostgreSQL's, straight to the server or through Sallyport. */
  run(program: string, parameters: string[], options?: RunOptions): Promise<Ran>
  /** A connected driver, through Sallyport. */
  connect(options?: pg.ClientConfig): Promise<pg.Client>
  close(): Promise<void>
}

export interface RunOptions {
  direct?: boolean
  user?: string
  password?: string
  input?: string
  environment?: Record<string, string>
}

export async function openDatabaseFixture(
  environment: Record<string, string> = {},
  database?: TestDatabase,
): Promise<DatabaseFixture> {
  const postgres = await startPostgres()
  const application = {
    type: 'postgresql',
    setting: 'SALLYPORT_POSTGRESQL_PORT',
    attrs: { host: '127.0.0.1', port: postgres.port, database: DATABASE },
    accounts: accountsOf(['scram', 'md5', 'clear'], SECRET),
  }
  const fixture = await openApplicationFixture(application, environment, database)
  const { port } = fixture
  return {
    ...fixture,
    postgres,
    run(
      program,
      parameters,
      { direct = false, user = 'walker#gold#scram', password, input = '', environment = {} } = {},
    ) {
      const where = direct
        ? { PGPORT: String(postgres.port), PGUSER: 'scram', PGPASSWORD: SECRET }
        : { PGPORT: String(port), PGUSER: user, PGPASSWORD: password ?? PASSWORD }
      const own = { PGHOST: '127.0.0.1', PGDATABASE: DATABASE, PGSSLMODE: 'require', ...where, ...environment }
      return runToEnd(`${postgres.programs}/${program}`, parameters, { input, environment: own })
    },
    async connect(options = {}) {
      const own = { host: '127.0.0.1', port, database: DATABASE, ssl: { rejectUnauthorized: false } }
      const client = new pg.Client({ ...own, user: 'walker#gold#scram', password: PASSWORD, ...options })
      client.on('error', () => {})
      await client.connect()
      return client
    },
    async close() {
      await fixture.server.close()
      await postgres.close()
    },
  }
}
