import { expect, test } from 'vitest'
import { processorMs } from '../../../../test/processor-ms.ts'
import { readStatement, withoutComments } from './without-comments.ts'

test.for([
  ['drop/**/table item', 'drop table item'],
  ['drop /* a /* b */ c */ table item', 'drop table item'],
  ['drop -- table\n table item', 'drop table item'],
  ['drop\n\ttable   item', 'drop table item'],
  [`select '/* no comment */' /* one */`, `select '/* no comment */'`],
  [`select 'it''s -- in' -- out`, `select 'it''s -- in'`],
  [`select E'\\' -- in' /**/`, `select E'\\' -- in'`],
  [`select '\\' /**/ || ''`, `select '\\' || ''`],
  ['select "/*a*/" /**/', 'select "/*a*/"'],
  ['do $x$ -- in $$ */ $x$ -- out', 'do $x$ -- in $$ */ $x$'],
  ['select $1-2/3', undefined],
  // The end of a name is no beginning of a text.
  [`select name'a\\'/**/, 1`, `select name'a\\' , 1`],
  ['select 1 as a$b$/**/, 2 as c$b$', 'select 1 as a$b$ , 2 as c$b$'],
  [`select \u00e9e'\\'/**/, 1`, `select \u00e9e'\\' , 1`],
  ['select a$$/**/, b$$', 'select a$$ , b$$'],
  ['select 1 /* open', 'select 1'],
] as const)('%s is read as %s', ([text, read]) => {
  expect(withoutComments(text)).toBe(read)
})

test('takes time that grows with the text alone', () => {
  const readAll = () => {
    for (const piece of ['/*', '--', "'", '$a', '$$', 'e', '"', '*/', ' ', 'a$', "ae'", "e'", "'\n", "--'\n"])
      withoutComments(piece.repeat(50_000))
  }
  expect(processorMs(readAll)).toBeLessThan(5_000)
})

test.each([
  ['select 1; drop table t', ['select 1', 'drop table t']],
  ["select ';'", []],
  ['select $$;$$; drop table t', ['select $$;$$', 'drop table t']],
  ["select E'\\';'; drop table t", ["select E'\\';'", 'drop table t']],
  ['select 1/* ; */; ;drop/**/table t', ['select 1 ; ;drop table t', 'select 1', 'drop table t']],
  ['select 1;', ['select 1']],
  ["select name'a\\'; drop table t; --'", ["select name'a\\'; drop table t;", "select name'a\\'", 'drop table t']],
  ['select 1 as a$b$; drop table t; select c$b$', ['select 1 as a$b$', 'drop table t', 'select c$b$']],
  // To PostgreSQL the blank that does not break a line is a letter.
  ["select a\u00a0e'\\'; drop table t", ["select a\u00a0e'\\'", 'drop table t']],
  // A backslash keeps a quote where a setting says so, though never in a text of bits.
  ["select '\\''; drop/**/table t; --'", ["select '\\''; drop table t;", "select '\\''", 'drop table t']],
  ["select b'\\'; drop/**/table t; --'", ["select b'\\'; drop table t;", "select b'\\'", 'drop table t']],
  // Behind a line end a text goes on as what it was.
  [
    "select E'a' -- b\n '\\'', '\\' ; drop/**/table t --'",
    ["select E'a' -- b\n '\\'', '\\' ; drop table t", "select E'a' -- b\n '\\'', '\\'", 'drop table t'],
  ],
  ["select 'C:\\'; drop table t", ["select 'C:\\'", 'drop table t']],
])('of several statements each is read alone: %j', (text, read) => {
  expect(readStatement(text)).toEqual(read)
})
