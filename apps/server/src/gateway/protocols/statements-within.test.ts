import { expect, test } from 'vitest'
import { readStatement as readByMysql, readVersion } from './mysql/read-statement.ts'
import { readStatement as readByPostgresql } from './postgresql/without-comments.ts'

const MARIADB = readVersion('5.5.5-10.11.19-MariaDB')
const DROP = /^drop table hidden/i

const RUN_BY_MARIADB = [
  'begin not atomic drop table hidden; end',
  'begin not atomic if 1 then drop/**/table hidden; end if; end',
  'if 1 then drop table hidden; end if',
  'set statement max_statement_time = 9 for drop table hidden',
  "execute immediate 'drop ' 'table hidden'",
  "prepare p from 'drop table hidden'; execute p",
  'case 1 when 1 then drop table hidden; end case',
  'for i in 1..1 do drop table hidden; end for',
  'while (select count(*) from information_schema.tables where table_name="hidden") do drop table hidden; end while',
  'begin not atomic declare continue handler for sqlexception drop table hidden; select * from nowhere; end',
  "execute immediate x'64726f70207461626c652068696464656e'",
  "execute immediate _latin1'drop table hidden'",
  "execute immediate n'drop table hidden'",
  "execute immediate concat('drop table hidden')",
  "execute immediate ('drop table hidden')",
  "prepare p from ('drop table hidden'); execute p",
  "begin not atomic execute immediate 'drop table hidden'; end",
  'execute immediate char(100,114,111,112,32,116,97,98,108,101,32,104,105,100,100,101,110)',
  "execute immediate concat(char(100 using utf8mb4), 'rop table hidden')",
  "execute immediate unhex('64726f70207461626c652068696464656e')",
  "execute immediate reverse('neddih elbat pord')",
  "execute immediate replace('drXp table hidden', 'X', 'o')",
  "execute immediate from_base64('ZHJvcCB0YWJsZSBoaWRkZW4=')",
  "execute immediate concat_ws(' ', 'drop', 'table', 'hidden')",
  "execute immediate concat(b'01100100', 'rop table hidden')",
  "execute immediate concat(0b01100100, 'rop table hidden')",
  "execute immediate lower(concat(left('DROPS', 4), space(1), substring('a table hidden', 3)))",
  "execute immediate insert('drXXp table hidden', 3, 2, 'o')",
  "execute immediate cast(x'64726f70207461626c652068696464656e' as char)",
  "execute immediate convert(unhex('64726f70207461626c652068696464656e') using utf8mb4)",
  "prepare p from reverse('neddih elbat pord')",
  "execute immediate (reverse('neddih elbat pord'))",
  "execute immediate if(1, 'drop table hidden', 'x')",
  'repeat drop table hidden; until 1 end repeat',
  "set statement sql_mode='' for begin not atomic drop table hidden; end",
  'do 1; drop table hidden',
  'lock table hidden write; drop table hidden',
  "execute immediate 'drop table hidden' collate utf8mb4_bin",
  'execute immediate"drop table hidden"',
  'begin not atomic set @a=1; drop table hidden; end',
  'begin drop table hidden; end',
  'declare a int; begin drop table hidden; end',
  'begin select * into @a from nowhere; exception when others then drop table hidden; end',
  "begin execute immediate 'drop'||' table hidden'; end",
  'create event e on schedule at now() do begin drop table hidden; end',
  '/*!50003 begin not atomic*/ drop table hidden; end',
  'begin not atomic `a`: begin drop table hidden; end; end',
  'BEGIN\nNOT\nATOMIC\nDROP\nTABLE hidden;\nEND',
  'begin not atomic\t/* x */drop table hidden;end',
  'if(1)then drop table hidden;end if',
  'if 1 then(select 1);drop table hidden;end if',
  "set statement a=1,b='for x' for/**/drop table hidden",
]
const RUN_BY_POSTGRESQL = [
  "do $$ begin execute E'\\x64rop\\040table hidden'; end $$",
  "do U&'begin \\0064rop table hidden; end'",
  'do $$begin drop table hidden; end$$',
  "do'begin drop table hidden;end'",
  "do language 'plpgsql' $$begin drop table hidden; end$$",
  'do $$begin drop table hidden; end$$ language plpgsql',
  "do E'begin drop table hidden;end'",
  "do $$ begin execute format('drop table %I','x'); execute 'drop table hidden'; end $$",
  "do $$ begin execute reverse('neddih elbat pord'); end $$",
  "do $$ begin execute chr(100)||'rop table hidden'; end $$",
  "do $$ begin execute format('%s table %I', 'drop', 'hidden'); end $$",
  "do $$ begin execute convert_from(decode('ZHJvcCB0YWJsZSBoaWRkZW4=', 'base64'), 'utf8'); end $$",
  "do $$ begin execute replace('drXp table hidden', 'X', 'o') using 1; end $$",
  'do $$<<a>>begin drop table hidden; end$$',
  'do $$begin begin drop table hidden; exception when others then null; end; end$$',
  'do $$begin if true then drop table hidden; end if; end$$',
  'do $$begin\nfor i in 1..1 loop\n drop table hidden; end loop; end$$',
  'do $$begin null; exception when others then drop table hidden; end$$',
  'do $$begin execute $q$drop table hidden$q$; end$$',
  'do $$begin case when true then drop table hidden; end case; end$$',
  "do U&'begin drop table hidden; end'",
  "do $$begin execute 'drop' || ' table hidden' using 1; end$$",
  'do $$#variable_conflict use_column\nbegin drop table hidden; end$$',
  'do $$declare x int := 1; begin drop table hidden; end$$',
  'do $$begin loop drop table hidden; exit; end loop; end$$',
  'do $$begin foreach x in array a loop drop table hidden; end loop; end$$',
  "do $$begin execute 'do ''begin drop table hidden; end'''; end$$",
]
const DELETE_IN_POSTGRESQL = [
  'with a as materialized (delete from t returning *) select 1',
  'with a as(delete from t)select 1',
  'explain(analyze)delete from t',
  'explain analyze verbose delete from t',
  'prepare a as delete from t',
  'prepare a(int,text) as delete from t',
  'prepare "a b" as delete from t',
  'copy(delete from t returning *)to stdout',
  'explain analyze with a as (select 1) delete from t',
  "with a as (select ')') delete from t",
  'with a as (select 1) delete from only t',
  'EXPLAIN ANALYZE\nDELETE FROM t',
]

test.each(RUN_BY_MARIADB)('a statement is found in what MariaDB runs: %s', (text) => {
  expect(readByMysql(text, MARIADB)).toContainEqual(expect.stringMatching(DROP))
})

test.each(RUN_BY_POSTGRESQL)('a statement is found in what PostgreSQL runs: %s', (text) => {
  expect(readByPostgresql(text)).toContainEqual(expect.stringMatching(DROP))
})

test.each(DELETE_IN_POSTGRESQL)('a change is found in the query or plan of PostgreSQL that makes it: %s', (text) => {
  expect(readByPostgresql(text)).toContainEqual(expect.stringMatching(/^delete from/i))
})

test.each([
  'select a from t for update',
  "select case when a = 'x' then 1 else 2 end from t",
  'insert into t values (1) on conflict (id) do update set a = 1',
  'explain select 1',
  'explain delete from t',
  'create table t (id int references u on delete cascade)',
  'select \'execute immediate\', "do" from t',
  'grant select, update on t to ann',
])('nothing is found where nothing else is run: %s', (text) => {
  expect([readByPostgresql(text), readByMysql(text, MARIADB)]).toEqual([[], []])
})
