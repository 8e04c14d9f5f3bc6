import type { Kernel } from '../../kernel/kernel.ts'
import type { ClientWire, StatementOwner, StatementTarget } from '../kinds/statements/streams.ts'
import { sizeOf, type TargetStream } from '../kinds/terminal/streams.ts'
import type { Dialect } from '../repl/dialect.ts'
import type { Link } from '../repl/link.ts'
import { mysqlDialect } from '../repl/mysql/mysql-dialect.ts'
import { openMysql } from '../repl/mysql/open-mysql.ts'
import { openOracle } from '../repl/oracle/open-oracle.ts'
import { oracleDialect } from '../repl/oracle/oracle-dialect.ts'
import { openPostgresql } from '../repl/postgresql/open-postgresql.ts'
import { postgresqlDialect } from '../repl/postgresql/postgresql-dialect.ts'
import { openRedis } from '../repl/redis/open-redis.ts'
import { redisDialect } from '../repl/redis/redis-dialect.ts'
import { Repl } from '../repl/repl.ts'
import { openSqlServer } from '../repl/sqlserver/open-sqlserver.ts'
import { sqlServerDialect } from '../repl/sqlserver/sqlserver-dialect.ts'
import { SessionRefusal } from '../session/refusal.ts'
import type { ConnectOptions, Connector } from './connector.ts'
import { mariadbConnector, mysqlConnector } from './mysql/mysql.ts'
import { oracleConnector } from './oracle/oracle.ts'
import { postgresqlConnector } from './postgresql/postgresql.ts'
import { redisConnector } from './redis/redis.ts'
import { sqlServerConnector } from './sqlserver/sqlserver.ts'

/** The prompt of one sort of database: how its server is reached, and what the prompt knows of it. */
interface Prompt {
  connector: Connector<'statements'>
  dialect(): Dialect
  /** `database`: empty for the one that the application leads to. */
  open<W extends ClientWire>(database: string, connect: (wire: W) => Promise<StatementTarget>): Promise<Link>
}

const mysql = { dialect: mysqlDialect, open: openMysql as Prompt['open'] }
const PROMPTS: readonly Prompt[] = [
  {
    connector: postgresqlConnector,
    dialect: postgresqlDialect as () => Dialect,
    open: openPostgresql as Prompt['open'],
  },
  { connector: mysqlConnector, ...mysql },
  { connector: mariadbConnector, ...mysql },
  { connector: redisConnector, dialect: redisDialect as () => Dialect, open: openRedis as Prompt['open'] },
  {
    connector: sqlServerConnector,
    dialect: sqlServerDialect as () => Dialect,
    open: openSqlServer as Prompt['open'],
  },
  { connector: oracleConnector, dialect: oracleDialect as () => Dialect, open: openOracle as Prompt['open'] },
]

/** Databases in a terminal: their servers are reached as by their own clients. */
export const databaseTerminals: readonly Connector<'terminal'>[] = PROMPTS.map((prompt) => ({
  protocol: prompt.connector.protocol,
  kind: 'terminal',
  open: (kernel, options) => open(kernel, options, prompt),
}))

/** A page of the server's never hears of this: the prompt reads what the server answers. */
const NOBODY: StatementOwner = { write: () => true, refuse() {}, tell() {}, close() {} }
/** To go on in another database. */
const CHANGE_MS = 30_000

/** Throws SshError and SessionRefusal. */
async function open(
  kernel: Kernel,
  options: ConnectOptions<'terminal'>,
  { connector, dialect, open: openLink }: Prompt,
): Promise<TargetStream> {
  const { program } = options.end
  if (!program.terminal)
    throw new SessionRefusal('A database is opened in a terminal: connect without a command, or with ssh -t')
  const connect = (database: string, signal: AbortSignal) =>
    openLink(database, (wire: ClientWire) =>
      connector.open(kernel, { ...options, signal, end: { owner: NOBODY, wire } }),
    )
  return new Repl({
    dialect: dialect(),
    link: await connect('', options.signal),
    connect: (database) => connect(database, AbortSignal.timeout(CHANGE_MS)),
    size: sizeOf(program),
  })
}
