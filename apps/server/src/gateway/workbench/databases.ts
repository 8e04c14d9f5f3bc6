import type { Transaction } from '@sallyport/contract/socket/workbench.ts'
import type { Language } from '../../kernel/i18n/translate.ts'
import type { ClientWire, StatementTarget } from '../kinds/statements/streams.ts'
import type { MysqlWire } from '../protocols/mysql/mysql-wire.ts'
import { errorOfRefusal } from '../protocols/mysql/server-errors.ts'
import type { OracleWire } from '../protocols/oracle/oracle-wire.ts'
import type { SqlServerWire } from '../protocols/sqlserver/sqlserver-wire.ts'
import type { Link } from '../repl/link.ts'
import type { MysqlAnswers } from '../repl/mysql/mysql-answers.ts'
import { MYSQL_NAMES, MYSQL_SYNTAX } from '../repl/mysql/mysql-dialect.ts'
import { openMysql } from '../repl/mysql/open-mysql.ts'
import { openOracle } from '../repl/oracle/open-oracle.ts'
import { ORACLE_NAMES, ORACLE_SYNTAX } from '../repl/oracle/oracle-dialect.ts'
import { NAMES } from '../repl/postgresql/catalog.ts'
import { openPostgresql } from '../repl/postgresql/open-postgresql.ts'
import type { PostgresqlAnswers } from '../repl/postgresql/postgresql-answers.ts'
import { POSTGRESQL_SYNTAX } from '../repl/postgresql/postgresql-dialect.ts'
import type { SqlNames } from '../repl/sql/complete-sql.ts'
import type { SqlSyntax } from '../repl/sql/scan.ts'
import { openSqlServer } from '../repl/sqlserver/open-sqlserver.ts'
import { SQLSERVER_NAMES, SQLSERVER_SYNTAX } from '../repl/sqlserver/sqlserver-dialect.ts'
import { type Notice, wordsOf } from '../session/notice.ts'
import { type Catalog, MYSQL_CATALOG, ORACLE_CATALOG, POSTGRESQL_CATALOG, SQLSERVER_CATALOG } from './catalog.ts'
import { type EditDialect, MYSQL_EDITS, POSTGRESQL_EDITS } from './edit-dialects.ts'
import { SessionTarget } from './session-target.ts'

const PROGRAM = 'Sallyport workbench'

type Connect = (wire: ClientWire) => Promise<StatementTarget>

/** Reader of a session's notices. */
interface Reader {
  language: Language
  tell(what: Notice): void
}

/** Facts about one sort of database for a workbench; everything else is the same for all. */
export interface WorkbenchDatabase {
  /** Dialect of the editor. */
  dialect: 'mysql' | 'postgresql' | 'sqlserver' | 'oracle'
  syntax: SqlSyntax
  names: SqlNames
  catalog: Catalog
  open(connect: Connect): Promise<Link>
  /** The person's side of the session whose client's end that is. */
  target(wire: ClientWire, reader: Reader): SessionTarget
  /** Version that the server reports. */
  version(link: Link): string
  transaction(link: Link): Transaction
  /** Asks how a statement would be run, as JSON; it is not run. Undefined where one statement can not ask that. */
  plan?(statement: string): string
  /**
   * Statement that makes a connection fit for results that wait; undefined where none is needed.
   */
  atStart?: string
  /** How values are changed in its tables; undefined where its rows do not say which those are. */
  edits?: EditDialect
  /** Goes to a database of the server, where a connection can. */
  use?(database: string): string
}

/**
 * A row that begins a statement is never a command of the prompt's, but for the one that no server knows. Where it
 * would begin is all that is looked at: a row may have a statement at each of its places.
 */
const NO_COMMAND = /^(?!)/

