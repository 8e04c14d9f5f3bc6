import { expect, test } from 'vitest'
import { readBatch } from './read-batch.ts'

test.each([
  'select 1; drop table t',
  'select 1 drop/**/table t',
  'select 1\ndrop table t',
  "select 'a''b' drop table t",
  'select 1 as [drop table x] drop table t',
  'if exists (select 1) drop table t',
  'begin try drop table t end try begin catch end catch',
  "exec('drop table t')",
  "execute ('drop ' + 'table t')",
  "exec sp_executesql N'drop table t'",
  "exec('exec(''drop table t'')')",
])('a statement is found in a batch, wherever it begins: %s', (text) => {
  expect(readBatch(text)).toContainEqual(expect.stringMatching(/^drop table t/))
})

test.each([
  ['select a from t'],
  ['select \'drop table t\', [delete], "update"'],
  ['create table t (id int references u on delete cascade)', 'create table t'],
  ['grant select, insert, delete on t to ann', 'grant'],
  ['alter table t drop column c', 'alter'],
])('nothing is found where nothing else begins: %s', (text, own = '') => {
  const others = readBatch(text)?.filter((one) => !own || !one.startsWith(own))
  expect(others).toEqual([])
})

test('a batch with ever more statements is not taken for read, and takes no longer than others', () => {
  for (const piece of ['drop ', "exec('", 'exec(', 'sp_executesql ', 'delete from t ', "'", '[', '; '])
    expect(readBatch(piece.repeat(100_000))?.length ?? 0).toBeLessThanOrEqual(256)
  expect(readBatch('delete from t '.repeat(1000))).toBeUndefined()
})
