import { expect, test } from 'vitest'
import type { SqlSyntax } from './scan.ts'
import { Statements } from './statements.ts'

const POSTGRESQL: SqlSyntax = {
  hasEscapes: false,
  hasDollarQuotes: true,
  hasNestedComments: true,
  hasHashComments: false,
  rowCommand: /^\s*quit\s*$/,
}
const MYSQL: SqlSyntax = {
  hasEscapes: true,
  hasDollarQuotes: false,
  hasNestedComments: false,
  hasHashComments: true,
  rowCommand: /^\s*use\s+\S+\s*$/,
}
const split = (syntax: SqlSyntax, text: string) => new Statements(syntax).split(text).map((one) => one.text)
const isOpen = (syntax: SqlSyntax, text: string) => !new Statements(syntax).isComplete(text.split('\n'), 0)

test('a statement ends at its semicolon, and not at one in quotes, comments, parentheses or a body', () => {
  expect(
    split(POSTGRESQL, `select ';', "a;b", $x$ ; $$ ; $x$, E'\\';' ; -- no; more\nselect 2 /* ; /* ; */ ; */;`),
  ).toEqual([`select ';', "a;b", $x$ ; $$ ; $x$, E'\\';'`, '-- no; more\nselect 2 /* ; /* ; */ ; */'])
  expect(split(MYSQL, "select 'it\\'s;', `a;b` # no; more\n;select 5--3;")).toEqual([
    "select 'it\\'s;', `a;b` # no; more",
    'select 5--3',
  ])
  expect(split(POSTGRESQL, 'create rule r as on insert to t do (delete from a; delete from b);')).toHaveLength(1)
})

test('comments of MySQL are none within each other, and one that MySQL runs is a statement', async () => {
  expect(split(MYSQL, 'select 1 /* a /* b */; select 2;')).toEqual(['select 1 /* a /* b */', 'select 2'])
  expect(split(POSTGRESQL, 'select 1 /* a /* b */; select 2;')).toEqual([])
  for (const text of ['/*!50000 drop table t */', '/*! drop table t */', '/*M! drop table t */']) {
    expect([text, isOpen(MYSQL, text)]).toEqual([text, true])
    expect((await new Statements(MYSQL).script(text)).map((one) => one.text)).toEqual([text])
    expect(split(MYSQL, `${text};`)).toEqual([text])
  }
  for (const text of ['/* drop table t */', '/*M drop table t */']) {
    expect([text, isOpen(MYSQL, text)]).toEqual([text, false])
    expect(await new Statements(MYSQL).script(text)).toEqual([])
  }
})

test('an open text asks for another row, whatever was typed before it', () => {
  for (const text of ["select 'a", 'select 1', '/* x', 'select $$ ;', 'select (1;', "select 1; select '"])
    expect([text, isOpen(POSTGRESQL, text)]).toEqual([text, true])
  for (const text of ['', '-- only this', 'select 1;', '\\d table', 'quit', "select '\\';"])
    expect([text, isOpen(POSTGRESQL, text)]).toEqual([text, false])
  expect(isOpen(MYSQL, "select '\\';")).toBe(true)
})

test('rows that did not change are not read again, and those that did are', () => {
  const statements = new Statements(POSTGRESQL)
  expect(statements.isComplete(["select 'a"], 0)).toBe(false)
  expect(statements.isComplete(["select 'a", "b';"], 1)).toBe(true)
  expect(statements.isComplete(['select a', "b';"], 0)).toBe(false)
})

test('\\G and \\gx end a statement, a backslash where one could begin is a command, and so is a row of its own', () => {
  expect(new Statements(POSTGRESQL).split('select 1\\gx\n\\dt sh*\nselect 2\\G')).toEqual([
    { text: 'select 1', ending: 'expanded' },
    { text: '\\dt sh*', ending: 'command' },
    { text: 'select 2', ending: 'expanded' },
  ])
  expect(new Statements(MYSQL).split('use shop\nselect 1;')).toEqual([
    { text: 'use shop', ending: 'command' },
    { text: 'select 1', ending: 'plain' },
  ])
})

test('a statement of many rows is found as they come, one by one', () => {
  const statements = new Statements(POSTGRESQL)
  const rows = ['insert into t values']
  for (let at = 0; at < 20_000; at++) {
    rows.push(`(${at}, 'a;b'),`)
    expect(statements.isComplete(rows, rows.length - 1)).toBe(false)
  }
  rows.push('(0, null);')
  expect(statements.isComplete(rows, rows.length - 1)).toBe(true)
})

test('the statements of a whole text are where they are written; the last needs no end, and comments are none', async () => {
  const text = "select 1;\n\n  -- of two\n  select ';'\n; select 'open\n;"
  const found = await new Statements(POSTGRESQL).script(text)
  expect(found.map((one) => one.text)).toEqual(['select 1', "-- of two\n  select ';'", "select 'open\n;"])
  expect(found.map(({ from, to }) => text.slice(from, to))).toEqual([
    'select 1;',
    "-- of two\n  select ';'\n;",
    "select 'open\n;",
  ])
  expect(await new Statements(POSTGRESQL).script('select 1; -- no more')).toHaveLength(1)
  expect(
    await new Statements({ ...MYSQL, rowCommand: /^delimiter\s+\S+$/ }).script(
      'delimiter //\na; b //\ndelimiter ;\nc; d',
    ),
  ).toMatchObject([{ text: 'a; b' }, { text: 'c' }, { text: 'd' }])
})

const SQLSERVER: SqlSyntax = {
  hasEscapes: false,
  hasDollarQuotes: false,
  hasNestedComments: true,
  hasHashComments: false,
  hasBrackets: true,
  rowCommand: /^\s*quit\s*$/,
  rowEnd: /^\s*go(?:\s+(\d+))?\s*$/i,
}

test('where a row ends statements, all text before it is one, as often as it says; quotes and comments hide it', () => {
  expect(new Statements(SQLSERVER).split('select 1;\nselect 2\ngo\n\nGO\nselect 3\n go 9999\nselect 4\ngo 0')).toEqual([
    { text: 'select 1;\nselect 2', ending: 'plain' },
    { text: 'select 3', ending: 'plain', times: 9999 },
  ])
  expect(split(SQLSERVER, "select '\ngo\n'\n/*\ngo\n*/ , [a'b]]\ngo\n]\ngo")).toEqual([
    "select '\ngo\n'\n/*\ngo\n*/ , [a'b]]\ngo\n]",
  ])
  expect(new Statements(SQLSERVER).split('select 1\\G\nquit')).toEqual([
    { text: 'select 1', ending: 'expanded' },
    { text: 'quit', ending: 'command' },
  ])
  expect(isOpen(SQLSERVER, 'select 1;')).toBe(true)
  expect(isOpen(SQLSERVER, 'select 1;\ngo')).toBe(false)
})

test('other work has its turn while a long script is read', async () => {
  let turns = 0
  const watching = setInterval(() => turns++, 0)
  const found = await new Statements(POSTGRESQL).script('select 1;\n'.repeat(80_000))
  clearInterval(watching)
  expect(found).toHaveLength(80_000)
  expect(turns).toBeGreaterThan(1)
})
