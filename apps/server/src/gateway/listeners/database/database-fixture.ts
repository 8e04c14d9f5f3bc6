/** A whole server with its port for clients of PostgreSQL, and an application on a real one. */
import { spawn } from 'node:child_process'
import type { Target } from '@sallyport/contract/target.ts'
import pg from 'pg'
import type { TestDatabase } from '../../../../test/database.ts'
import { freePort } from '../../../../test/free-port.ts'
import { type Caller, openTestServer, PASSWORD, type TestServer } from '../../../../test/server.ts'
import { openLicense } from '../../../domains/xpack/license.ts'
import { DATABASE, type PostgresServer, SECRET, startPostgres } from '../../connectors/postgresql/postgresql-fixture.ts'

export interface Ran {
  code: number | null
  stdout: string
  stderr: string
}

export interface DatabaseFixture {
  server: TestServer
  postgres: PostgresServer
  port: number
  person: Caller
  target: Target
  systemUsers: Record<string, string>
  permission: string
  /** A token of the person's for the application, as that role. */
  token(role?: string): Promise<string>
  /** Creates something over the API as administrator; answers its id. */
  created(path: string, body: unknown): Promise<string>
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
  const port = await freePort()
  const postgres = await startPostgres()
  const server = await openTestServer({ SALLYPORT_POSTGRESQL_PORT: String(port), ...environment }, database)
  const { kernel, admin } = server
  const license = await openLicense(kernel)
  license.isValid = () => true
  const person = await server.aPerson('walker')
  const created = async (path: string, body: unknown): Promise<string> => {
    const answer = await admin.post(path, body)
    if (answer.status !== 201) throw new Error(`${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
    return answer.body.id
  }
  const application = await created('/api/v1/applications/applications/', {
    name: 'gold',
    category: 'db',
    type: 'postgresql',
    attrs: { host: '127.0.0.1', port: postgres.port, database: DATABASE },
  })
  const target: Target = { family: 'application', id: application }
  const systemUsers: Record<string, string> = {}
  for (const username of ['scram', 'md5', 'clear']) {
    const draft = { name: username, username, password: SECRET, protocol: 'postgresql', login_mode: 'auto' }
    systemUsers[username] = await created('/api/v1/assets/system-users/', { ...draft, auto_push: false })
  }
  const permission = await created('/api/v1/perms/application-permissions/', {
    name: 'everyday',
    category: 'db',
    type: 'postgresql',
    users: [person.id],
    applications: [application],
    system_users: Object.values(systemUsers),
  })
  const token = async (role = 'scram') => {
    const answer = await person.post('/api/v1/authentication/connection-token/', {
      application: target.id,
      system_user: systemUsers[role],
    })
    if (answer.status !== 201) throw new Error(`no token: ${JSON.stringify(answer.body)}`)
    return answer.body.token as string
  }
  return {
    server,
    postgres,
    port,
    person,
    target,
    systemUsers,
    permission,
    token,
    created,
    run(
      program,
      parameters,
      { direct = false, user = 'walker#gold#scram', password, input = '', environment = {} } = {},
    ) {
      const where = direct
        ? { PGPORT: String(postgres.port), PGUSER: 'scram', PGPASSWORD: SECRET }
        : { PGPORT: String(port), PGUSER: user, PGPASSWORD: password ?? PASSWORD }
      const own = { PGHOST: '127.0.0.1', PGDATABASE: DATABASE, PGSSLMODE: 'require', ...where, ...environment }
      return new Promise((resolve, reject) => {
        const child = spawn(`${postgres.programs}/${program}`, parameters, {
          env: { ...process.env, LC_ALL: 'C', ...own },
        })
        const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []]
        child.stdout.on('data', (bytes) => stdout.push(bytes))
        child.stderr.on('data', (bytes) => stderr.push(bytes))
        child.on('error', reject)
        child.on('close', (code) =>
          resolve({ code, stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString() }),
        )
        child.stdin.on('error', () => {})
        child.stdin.end(input)
      })
    },
    async connect(options = {}) {
      const own = { host: '127.0.0.1', port, database: DATABASE, ssl: { rejectUnauthorized: false } }
      const client = new pg.Client({ ...own, user: 'walker#gold#scram', password: PASSWORD, ...options })
      client.on('error', () => {})
      await client.connect()
      return client
    },
    async close() {
      await server.close()
      await postgres.close()
    },
  }
}
