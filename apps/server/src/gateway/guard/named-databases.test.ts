import { expect, test } from 'vitest'
import { PermittedDatabases } from '../session/permitted-databases.ts'
import { hasDatabases, withinDatabases } from './database-guard.ts'
import { namedDatabases } from './named-databases.ts'

test.each([
  ['USE ledger', 'ledger'],
  ['use`led``ger`', 'led`ger'],
  ['/* x */ USE ledger;', 'ledger'],
  ['select 1; use ledger', 'ledger'],
  ['select * from ledger.entries ledger where ledger.id = 1', 'ledger'],
  ['select o.id from orders o, ledger . `entries` e where o.id = e.id', 'ledger'],
  ['select o.id from orders o join (items i, ledger.entries e) on o.id = i.id', 'ledger'],
  ['select 1 from orders a join items b on a.id = b.id, ledger.entries', 'ledger'],
  ['select 1 from a partition (p0), ledger.entries', 'ledger'],
  ['select 1 from a value, ledger.entries', 'ledger'],
  ['select (select max(id) from ledger.entries)', 'ledger'],
  ['select ledger.entries.id from entries', 'ledger'],
  ['select ledger.secret(1)', 'ledger'],
  ['insert ledger.entries values (1)', 'ledger'],
  ['replace into ledger.entries select * from orders', 'ledger'],
  ['insert into orders select * from ledger.entries on duplicate key update id = 1', 'ledger'],
  ['update low_priority ledger.entries set id = 1', 'ledger'],
  ['delete from orders using orders join ledger.entries', 'ledger'],
  ['delete a from orders a, ledger.entries', 'ledger'],
  ['create table copy like ledger.entries', 'ledger'],
  ['create table copy (id int references ledger.entries (id))', 'ledger'],
  ['create view v as select 1 from ledger.entries', 'ledger'],
  ['create index i on ledger.entries (id)', 'ledger'],
  ['rename table orders to ledger.orders', 'ledger'],
  ['grant select on ledger.* to ann', 'ledger'],
  ['call ledger.pay(1)', 'ledger'],
  ['describe ledger.entries', 'ledger'],
  ['lock tables orders read, ledger.entries write', 'ledger'],
  ['load data local infile "x" into table ledger.entries', 'ledger'],
  ['show tables from ledger', 'ledger'],
  ['show columns from entries in `ledger`', 'ledger'],
  ['show create table ledger.entries', 'ledger'],
  ['drop database if exists ledger', 'ledger'],
  ['with x as (select 1 from ledger.entries) select * from x', 'ledger'],
  ['select 1 from "ledger"."entries"', 'ledger'],
  ['select entries.*,1e1from ledger.entries', 'ledger'],
  ['select 1e+1from ledger.entries', 'ledger'],
  ['select .1from ledger.entries', 'ledger'],
  ['select 1,.5e1from ledger.entries', 'ledger'],
  ['select \\Nfrom ledger.entries', 'ledger'],
  ['select * from ledger.1e1entries', 'ledger'],
  ["select 1 --\x01'\nfrom ledger.entries", 'ledger'],
  ["select '1'--\u00a0'\nfrom ledger.entries", 'ledger'],
  ['select 1--\u00a0 from ledger.entries', 'ledger'],
  ['select * from\u00a0ledger.entries', 'ledger'],
  ['set statement max_statement_time = (select 1) for insert ledger.entries values (1)', 'ledger'],
  ['set statement max_statement_time = 1 for show tables from ledger', 'ledger'],
  ['begin not atomic use ledger; end', 'ledger'],
  ['begin not atomic drop database ledger; end', 'ledger'],
  ['if 1 then show tables from ledger; end if', 'ledger'],
  ['here: loop insert ledger.entries values (1); end loop', 'ledger'],
  ['alter table orders order by id, rename to ledger.orders', 'ledger'],
  ['alter table orders alter id set default 1, rename ledger.orders', 'ledger'],
  ['select nextval(ledger.s), lastval(ledger.s)', 'ledger'],
  ['select next value for ledger.s', 'ledger'],
  // A backslash keeps no quote where the mode of the connection says so, nor one of a name.
  ["select '\\', id from ledger.entries -- '", 'ledger'],
  ['select 1 as "a\\", id from ledger.entries -- "', 'ledger'],
  ["select '\\'' from ledger.entries", 'ledger'],
  // A statement may have changed that mode for the next one.
  ["select '\\'' ; set sql_mode = 'NO_BACKSLASH_ESCAPES'; select '\\' ; use ledger -- '", 'ledger'],
  ['begin not atomic select 1; if 0 then select 1; else use ledger; end if; end', 'ledger'],
])('%s names %s', (text, database) => {
  expect(namedDatabases(text)).toContain(database)
})

test.each([
  'select o.id, o.name from orders o join items i on (o.id = i.id and f(o.id, i.id)) where o.name like i.name and i.x in (select o.id)',
  "select 'from ledger.entries', count(*), 1.5 -- from ledger.entries",
  'select extract(year from o.placed), trim(o.a from o.b) from orders o order by o.placed',
  'insert into orders (id) values (1) on duplicate key update orders.id = orders.id + 1',
  'update orders o set o.id = o.id + 1 where o.id = 2',
  'create view seen as select o.id from orders o join items i on o.id = i.id',
  'select @@session.sql_mode, @a.b, x.* from orders x',
  'show columns from orders',
  'set names utf8mb4',
  'begin',
  'select next value for s, o.id from orders o use index (o) where o.id = 1e1',
  'select o.1e1, o.begin, o.use from orders o',
  'set session max_statement_time = 1',
])('%s names none', (text) => {
  expect(namedDatabases(text)).toEqual([])
})

test('a statement that is too long to be seen whole is denied within named databases, whatever rules others have', async () => {
  const { signal } = new AbortController()
  for (const applies of [true, false]) {
    const permitted = Object.assign(new PermittedDatabases(), { names: ['shop'] })
    const guard = withinDatabases({ applies, judge: () => ({ action: 'allow' }) }, 'mariadb', permitted)
    expect(await guard.judge({ text: 'select 1', isCut: true }, signal)).toMatchObject({ action: 'deny' })
    expect(await guard.judge({ text: 'select 1', isCut: false }, signal)).toEqual({ action: 'allow' })
    const manifold = { text: "'\\';".repeat(20_000), isCut: false }
    expect(await guard.judge(manifold, signal)).toMatchObject({ action: 'deny' })
  }
})

test('a hostile text is read in its own length', () => {
  for (const part of ['`', '"', "'", '/*', '(', 'a.', 'from ', '@', 'show tables from '])
    expect(namedDatabases(part.repeat(60_000))).toBeInstanceOf(Array)
})

test('permissions name databases of MySQL, MariaDB and PostgreSQL, and of no other server', () => {
  const protocols = ['mysql', 'mariadb', 'postgresql', 'redis', 'sqlserver', 'oracle', 'ssh']
  expect(protocols.filter(hasDatabases)).toEqual(['mysql', 'mariadb', 'postgresql'])
})
