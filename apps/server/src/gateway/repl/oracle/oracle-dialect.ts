import { plainText } from '../../prompt/plain-text.ts'
import type { OracleWire } from '../../protocols/oracle/oracle-wire.ts'
import { commandWords } from '../command-words.ts'
import type { CommandEffect, Dialect } from '../dialect.ts'
import { completeSql, type SqlNames } from '../sql/complete-sql.ts'
import type { SqlSyntax } from '../sql/scan.ts'
import { Statements } from '../sql/statements.ts'
import type { OracleAnswers } from './oracle-answers.ts'

/** How its SQL is taken apart at the prompt: what is PL/SQL ends at a slash on a row of its own. */
export const ORACLE_SYNTAX: SqlSyntax = {
  hasEscapes: false,
  hasDollarQuotes: false,
  hasNestedComments: false,
  hasHashComments: false,
  hasMarkedQuotes: true,
  // `SET ROLE`, `SET TRANSACTION` and `SET CONSTRAINTS` are the server's.
  rowCommand:
    /^\s*(?:quit|exit|help|\?|desc(?:ribe)?\s+\S+|show\s+(?:user|con_name|release)|exec(?:ute)?\s+.+|set\s+(?!role\b|transaction\b|constraints?\b).*)\s*$/i,
  rowEnd: /^\s*\/\s*$/,
  block:
    /^(?:<<[^>]*>>\s*)?(?:begin|declare)\b|^create\s+(?:or\s+replace\s+)?(?:(?:non)?editionable\s+)?(?:procedure|function|trigger|package|type|library|(?:and\s+(?:compile|resolve)\s+(?:noforce\s+)?)?java)\b|^with\s+(?:function|procedure)\b/i,
}
const HELP = [
  ';              runs the statement that stands before it; / on a row of its own runs it too',
  '/              ends PL/SQL (BEGIN, DECLARE, CREATE PROCEDURE …), on a row of its own',
  '\\G             instead of ; for one statement: one value a line',
  'COMMIT         keeps what was changed; whatever is open when you leave is rolled back',
  'desc NAME      columns of a table (as \\d NAME)',
  'exec CALL      BEGIN CALL; END;',
  '\\dn \\dt        schemas, tables and views',
  '\\c NAME        go on in another schema (as ALTER SESSION SET CURRENT_SCHEMA)',
  '\\conninfo      who and where you are (as show user)',
  '\\x [on|off|auto]  one value a line',
  '\\timing        how long statements take',
  'quit or Ctrl-D quit',
  'Ctrl-C         cancels the statement that runs · Ctrl-R searches the history · Tab completes names',
]
const NO_SETTING = 'Settings of SQL*Plus are not known here. Try help.'
const SECOND = 1000

/** Commands that people know from SQL*Plus. */
export function oracleDialect(): Dialect<OracleAnswers> {
  const statements = new Statements(ORACLE_SYNTAX)
  return {
    style: 'lines',
    layout: 'auto',
    greeting: ({ wire }) => [
      `Oracle Database ${plainText((wire as unknown as OracleWire).version)}. Nothing is committed unless you say COMMIT. help, quit`,
    ],
    prompts({ wire }) {
      const { place, isInTransaction } = wire as unknown as OracleWire
      const name = plainText(place.database)
      return { first: `${name}${isInTransaction ? '*' : ''}> `, more: `${name}-> ` }
    },
    isComplete: (rows, firstChanged) => statements.isComplete(rows, firstChanged),
    pieces: (text) => statements.split(text),
    command: oracleCommand,
    complete: (before, ask) => completeSql(before, ask, ORACLE_NAMES),
    summary({ words, rows = 0, hasTable }) {
      if (!hasTable) return words ? [words] : []
      return [rows ? `${rows} ${rows === 1 ? 'row' : 'rows'} selected.` : 'no rows selected']
    },
    timing: (milliseconds) => [
      milliseconds < SECOND ? `Time: ${milliseconds.toFixed(3)} ms` : `Time: ${(milliseconds / SECOND).toFixed(3)} s`,
    ],
    isAskable: () => true,
  }
}

