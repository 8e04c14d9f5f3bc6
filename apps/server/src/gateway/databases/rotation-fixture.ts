/**
 * Databases whose accounts are changed: a real MariaDB, a real PostgreSQL, and servers of SQL Server's
 * and Oracle's protocols, each behind a line that a test can cut.
 */
import { setTimeout } from 'node:timers/promises'
import { DEFAULT_ORG_ID } from '@sallyport/contract/constants.ts'
import { type DomainServer, openDomainServer } from '../../../test/domain-server.ts'
import { type DatabaseLogin, databaseLogins, registerAccounts } from '../../domains/accounts/index.ts'
import type { Subject } from '../../domains/accounts/rotation/faults-fixture.ts'
import { generatePassword } from '../../domains/accounts/rotation/generate-password.ts'
import { type Line, openLine } from '../../domains/accounts/rotation/line-fixture.ts'
import { type ChangeTask, openTask } from '../../domains/accounts/rotation/open-task.ts'
import { enter, storedSecrets } from '../../domains/accounts/rotation/rotation-fixture.ts'
import type { SmallDisk } from '../../domains/accounts/rotation/small-disk-fixture.ts'
import { applicationAccountRow, loadApplicationTarget } from '../../domains/applications/index.ts'
import { openLicense } from '../../domains/xpack/license.ts'
import { connectorOf, portOf } from '../connectors/index.ts'
import { startMariaDb } from '../connectors/mysql/mariadb-fixture.ts'
import { oracleConnector } from '../connectors/oracle/oracle.ts'
import { type OracleFixture, startOracle } from '../connectors/oracle/oracle-fixture.ts'
import { startPostgres } from '../connectors/postgresql/postgresql-fixture.ts'
import { sqlServerConnector } from '../connectors/sqlserver/sqlserver.ts'
import { type SqlServerFixture, startSqlServer } from '../connectors/sqlserver/sqlserver-fixture.ts'
import type { ClientWire } from '../kinds/statements/streams.ts'
import { openMysql } from '../repl/mysql/open-mysql.ts'
import { openOracle } from '../repl/oracle/open-oracle.ts'
import { openPostgresql } from '../repl/postgresql/open-postgresql.ts'
import { openSqlServer } from '../repl/sqlserver/open-sqlserver.ts'
import { connectionTargetOf } from '../targets/application-family.ts'
import { fillUnderMariaDb, fillUnderPostgres } from './full-database-fixture.ts'
import { logInToDatabase } from './log-in.ts'

export type DatabaseType = RealDatabase | 'sqlserver' | 'oracle'
/** Those whose files can be put on a disk of their own. */
type RealDatabase = 'mariadb' | 'postgresql'

/** One database and its accounts. */
export interface Database {
  type: DatabaseType
  line: Line
  /** Account of the application. */
  app: string
  /** An account of the database; what is stored of it is its password. */
  anAccount(): Promise<{ username: string; systemUser: string; task: ChangeTask }>
  /** Behind everybody's back. */
  setPassword(username: string, password: string): Promise<void>
  /** Whether a session, with what is stored, gets in. */
  getsIn(systemUser: string): Promise<boolean>
  /** Logs in with these. Throws DatabaseError. */
  logIn(systemUser: string, username: string, password: string): Promise<DatabaseLogin>
  /** Whether one gets in with this password. */
  asPerson(systemUser: string, username: string, password: string): Promise<boolean>
  crash(): Promise<void>
  start(): Promise<void>
  /**
   * Fills the disk that its files are on, down to the room that the server had set aside for itself. Answers what is
   * over once the server goes on by itself with room again; undefined where it does not.
   */
  fill(disk: SmallDisk): Promise<(() => Promise<void>) | undefined>
  /** Settles when the server is about no statement of others. */
  quiet(): Promise<void>
  log(): string
}

export interface DatabaseRotationFixture extends DomainServer {
  databases: Record<DatabaseType, Database>
  sqlServer: SqlServerFixture
  oracle: OracleFixture
}

export const FIRST_PASSWORD = 'First-of-all-1'

/** PostgreSQL sets room aside in its log of changes, and takes old pieces of it again: as little as it can. */
const TIGHT = ['wal_recycle=off', 'min_wal_size=32MB', 'max_wal_size=48MB']

