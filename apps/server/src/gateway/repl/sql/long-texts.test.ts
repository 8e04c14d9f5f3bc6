/** Texts that are long, and hard to read for an expression that looks for an end: of each place, or by each blank. */
import { expect, test } from 'vitest'
import { WORKBENCH_DATABASES } from '../../workbench/databases.ts'
import { commandWords } from '../command-words.ts'
import { EditBuffer } from '../editor/edit-buffer.ts'
import { MYSQL_SYNTAX } from '../mysql/mysql-dialect.ts'
import { ORACLE_SYNTAX } from '../oracle/oracle-dialect.ts'
import { POSTGRESQL_SYNTAX } from '../postgresql/postgresql-dialect.ts'
import { SQLSERVER_SYNTAX } from '../sqlserver/sqlserver-dialect.ts'
import { completeSql } from './complete-sql.ts'
import { Statements } from './statements.ts'

const LONG = 100_000
const BLANKS = ' '.repeat(LONG)

test.for(['mysql', 'postgresql', 'sqlserver', 'oracle'])(
  'a script of %s that is all ends is read in one go',
  async (type) => {
    const syntax = WORKBENCH_DATABASES.get(type)?.syntax ?? MYSQL_SYNTAX
    expect(await new Statements(syntax).script(`${';'.repeat(LONG)}select 1`)).toHaveLength(1)
  },
)

test.for([
  ['MySQL', MYSQL_SYNTAX, 'use x'],
  ['PostgreSQL', POSTGRESQL_SYNTAX, 'quit'],
  ['SQL Server', SQLSERVER_SYNTAX, 'go 5'],
  ['Oracle', ORACLE_SYNTAX, 'show user'],
] as const)(
  'what only begins as a command of the prompt of %s is none, however many blanks it has',
  ([, syntax, text]) => {
    expect(new Statements(syntax).isComplete([`${text}${BLANKS}x y`], 0)).toBe(false)
    expect(new Statements(syntax).isComplete([`${text}${BLANKS}`], 0)).toBe(true)
  },
)

test('a command is parsed, and a word deleted, whatever is before it', async () => {
  expect(commandWords(`  \\d${BLANKS}a b ; ;\n`)).toEqual({ word: '\\d', rest: 'a b' })
  expect(commandWords(`${BLANKS};${BLANKS}x`)).toEqual({ word: ';', rest: 'x' })
  const buffer = new EditBuffer()
  buffer.insert(`${BLANKS}x${BLANKS}`)
  buffer.killWord()
  expect(buffer.text).toBe(BLANKS)
  expect(
    await completeSql(`${'a'.repeat(LONG)} `, async () => [], { relations: String, schemas: String, columns: String }),
  ).toBeUndefined()
})
