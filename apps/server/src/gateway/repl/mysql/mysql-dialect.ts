import { plainText } from '../../prompt/plain-text.ts'
import type { MysqlWire } from '../../protocols/mysql/mysql-wire.ts'
import { commandWords } from '../command-words.ts'
import type { CommandEffect, Dialect } from '../dialect.ts'
import { completeSql, type SqlNames } from '../sql/complete-sql.ts'
import { Statements } from '../sql/statements.ts'

/** How its SQL is taken apart at the prompt. */
export const MYSQL_SYNTAX = {
  hasEscapes: true,
  hasDollarQuotes: false,
  hasNestedComments: false,
  hasHashComments: true,
  rowCommand: /^\s*(?:use\s+\S+?|delimiter\s+\S+|quit|exit|help|\?|status|clear)\s*(?:;\s*)?$/i,
}
const MORE = '    -> '
const HELP = [
  'use NAME       go on in another database',
  'status         who and where you are',
  'delimiter //   what ends a statement, for procedures',
  '\\l \\dt         databases, tables (as show databases, show tables)',
  '\\d NAME        columns of a table, and how it was made',
  '\\x [on|off|auto]  one value a line',
  '\\timing        how long statements take',
  '\\G             instead of ; for one statement: one value a line',
  'quit or Ctrl-D quit',
  'Ctrl-C         cancels the statement that runs · Ctrl-R searches the history · Tab completes names',
]
const SECOND = 1000

/** Commands that people know from `mysql` and `mariadb`. */
export function mysqlDialect(): Dialect {
  const statements = new Statements(MYSQL_SYNTAX)
  return {
    style: 'boxes',
    layout: 'auto',
    greeting: ({ wire }) => [`${plainText((wire as MysqlWire).version)}. help, quit`],
    prompts({ wire }) {
      const { version, place } = wire as MysqlWire
      const server = /mariadb/i.test(version) ? 'MariaDB' : 'MySQL'
      return { first: `${server} [${plainText(place.database) || '(none)'}]> `, more: MORE }
    },
    isComplete: (rows, firstChanged) => statements.isComplete(rows, firstChanged),
    pieces: (text) => statements.split(text),
    command: (text) => mysqlCommand(text, statements),
    complete: (before, ask) => completeSql(before, ask, MYSQL_NAMES),
    summary({ words, rows = 0, hasTable, milliseconds }) {
      const time = `(${(milliseconds / SECOND).toFixed(3)} sec)`
      const amount = `${rows} ${rows === 1 ? 'row' : 'rows'}`
      if (hasTable) return [rows ? `${amount} in set ${time}` : `Empty set ${time}`]
      return [`Query OK, ${amount} affected ${time}`, ...(words ? [words] : [])]
    },
    timing: () => [],
    isAskable: () => true,
  }
}

function mysqlCommand(text: string, statements: Statements): CommandEffect {
  const { word, rest: argument } = commandWords(text)
  const name = word.toLowerCase()
  const run = (...texts: string[]): CommandEffect => ({ does: 'run', statements: texts.map((one) => ({ text: one })) })
  switch (name) {
    case 'quit':
    case 'exit':
    case '\\q':
      return { does: 'leave' }
    case 'use':
    case '\\u':
    case '\\c':
      return argument ? run(`USE ${argument}`) : { does: 'say', lines: [] }
    case 'status':
    case '\\s':
    case '\\conninfo':
      return run(
        'SELECT version() AS version, current_user() AS user, database() AS `database`, connection_id() AS connection',
      )
    case 'delimiter':
      statements.delimiter = argument
      return { does: 'say', lines: [] }
    case 'clear':
      return { does: 'say', lines: [] }
    case '\\l':
      return run('SHOW DATABASES')
    case '\\dt':
      return run('SHOW FULL TABLES')
    case '\\d':
      return argument
        ? run(`SHOW FULL COLUMNS FROM ${argument}`, `SHOW CREATE TABLE ${argument}`)
        : run('SHOW FULL TABLES')
    case '\\x':
      return { does: 'layout', layout: LAYOUTS.get(argument) }
    case '\\timing':
      return { does: 'timing' }
    case 'help':
    case '?':
    case '\\?':
    case '\\h':
      return { does: 'say', lines: HELP }
    default:
      return { does: 'say', lines: [`Unknown command '${name}'. Try help.`] }
  }
}

const LAYOUTS: ReadonlyMap<string, 'expanded' | 'table' | 'auto'> = new Map([
  ['on', 'expanded'],
  ['off', 'table'],
  ['auto', 'auto'],
])

/** In a form that no `sql_mode` changes: in quotes a backslash escapes, or does not. */
export const literal = (text: string): string =>
  text ? `CONVERT(0x${Buffer.from(text).toString('hex')} USING utf8mb4)` : "''"
const like = (prefix: string): string => `LIKE ${literal(`${prefix.replaceAll(/[%_|]/g, '|$&')}%`)} ESCAPE '|'`
const schemaOf = (schema: string | undefined): string => (schema ? literal(schema) : 'DATABASE()')

/** How names are found that begin so. */
export const MYSQL_NAMES: SqlNames = {
  relations: (prefix, schema) =>
    `SELECT table_name FROM information_schema.tables WHERE table_schema = ${schemaOf(schema)} AND table_name ${like(prefix)} ORDER BY 1 LIMIT 1000`,
  schemas: (prefix) =>
    `SELECT schema_name FROM information_schema.schemata WHERE schema_name ${like(prefix)} ORDER BY 1 LIMIT 1000`,
  columns: (prefix, tables) =>
    `SELECT DISTINCT column_name FROM information_schema.columns WHERE (${tables
      .map(({ schema, name }) => `table_schema = ${schemaOf(schema)} AND table_name = ${literal(name)}`)
      .join(' OR ')}) AND column_name ${like(prefix)} ORDER BY 1 LIMIT 1000`,
}
