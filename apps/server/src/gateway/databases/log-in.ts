import { DatabaseError, type DatabaseLogin, type LogInToDatabase } from '../../domains/accounts/index.ts'
import { translate } from '../../kernel/i18n/translate.ts'
import { SshError } from '../../kernel/ssh/connect.ts'
import type { Connector } from '../connectors/connector.ts'
import { connectorOf, portOf } from '../connectors/index.ts'
import { oracleConnector } from '../connectors/oracle/oracle.ts'
import { sqlServerConnector } from '../connectors/sqlserver/sqlserver.ts'
import type { ClientWire, StatementOwner, StatementTarget } from '../kinds/statements/streams.ts'
import { openMysql } from '../repl/mysql/open-mysql.ts'
import { openOracle } from '../repl/oracle/open-oracle.ts'
import { openPostgresql } from '../repl/postgresql/open-postgresql.ts'
import { openRedis } from '../repl/redis/open-redis.ts'
import { openSqlServer } from '../repl/sqlserver/open-sqlserver.ts'
import { SessionRefusal } from '../session/refusal.ts'
import { connectionTargetOf } from '../targets/application-family.ts'
import type { ConnectionTarget } from '../targets/connection-target.ts'
import { checkMysql, isMysqlDoubtful, setMysqlPassword } from './mysql-account.ts'
import { setOraclePassword } from './oracle-account.ts'
import { checkPostgresql, isPostgresqlDoubtful, setPostgresqlPassword } from './postgresql-account.ts'
import { isSqlServerDoubtful, setSqlServerPassword } from './sqlserver-account.ts'
import { statementRunner } from './statement-runner.ts'

const LOGIN_MS = 20_000
/** Nobody is at the other end. */
const NOBODY: StatementOwner = { write: () => true, refuse() {}, tell() {}, close() {} }

type Connect = <W extends ClientWire>(wire: W) => Promise<StatementTarget>

/**
 * Logs in to a database as sessions do: through the gateways of its network, and to a server that
 * shows the key of its certificate which is known. Throws DatabaseError.
 */
export const logInToDatabase: LogInToDatabase = async (kernel, application, { username, password }) => {
  const target = connectionTargetOf(application)
  const { type } = application.application
  try {
    const connector = WITHOUT_CLIENTS.get(type) ?? connectorOf(type, 'statements')
    const as = { ...target, credentials: { username, password, privateKey: '' } }
    const connect =
      (to: ConnectionTarget): Connect =>
      (wire) =>
        connector.open(kernel, {
          target: to,
          host: to.address,
          port: portOf(to),
          end: { owner: NOBODY, wire },
          answer: async () => undefined,
          signal: AbortSignal.timeout(LOGIN_MS),
        })
    switch (type) {
      case 'postgresql':
        return await atPostgresql(connect(as))
      case 'oracle':
        return await atOracle(connect(as), password)
      case 'redis':
        return await atRedis(connect(as))
      case 'sqlserver':
        return await atSqlServer(connect(withoutDatabase(as)), password)
      default:
        return await atMysql(connect(withoutDatabase(as)))
    }
  } catch (error) {
    throw inWords(error, target)
  }
}

/** Databases that no clients of their own come to. */
const WITHOUT_CLIENTS: ReadonlyMap<string, Connector<'statements'>> = new Map([
  ['sqlserver', sqlServerConnector],
  ['oracle', oracleConnector],
])

/** An account of MySQL, and a login of SQL Server, needs no database: it may have no rights on this one. */
const withoutDatabase = (target: ConnectionTarget): ConnectionTarget => {
  const { application } = target
  if (!application) return target
  return { ...target, application: { ...application, attrs: { ...application.attrs, database: '' } } }
}

async function atPostgresql(connect: Connect): Promise<DatabaseLogin> {
  const link = await openPostgresql('', connect)
  const wire = link.wire as Parameters<Parameters<typeof openPostgresql>[1]>[0]
  const runner = await statementRunner(link, isPostgresqlDoubtful)
  return {
    isPasswordAsked: wire.isPasswordAsked,
    check: () => checkPostgresql(runner),
    setPassword: (password) => setPostgresqlPassword(runner, password),
    close: runner.close,
  }
}

async function atMysql(connect: Connect): Promise<DatabaseLogin> {
  const link = await openMysql('', connect)
  const { version, isEncrypted } = link.wire as Parameters<Parameters<typeof openMysql>[1]>[0]
  const runner = await statementRunner(link, isMysqlDoubtful)
  const server = { version, isEncrypted }
  return {
    // An account without a password refuses a client that sends one.
    isPasswordAsked: true,
    check: async () => checkMysql(server),
    setPassword: (password) => setMysqlPassword(runner, server, password),
    close: runner.close,
  }
}

/** Its accounts are those of its configuration: nothing here changes them. */
async function atRedis(connect: Connect): Promise<DatabaseLogin> {
  const runner = await statementRunner(await openRedis('', connect), () => true)
  const unsupported = async () => {
    throw new DatabaseError('unsupported', '')
  }
  return { isPasswordAsked: true, check: unsupported, setPassword: unsupported, close: runner.close }
}

/** `password`: with which it has logged in. */
async function atSqlServer(connect: Connect, password: string): Promise<DatabaseLogin> {
  const runner = await statementRunner(await openSqlServer('', connect), isSqlServerDoubtful)
  return {
    isPasswordAsked: true,
    // Every server of this protocol's version knows the statement.
    check: async () => {},
    setPassword: (changed) => setSqlServerPassword(runner, changed, password),
    close: runner.close,
  }
}

/** `password`: with which it has logged in. */
async function atOracle(connect: Connect, password: string): Promise<DatabaseLogin> {
  const link = await openOracle('', connect)
  const wire = link.wire as Parameters<Parameters<typeof openOracle>[1]>[0]
  const runner = await statementRunner(link, () => true)
  return {
    isPasswordAsked: true,
    // Every server that the driver supports can change passwords.
    check: async () => {},
    setPassword: (changed) => setOraclePassword(wire, changed, password),
    close: runner.close,
  }
}

function inWords(error: unknown, { gateways }: ConnectionTarget): unknown {
  if (error instanceof SessionRefusal)
    return new DatabaseError('unreachable', translate('en', error.message, error.values), error)
  if (error instanceof SshError) {
    const isOfAccount = error.failure === 'authentication' && error.hop >= (gateways.length ? 1 : 0)
    return new DatabaseError(isOfAccount ? 'login' : 'unreachable', error.message, error)
  }
  const isLate = error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError')
  return isLate ? new DatabaseError('unreachable', 'The server did not answer in time', error) : error
}