/** @param disks what each of the servers keeps its files on */
export async function openDatabaseRotationFixture(
  disks?: Record<RealDatabase, SmallDisk>,
): Promise<DatabaseRotationFixture> {
  const fixture = await openDomainServer(registerAccounts)
  databaseLogins.provide(logInToDatabase)
  // Applications of most types need a license.
  ;(await openLicense(fixture.kernel)).isValid = () => true
  // Sends jobs, and does none: nothing else contacts the databases.
  await fixture.kernel.jobs.start()
  const { kernel, pool, make } = fixture
  const [sqlServer, oracle, mariadb, postgres] = await Promise.all([
    startSqlServer({}),
    startOracle({}),
    startMariaDb({ logs: true, ...(disks && { under: disks.mariadb.path }) }),
    startPostgres({ logs: true, ...(disks && { under: disks.postgresql.path, more: TIGHT }) }),
  ])
  await postgres.sql('CREATE ROLE changing')
  const { rows: executions } = await pool.query(
    `WITH plan AS (INSERT INTO accounts_change_plan (org_id, family, name, is_periodic) VALUES ($1, 'application', 'all', false) RETURNING id)
     INSERT INTO accounts_change_execution (org_id, family, plan, plan_snapshot) SELECT $1, 'application', id, '{}' FROM plan RETURNING id`,
    [DEFAULT_ORG_ID],
  )
  let count = 0
  const open = kernel.secrets.open('test', 'a test')

  const database = async (
    type: DatabaseType,
    server: {
      port: number
      sql(text: string): Promise<unknown>
      crash(): Promise<void>
      start(): Promise<void>
      log(): string
    },
    sql: Record<'create' | 'set', (username: string, password: string) => string> & { busy: string },
    fill: Database['fill'],
  ): Promise<Database> => {
    const line = await openLine(server.port)
    const app = await make('applications/applications', {
      ...{ name: type, category: 'db', type },
      attrs: { host: '127.0.0.1', port: line.port, database: 'shop' },
    })
    const logIn = async (systemUser: string, username: string, password: string) =>
      logInToDatabase(kernel, await targetOf(systemUser), { username, password })
    const targetOf = async (systemUserId: string) => {
      const found = await loadApplicationTarget(kernel, { applicationId: app.id, systemUserId }, open)
      if (!found) throw new Error('no target')
      return found
    }
    return {
      ...{ type, line, fill, logIn, app: app.id },
      crash: server.crash,
      start: server.start,
      async quiet() {
        while (((await server.sql(sql.busy)) as unknown[]).length) await setTimeout(200)
      },
      log: server.log,
      setPassword: async (username, password) => void (await server.sql(sql.set(username, password))),
      async anAccount() {
        const username = `account_${++count}`
        await server.sql(sql.create(username, FIRST_PASSWORD))
        const user = await make('assets/system-users', {
          ...{ name: username, username, password: FIRST_PASSWORD },
          ...{ protocol: type, login_mode: 'auto', auto_push: false },
        })
        const { rows } = await pool.query(
          `INSERT INTO accounts_change_task (org_id, family, execution, app, "system_user", username)
           VALUES ($1, 'application', $2, $3, $4, $5) RETURNING *`,
          [DEFAULT_ORG_ID, executions[0].id, app.id, user.id, username],
        )
        return { username, systemUser: user.id, task: rows[0] }
      },
      async getsIn(systemUser) {
        const target = connectionTargetOf(await targetOf(systemUser))
        const options = {
          ...{ target, host: target.address, port: portOf(target) },
          answer: async () => undefined,
          signal: AbortSignal.timeout(60_000),
        }
        const owner = { write: () => true, refuse() {}, tell() {}, close() {} }
        const own = {
          sqlserver: sqlServerConnector,
          oracle: oracleConnector,
          mariadb: undefined,
          postgresql: undefined,
        }
        const connector = own[type] ?? connectorOf(type, 'statements')
        const openLink = {
          ...{ mariadb: openMysql, postgresql: openPostgresql },
          ...{ sqlserver: openSqlServer, oracle: openOracle },
        }[type]
        const link = await openLink('', (wire: ClientWire) =>
          connector.open(kernel, { ...options, end: { owner, wire } }),
        ).catch(() => undefined)
        link?.close()
        return link !== undefined
      },
      async asPerson(systemUser, username, password) {
        const login = await logIn(systemUser, username, password).catch(() => {})
        login?.close()
        return login !== undefined
      },
    }
  }
  const databases = {
    mariadb: await database(
      'mariadb',
      mariadb,
      {
        create: (name, password) =>
          `CREATE USER ${name}@'%' IDENTIFIED BY '${password}'; GRANT ALL ON shop.* TO ${name}@'%'`,
        set: (name, password) => `ALTER USER ${name}@'%' IDENTIFIED BY '${password}'`,
        busy: "SELECT 1 FROM information_schema.processlist WHERE user LIKE 'account_%' AND command <> 'Sleep'",
      },
      (disk) => fillUnderMariaDb(mariadb, disk),
    ),
    postgresql: await database(
      'postgresql',
      postgres,
      {
        create: (name, password) => `CREATE ROLE ${name} LOGIN PASSWORD '${password}' IN ROLE changing`,
        set: (name, password) => `ALTER ROLE ${name} PASSWORD '${password}'`,
        busy: "SELECT 1 FROM pg_stat_activity WHERE usename LIKE 'account_%' AND state <> 'idle'",
      },
      (disk) => fillUnderPostgres(postgres, disk),
    ),
    sqlserver: await database(
      'sqlserver',
      {
        ...sqlServer,
        log: () => sqlServer.received.join('\n'),
        async sql(text) {
          const [, username, password] = /(\S+) WITH PASSWORD = '(.*)'$/.exec(text) ?? []
          if (username && password) sqlServer.logins.set(username, password)
          return []
        },
      },
      {
        create: (name, password) => `CREATE LOGIN ${name} WITH PASSWORD = '${password}'`,
        set: (name, password) => `ALTER LOGIN ${name} WITH PASSWORD = '${password}'`,
        busy: '',
      },
      async () => undefined,
    ),
    oracle: await database(
      'oracle',
      {
        ...oracle,
        log: () => oracle.received.join('\n'),
        async sql(text) {
          const [, username = '', password] = /^(\S+) (.*)$/.exec(text) ?? []
          if (password) oracle.accounts.set(username.toUpperCase(), password)
          return []
        },
      },
      { create: (name, password) => `${name} ${password}`, set: (name, password) => `${name} ${password}`, busy: '' },
      async () => undefined,
    ),
  }
  return {
    ...fixture,
    databases,
    sqlServer,
    oracle,
    async close() {
      await Promise.all(Object.values(databases).map(({ line }) => line.close()))
      await Promise.all([sqlServer.close(), oracle.close(), mariadb.close(), postgres.close()])
      await kernel.jobs.close()
      await fixture.close()
    },
  }
}