function oracleCommand(text: string): CommandEffect {
  const { word: first, rest } = commandWords(text)
  const word = first.replace(/^\\/, '')
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
    case 'set':
      return { does: 'say', lines: [NO_SETTING] }
    case 'exec':
    case 'execute':
      return run(`BEGIN ${rest}; END;`)
    case 'l':
    case 'dn':
      return run('SELECT username AS schema, created FROM all_users ORDER BY username')
    case 'dt':
      return run(TABLES)
    case 'd':
    case 'desc':
    case 'describe':
      return run(rest ? describe(rest) : TABLES)
    case 'c':
      return rest ? run(`ALTER SESSION SET CURRENT_SCHEMA = ${quotedName(stored(rest))}`) : run(WHERE)
    case 'conninfo':
    case 'show':
      return run(WHERE)
    default:
      return { does: 'say', lines: [`Unknown command '${word}'. Try help.`] }
  }
}

const LAYOUTS: ReadonlyMap<string, 'expanded' | 'table' | 'auto'> = new Map([
  ['on', 'expanded'],
  ['off', 'table'],
  ['auto', 'auto'],
])
const SCHEMA = "SYS_CONTEXT('USERENV', 'CURRENT_SCHEMA')"
const TABLES = `SELECT object_name AS name, object_type AS type FROM all_objects WHERE owner = ${SCHEMA} AND object_type IN ('TABLE', 'VIEW', 'MATERIALIZED VIEW') ORDER BY 1`
const WHERE = `SELECT SYS_CONTEXT('USERENV', 'SESSION_USER') AS "user", ${SCHEMA} AS schema, SYS_CONTEXT('USERENV', 'SERVICE_NAME') AS service, SYS_CONTEXT('USERENV', 'CON_NAME') AS container, SYS_CONTEXT('USERENV', 'SID') AS "session" FROM dual`

const run = (text: string): CommandEffect => ({ does: 'run', statements: [{ text }] })

/** Columns of what is called so, in the schema that is named, or the one that people are in. */
function describe(name: string): string {
  const parts = name.match(/"[^"]*"|[^."]+/g) ?? []
  const table = literal(stored(parts.at(-1) ?? ''))
  const owner = parts.length > 1 ? literal(stored(parts[0] as string)) : SCHEMA
  return `SELECT column_name AS name, ${typeOf('c')} AS type, nullable FROM all_tab_columns c WHERE owner = ${owner} AND table_name = ${table} ORDER BY column_id`
}

/** The type of a column as it is written in a statement. `of`: the row of `ALL_TAB_COLUMNS`. */
export const typeOf = (of: string): string =>
  `${of}.data_type || CASE WHEN ${of}.data_type LIKE '%CHAR%' OR ${of}.data_type = 'RAW' THEN '(' || CASE ${of}.char_used WHEN 'C' THEN ${of}.char_length ELSE ${of}.data_length END || ')' WHEN ${of}.data_precision IS NOT NULL THEN '(' || ${of}.data_precision || CASE WHEN ${of}.data_scale > 0 THEN ',' || ${of}.data_scale END || ')' END`

/** As the server keeps a name that is written so: in capitals, unless it is quoted. */
const stored = (name: string): string => (/^".*"$/s.test(name) ? name.slice(1, -1) : name.toUpperCase())

/** A name as a statement has it; no name has a quote in it. */
const quotedName = (name: string): string => `"${name.replaceAll('"', '')}"`

/** A text as a statement has it. */
export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`

const like = (prefix: string): string =>
  `LIKE ${literal(`${prefix.toUpperCase().replaceAll(/[%_|]/g, '|$&')}%`)} ESCAPE '|'`
const schemaOf = (schema: string | undefined): string => (schema ? literal(schema.toUpperCase()) : SCHEMA)

/** How names are found that begin so; each is written without quotes, so that capitals do not matter. */
export const ORACLE_NAMES: SqlNames = {
  relations: (prefix, schema) =>
    `SELECT DISTINCT LOWER(object_name) FROM all_objects WHERE owner = ${schemaOf(schema)} AND object_type IN ('TABLE', 'VIEW', 'MATERIALIZED VIEW', 'SYNONYM') AND object_name ${like(prefix)} AND ROWNUM <= 1000 ORDER BY 1`,
  schemas: (prefix) =>
    `SELECT LOWER(username) FROM all_users WHERE username ${like(prefix)} AND ROWNUM <= 1000 ORDER BY 1`,
  columns: (prefix, tables) =>
    `SELECT DISTINCT LOWER(column_name) FROM all_tab_columns WHERE (${tables
      .map(({ schema, name }) => `owner = ${schemaOf(schema)} AND table_name = ${literal(name.toUpperCase())}`)
      .join(' OR ')}) AND column_name ${like(prefix)} AND ROWNUM <= 1000 ORDER BY 1`,
}
