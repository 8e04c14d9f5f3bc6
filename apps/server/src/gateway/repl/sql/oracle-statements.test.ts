import { expect, test } from 'vitest'
import { doneWords } from '../oracle/done-words.ts'
import { ORACLE_SYNTAX } from '../oracle/oracle-dialect.ts'
import { Statements } from './statements.ts'

const split = (text: string) => new Statements(ORACLE_SYNTAX).split(text).map((one) => one.text)
const isOpen = (text: string) => !new Statements(ORACLE_SYNTAX).isComplete(text.split('\n'), 0)

test('SQL ends at its semicolon or a slash on a row of its own, PL/SQL at that slash alone', () => {
  expect(split("select ';' from t; select q'[it's; ]' from t;\nselect 3 from t\n/\n")).toEqual([
    "select ';' from t",
    "select q'[it's; ]' from t",
    'select 3 from t',
  ])
  const block = 'create or /* why; */ replace\n  editionable trigger t before insert on x\nbegin null; end;'
  expect(split(`${block}\n/\nselect 1 from t;`)).toEqual([block, 'select 1 from t'])
  for (const open of [
    'begin null; end;',
    '<<here>> declare x int;',
    'create type t as object (a int);',
    "select q'! ';",
  ])
    expect([open, isOpen(open)]).toEqual([open, true])
  for (const complete of [
    'create table t (a int);',
    'begin null; end;\n/',
    "select seq'!' from t;",
    'set echo off',
    'desc t',
  ])
    expect([complete, isOpen(complete)]).toEqual([complete, false])
  // Settings of the server, unlike those of a client.
  expect(isOpen('set role reader')).toBe(true)
})

test.each([
  ['/* x */ insert into t values (1)', 1, '1 row created.'],
  ['DELETE t', 0, '0 rows deleted.'],
  ['create global temporary table t (a int)', 0, 'Table created.'],
  ['create or replace\npackage body p as end;', 0, 'Package body created.'],
  ['alter user scott identified by x', 0, 'User altered.'],
  ['begin null; end;', undefined, 'PL/SQL procedure successfully completed.'],
  ['lock table t in share mode', 0, ''],
])('%s', (statement, rows, words) => {
  expect(doneWords(statement, rows)).toBe(words)
})
