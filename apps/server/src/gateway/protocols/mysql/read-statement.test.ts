import { expect, test } from 'vitest'
import { mayAskFor } from './local-file.ts'
import { readStatement, readVersion } from './read-statement.ts'

const MARIADB = readVersion('5.5.5-10.11.19-MariaDB-0+deb12u1')
const MYSQL = readVersion('8.0.36')

test('versions are read as servers say them', () => {
  expect(MARIADB).toEqual({ isMariaDb: true, number: 101_119 })
  expect(MYSQL).toEqual({ isMariaDb: false, number: 80_036 })
})

test.for([
  ['drop/* x */table t', ['drop table t']],
  ['drop # x\ntable t', ['drop table t']],
  ['drop -- x\ntable t', ['drop table t']],
  ['select 5--1', []],
  ['drop table t;', ['drop table t']],
  ["select 1 --\x01'\n, sleep(1)", ['select 1 , sleep(1)']],
  ['drop --\x7f\ntable t', ['drop table t']],
  // A letter to a client that writes in UTF-8, a blank to one that writes in Latin 1.
  ['select 1--\u00a0, sleep(1)', ['select 1']],
  ['select 1; drop/**/table t', ['select 1; drop table t', 'select 1', 'drop table t']],
  ["select '\\\\;', `;`; drop table t", ["select '\\\\;', `;`", 'drop table t']],
  ["select '# no /* comment */'", []],
  ["select 'it''s \\' -- ' /* x */", ["select 'it''s \\' -- '", "select 'it''s \\'"]],
  ['select `a#b`', []],
  ['/*! drop */ table t', ['drop table t']],
  ['/*!50003 drop table t */', ['drop table t']],
  ['/*M!100100 drop table t */', ['drop table t']],
  ['drop /*!99999 never */ table t', ['drop table t', 'drop never table t']],
  ['drop /*!99999 a /* b */ c */ table t', ['drop table t', 'drop a c table t']],
  ['/*! drop /* x */ table t */', ['drop table t']],
  ['drop /* without an end', ['drop']],
] as const)('MariaDB reads %j as %j', ([statement, read]) => {
  expect(readStatement(statement, MARIADB)).toEqual(read)
})

test.for([
  ["select '\\' , x from/**/t -- '", ["select '\\' , x from t"]],
  [
    'select 1 as "a\\"; drop/**/table t; -- "',
    ['select 1 as "a\\"; drop table t;', 'select 1 as "a\\"', 'drop table t'],
  ],
  ["select '\\';', `;`; drop table t", ["select '\\';', `;`", "select '\\'", 'drop table t', "', `;`; drop table t"]],
  ["select 'it''s \\\\'", []],
] as const)('what a backslash does in %j depends on the mode of the connection: %j', ([statement, read]) => {
  expect(readStatement(statement, MYSQL)).toEqual(read)
})

test('each of several statements may have changed the mode for those behind it, in whatever words', () => {
  const change = "execute immediate concat('set sql_', 'mode = 0')"
  const hidden = `select '\\'' ; ${change}; select '\\' ; drop/**/table t -- '`
  expect(readStatement(hidden, MARIADB)).toContain('drop table t')
  const back = `select '\\' ; ${change}; select '\\'' ; drop/**/table t -- '`
  expect(readStatement(back, MARIADB)).toContain('drop table t')
})

test('a text that may be read in ever more ways is not taken for read', () => {
  expect(readStatement("'\\';".repeat(20_000), MARIADB)).toBeUndefined()
  expect(readStatement("insert into t values ('it\\'s');".repeat(200), MARIADB)).toBeDefined()
})

test('MySQL runs what is marked for its version, and nothing that is for MariaDB', () => {
  expect(readStatement('drop /*!50700 table */ t', MYSQL)).toEqual(['drop table t'])
  expect(readStatement('drop /*!50700 table */ t', MARIADB)).toEqual(['drop t', 'drop table t'])
  expect(readStatement('drop /*M! table */ t', MYSQL)).toEqual(['drop t', 'drop table t'])
})

test('takes time that grows with the text alone', () => {
  for (const piece of ['/*', '/*!', '*/', "'", '`', '--', '#', '/*!50003 a */ '])
    expect(readStatement(piece.repeat(50_000), MARIADB)?.length).toBeLessThanOrEqual(2)
})

test('the end of a text in which ever more is run by others is not looked for', () => {
  for (const piece of ['if 1 then ', '(delete from t ', 'execute immediate ', "execute immediate 'drop table t' "])
    expect(readStatement(`begin not atomic ${piece.repeat(50_000)}`, MARIADB)).toBeUndefined()
  expect(
    readStatement(`begin not atomic ${'drop table t; if 1 then delete from t; end if;'.repeat(50)}`, MARIADB),
  ).toBeDefined()
})

test.for([
  ['/tmp/a', "load data local infile '/tmp/a' into table t", true],
  ['C:\\a', "LOAD DATA LOW_PRIORITY LOCAL INFILE 'C:\\\\a' INTO TABLE t", true],
  ['/tmp/b', "load data local infile '/tmp/a' into table t", false],
  ['/tmp/a', "load data infile '/tmp/a' into table t", false],
  ['', "load data local infile '' into table t", false],
] as const)('a server may ask for %j after %j: %s', ([file, statement, isAllowed]) => {
  expect(mayAskFor(file, statement)).toBe(isAllowed)
})
