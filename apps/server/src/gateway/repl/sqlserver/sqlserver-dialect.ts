import { plainText } from '../../prompt/plain-text.ts'
import type { SqlServerWire } from '../../protocols/sqlserver/sqlserver-wire.ts'
import { commandWords } from '../command-words.ts'
import type { CommandEffect, Dialect } from '../dialect.ts'
import { completeSql, type SqlNames } from '../sql/complete-sql.ts'
import type { SqlSyntax } from '../sql/scan.ts'
import { Statements } from '../sql/statements.ts'
import type { SqlServerAnswers } from './sqlserver-answers.ts'

/** Its SQL at the prompt: the text before `GO` is a batch, and goes out as one. */
export const SQLSERVER_SYNTAX: SqlSyntax = {
  hasEscapes: false,
  hasDollarQuotes: false,
  hasNestedComments: true,
  hasHashComments: false,
  hasBrackets: true,
  rowCommand: /^\s*:?(?:quit|exit|help|reset)\s*$/i,
  rowEnd: /^\s*go(?:\s+(\d{1,4}))?\s*(?:;\s*)?(?:--.*)?$/i,
}
const HELP = [
  'GO [N]         runs the batch that stands before it, N times',
  '\\G             at its end, instead of GO: one value a line',
  '\\l \\dt         databases, tables',
  '\\d NAME        columns and indexes of a table',
  '\\c NAME        go on in another database (as USE NAME)',
  '\\conninfo      who and where you are',
  '\\x [on|off|auto]  one value a line',
  '\\timing        how long batches take',
  'quit or Ctrl-D quit',
  'Ctrl-C         cancels the batch that runs · Ctrl-R searches the history · Tab completes names',
]
const SECOND = 1000

/** Commands that people know from `sqlcmd`. */
export function sqlServerDialect(): Dialect<SqlServerAnswers> {
  const statements = new Statements(SQLSERVER_SYNTAX)
  return {
    style: 'lines',
    layout: 'auto',
    greeting: ({ wire }) => [`${plainText((wire as unknown as SqlServerWire).version)}. GO runs a batch; help, quit`],
    prompts({ wire }) {
      const { place, isInTransaction } = wire as unknown as SqlServerWire
      const name = plainText(place.database)
      return { first: `${name}${isInTransaction ? '*' : ''}> `, more: `${name}-> ` }
    },
    isComplete: (rows, firstChanged) => statements.isComplete(rows, firstChanged),
    pieces: (text) => statements.split(text),
    command: sqlServerCommand,
    complete: (before, ask) => completeSql(before, ask, SQLSERVER_NAMES),
    summary({ rows }) {
      return rows === undefined ? [] : [`(${rows} ${rows === 1 ? 'row' : 'rows'} affected)`]
    },
    timing: (milliseconds) => [
      milliseconds < SECOND ? `Time: ${milliseconds.toFixed(3)} ms` : `Time: ${(milliseconds / SECOND).toFixed(3)} s`,
    ],
    isAskable: () => true,
  }
}

function sqlServerCommand(text: string): CommandEffect {
  const { word: first, rest } = commandWords(text)
  const word = first.replace(/^[:\\]/, '')
  switch (word.toLowerCase()) {
    case 'q':
    case 'quit':
    case 'exit':
      return { does: 'leave' }
    case 'help':
    case '?':
    case 'h':
      return { does: 'say', lines: HELP }
    case 'x':
      return { does: 'layout', layout: LAYOUTS.get(rest) }
    case 'timing':
      return { does: 'timing' }
    case 'l':
      return run('SELECT name, state_desc AS state, recovery_model_desc AS recovery FROM sys.databases ORDER BY name')
    case 'dt':
      return run(TABLES)
    case 'd':
      return rest ? run(...describe(rest)) : run(TABLES)
    case 'c':
    case 'connect':
      return rest ? run(`USE ${quotedName(unquoted(rest))}`) : run(WHERE)
    case 'conninfo':
      return run(WHERE)
    case 'reset':
      return { does: 'say', lines: [] }
    default:
      return { does: 'say', lines: [`Unknown command '${word}'. Try help.`] }
  }
}

const LAYOUTS: ReadonlyMap<string, 'expanded' | 'table' | 'auto'> = new Map([
  ['on', 'expanded'],
  ['off', 'table'],
  ['auto', 'auto'],
])
const TABLES =
  "SELECT s.name AS [schema], o.name, o.type_desc AS type FROM sys.objects o JOIN sys.schemas s ON s.schema_id = o.schema_id WHERE o.type IN (N'U', N'V') ORDER BY 1, 2"
const WHERE =
  'SELECT @@SERVERNAME AS server, DB_NAME() AS [database], ORIGINAL_LOGIN() AS login, USER_NAME() AS [user], @@SPID AS session'

const run = (...texts: string[]): CommandEffect => ({ does: 'run', statements: texts.map((text) => ({ text })) })

/** Columns and indexes of what is called so; the server reads the name. */
function describe(name: string): string[] {
  const id = `OBJECT_ID(${literal(name)})`
  return [
    `SELECT c.name, t.name AS type, c.max_length AS bytes, c.precision, c.scale, c.is_nullable AS nullable, c.is_identity AS [identity], d.definition AS [default] FROM sys.columns c JOIN sys.types t ON t.user_type_id = c.user_type_id LEFT JOIN sys.default_constraints d ON d.object_id = c.default_object_id WHERE c.object_id = ${id} ORDER BY c.column_id`,
    `SELECT i.name, i.type_desc AS type, i.is_unique AS [unique], i.is_primary_key AS [primary] FROM sys.indexes i WHERE i.object_id = ${id} AND i.name IS NOT NULL ORDER BY i.index_id`,
  ]
}

const unquoted = (name: string): string => name.replace(/^\[(.*)\]$/s, '$1').replaceAll(']]', ']')

/** A name as a statement has it; a bracket at its end would end it. */
export const quotedName = (name: string): string => `[${name.replaceAll(']', ']]')}]`

/** A text as a statement has it. */
export const literal = (text: string): string => `N'${text.replaceAll("'", "''")}'`

const like = (prefix: string): string => `LIKE ${literal(`${prefix.replaceAll(/[%_|[]/g, '|$&')}%`)} ESCAPE N'|'`
const schemaOf = (schema: string | undefined): string => (schema ? literal(schema) : 'SCHEMA_NAME()')

/** How names are found that begin so. */
export const SQLSERVER_NAMES: SqlNames = {
  relations: (prefix, schema) =>
    `SELECT TOP (1000) table_name FROM information_schema.tables WHERE table_schema = ${schemaOf(schema)} AND table_name ${like(prefix)} ORDER BY 1`,
  schemas: (prefix) => `SELECT TOP (1000) name FROM sys.databases WHERE name ${like(prefix)} ORDER BY 1`,
  columns: (prefix, tables) =>
    `SELECT DISTINCT TOP (1000) column_name FROM information_schema.columns WHERE (${tables
      .map(({ schema, name }) => `table_schema = ${schemaOf(schema)} AND table_name = ${literal(name)}`)
      .join(' OR ')}) AND column_name ${like(prefix)} ORDER BY 1`,
}