const MYSQL: WorkbenchDatabase = {
  dialect: 'mysql',
  syntax: { ...MYSQL_SYNTAX, rowCommand: /^\s*delimiter\s+\S+\s*$/i },
  names: MYSQL_NAMES,
  catalog: MYSQL_CATALOG,
  open: (connect) => openMysql('', connect, PROGRAM) as Promise<Link>,
  target(wire, { tell, language }) {
    const mysql = wire as MysqlWire
    const target = new SessionTarget({
      refuse(statement, why) {
        mysql.refuse(statement, { ...errorOfRefusal(why.code), message: wordsOf(why, language) })
      },
      tell,
    })
    mysql.exchange.onOwn = (bytes) => target.answer(bytes)
    return target
  },
  // MariaDB puts that before its own, for replicas of before it was called so.
  version: ({ wire }) => (wire as unknown as MysqlWire).version.replace(/^5\.5\.5-/, ''),
  transaction: ({ answers }) => ((answers as MysqlAnswers).isInTransaction ? 'open' : 'none'),
  plan: (statement) => `EXPLAIN FORMAT=JSON ${statement}`,
  edits: MYSQL_EDITS,
  // A client that does not read is left after a minute, unless it says otherwise: the rest of a
  // result stays with the server until it is asked for.
  atStart: 'SET SESSION net_write_timeout = 86400',
  use: (database) => `USE \`${database.replaceAll('`', '``')}\``,
}

const STATES = { I: 'none', T: 'open', E: 'failed' } as const

const POSTGRESQL: WorkbenchDatabase = {
  dialect: 'postgresql',
  syntax: { ...POSTGRESQL_SYNTAX, rowCommand: NO_COMMAND },
  names: NAMES,
  catalog: POSTGRESQL_CATALOG,
  open: (connect) => openPostgresql('', connect, PROGRAM) as Promise<Link>,
  // The server itself refuses what takes the place of a refused statement.
  target: (_wire, { tell }) => new SessionTarget({ refuse: () => {}, tell }),
  version: ({ answers }) => `PostgreSQL ${(answers as PostgresqlAnswers).state.parameters.get('server_version') ?? ''}`,
  transaction: ({ answers }) => STATES[(answers as PostgresqlAnswers).state.transaction] ?? 'none',
  plan: (statement) => `EXPLAIN (FORMAT JSON) ${statement}`,
  edits: POSTGRESQL_EDITS,
}

/** Replacement for an error of a batch that the person has no right to (error 229). */
const FORBIDDEN = { number: 229, level: 14, state: 1, line: 1, procedure: '' }

const SQLSERVER: WorkbenchDatabase = {
  dialect: 'sqlserver',
  syntax: { ...SQLSERVER_SYNTAX, rowCommand: NO_COMMAND },
  names: SQLSERVER_NAMES,
  catalog: SQLSERVER_CATALOG,
  open: (connect) => openSqlServer('', connect, PROGRAM) as unknown as Promise<Link>,
  target: (wire, { tell, language }) =>
    new SessionTarget({
      refuse: (_statement, why) => (wire as SqlServerWire).refuse({ ...FORBIDDEN, text: wordsOf(why, language) }),
      tell,
    }),
  version: ({ wire }) => (wire as unknown as SqlServerWire).version,
  transaction: ({ wire }) => ((wire as unknown as SqlServerWire).isInTransaction ? 'open' : 'none'),
}

const ORACLE: WorkbenchDatabase = {
  dialect: 'oracle',
  syntax: { ...ORACLE_SYNTAX, rowCommand: NO_COMMAND },
  names: ORACLE_NAMES,
  catalog: ORACLE_CATALOG,
  open: (connect) => openOracle('', connect, PROGRAM) as unknown as Promise<Link>,
  target: (wire, { tell, language }) =>
    new SessionTarget({
      refuse: (_statement, why) => (wire as OracleWire).refuse({ code: '', message: wordsOf(why, language) }),
      tell,
    }),
  version: ({ wire }) => `Oracle Database ${(wire as unknown as OracleWire).version}`,
  transaction: ({ wire }) => ((wire as unknown as OracleWire).isInTransaction ? 'open' : 'none'),
}

/** By the protocol of the system user. */
export const WORKBENCH_DATABASES: ReadonlyMap<string, WorkbenchDatabase> = new Map([
  ['mysql', MYSQL],
  ['mariadb', MYSQL],
  ['postgresql', POSTGRESQL],
  ['sqlserver', SQLSERVER],
  ['oracle', ORACLE],
])
