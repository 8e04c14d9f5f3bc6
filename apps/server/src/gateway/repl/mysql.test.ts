/** MariaDB in a web terminal, with a real server at the other end. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type MysqlFixture, openMysqlFixture } from '../listeners/database/mysql-fixture.ts'
import { type ReplFixture, replFixture } from './repl-fixture.ts'

const PROMPT = 'MariaDB [shop]> '

let fixture: MysqlFixture
let repl: ReplFixture
beforeAll(async () => {
  fixture = await openMysqlFixture()
  repl = replFixture(fixture, { type: 'mariadb', prompt: PROMPT })
})
afterAll(() => fixture?.close())
afterEach(() => repl.closeTerminals())

test('[B7.29] statements with rows, without, failing and procedures; what is judged and kept is what any client sends', async () => {
  const terminal = await repl.opened()
  terminal.type('create temporary table t (id int, name varchar(20), bytes blob);\r')
  await terminal.see('Query OK, 0 rows affected')
  terminal.type("insert into t values (1, '你好', x'00ff'), (2, null, 'text');\r")
  await terminal.see('Query OK, 2 rows affected')
  terminal.type('select * from t;\r')
  expect(await terminal.see('2 rows in set')).toContain(
    ['|  1 | 你好 | 0x00ff |', '|  2 | NULL | text   |'].join('\r\n'),
  )
  terminal.type('select * from t where id = 1\\G\r')
  expect(await terminal.see('1 row in set')).toContain(' name: 你好\r\n')
  terminal.type('select * from nowhere;\r')
  await terminal.see("ERROR 1146 (42S02): Table 'shop.nowhere' doesn't exist")
  terminal.type('delimiter //\rbegin not atomic select 1 as a; select 2 as b; end //\r')
  await terminal.see('| b |')
  await terminal.see(PROMPT)
  await expect
    .poll(async () => (await repl.commands(terminal)).at(-1)?.input)
    .toBe('begin not atomic select 1 as a; select 2 as b; end')
})

test('use goes on in another database, Tab completes its names, and Ctrl-C cancels what runs at the server', async () => {
  const terminal = await repl.opened()
  terminal.type('use information_schema\r')
  await terminal.see('MariaDB [information_schema]> ')
  terminal.type('select plugin_na')
  terminal.type(' from plug\t')
  await terminal.see('from plug')
  terminal.type('\x15select sleep(60);\r')
  const running = async () =>
    (await fixture.mariadb.sql("SELECT id FROM information_schema.processlist WHERE info LIKE 'select sleep%'")).length
  await expect.poll(running).toBe(1)
  terminal.type('\x03')
  await terminal.see('MariaDB [information_schema]> ')
  await expect.poll(running).toBe(0)
})