/** With room again, a server that waits goes on by itself; one that has given up is restarted. */
function smallDiskOf(disk: SmallDisk, fill: Database['fill'], crash: () => Promise<void>): Subject['disk'] {
  let recover: (() => Promise<void>) | undefined
  return {
    async fill() {
      recover = (await fill(disk)) ?? crash
    },
    async free() {
      disk.free()
      await recover?.()
      recover = undefined
    },
  }
}

/** An account of one of the databases, with all that can happen to it. */
export async function databaseSubject(
  fixture: DatabaseRotationFixture,
  type: DatabaseType,
  disk?: SmallDisk,
): Promise<Subject> {
  const { kernel, databases } = fixture
  const { line, ...database } = databases[type]
  const { task, username, systemUser } = await database.anAccount()
  const begin = () => openTask(kernel, task, { keyStrategy: '', example: undefined })
  const { account, target } = await begin()
  target.close()
  let isDown = false
  const crash = async () => {
    isDown = true
    await database.crash()
  }
  return {
    ...{ line, begin },
    wanted: () => ({ password: generatePassword({ length: 20 }) }),
    getsIn: () => database.getsIn(systemUser),
    asPerson: (password) => database.asPerson(systemUser, username, password),
    part: 'password',
    someSecret: () => `By-hand-${generatePassword({ length: 20 })}`,
    setByHand: (password) => database.setPassword(username, password),
    enter: (password) => enter(fixture, `applications/accounts/${account}`, { password }),
    stored: () => storedSecrets(kernel, applicationAccountRow(account), begin, 'password'),
    crash,
    async start() {
      if (isDown) await database.start()
      isDown = false
    },
    quiet: database.quiet,
    ...(disk ? { disk: smallDiskOf(disk, database.fill, crash) } : {}),
  }
}
