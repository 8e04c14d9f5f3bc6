/** MariaDB in the browser, its prompt and its workbench, with a real server at the other end. */
import { readdirSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { readSheet } from 'read-excel-file/node'
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest'
import { settingsOf } from '../../../domains/settings/index.ts'
import { type ReplFixture, replFixture } from '../../repl/repl-fixture.ts'
import { type MysqlFixture, openMysqlFixture } from '../database/mysql-fixture.ts'
import { openTerminal } from './terminal-fixture.ts'
import { openWorkbench, type WorkbenchMessage, type WorkbenchPage } from './workbench-fixture.ts'

const TICKETS = '/api/v1/tickets/tickets/'
const PROMPT = 'MariaDB [shop]> '

let fixture: MysqlFixture
let repl: ReplFixture
const pages: WorkbenchPage[] = []
beforeAll(async () => {
  fixture = await openMysqlFixture()
  repl = replFixture(fixture, { type: 'mariadb', prompt: PROMPT })
})
afterAll(() => fixture?.close())
afterEach(() => {
  repl.closeTerminals()
  for (const { terminal } of pages.splice(0)) terminal.close()
})

async function workbench(options: Parameters<typeof openWorkbench>[2] = {}): Promise<WorkbenchPage> {
  const page = await openWorkbench(fixture, 'mariadb', options)
  pages.push(page)
  return page
}
const running = async (text: string) =>
  (await fixture.mariadb.sql(`SELECT 1 FROM information_schema.PROCESSLIST WHERE INFO LIKE '${text}%'`)).length
const errors = (messages: readonly WorkbenchMessage[]) =>
  messages.flatMap(({ event, kind, text }) => (event === 'said' && kind === 'error' ? [String(text)] : [])).join()

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
  await terminal.see(/from plugins /i)
  terminal.type('\x15select sleep(60);\r')
  const running = async () =>
    (await fixture.mariadb.sql("SELECT id FROM information_schema.processlist WHERE info LIKE 'select sleep%'")).length
  await expect.poll(running).toBe(1)
  terminal.type('\x03')
  await terminal.see('MariaDB [information_schema]> ')
  await expect.poll(running).toBe(0)
})

test('[B7.29] several statements run in their order, with rows, bytes and NULL; the commands of the session say rows and duration', async () => {
  const page = await workbench()
  const messages = await page.run(`create temporary table t (id int, name varchar(20), bytes blob);
    insert into t values (1, '你好; --', x'00ff'), (2, null, 'text');
    select * from t order by id; -- the end`)
  expect(messages.filter(({ event }) => event === 'statement').map(({ text }) => String(text).slice(0, 6))).toEqual([
    'create',
    'insert',
    'select',
  ])
  expect(messages.find(({ event }) => event === 'columns')?.columns).toMatchObject([
    { name: 'id', isNumber: true },
    { name: 'name', isNumber: false },
    { name: 'bytes', isNumber: false },
  ])
  expect(page.rows(1)).toEqual([
    ['1', '你好; --', '0x00ff'],
    ['2', null, 'text'],
  ])
  expect(messages.at(-1)).toMatchObject({ event: 'idle', database: 'shop', transaction: 'none' })
  await expect
    .poll(async () => (await repl.commands(page.terminal)).map(({ input, output }) => [input.slice(0, 6), output]))
    .toEqual([
      ['create', '0 rows'],
      ['insert', '2 rows'],
      ['select', '2 rows'],
    ])
})

test('a large result comes page by page and the rest waits at the server for longer than its own patience; letting it go keeps the transaction', async () => {
  const page = await workbench()
  await page.run('begin; create temporary table kept (n int); insert into kept values (7)')
  const run = page.begin("select seq, repeat('x', 500) from seq_1_to_40000")
  await page.until(() => page.rows(run).length === 500)
  expect(await running('select seq')).toBe(1)
  page.terminal.say('WORKBENCH_MORE')
  await page.until(() => page.rows(run).length === 1000)
  expect(page.rows(run).at(-1)?.[0]).toBe('1000')
  const next = await page.run('select n, @@net_write_timeout > 3600 from kept')
  expect(page.rows(run)).toHaveLength(1000)
  expect(page.messages().find((one) => one.run === run && one.event === 'done')).toMatchObject({
    rows: 40000,
    isCut: true,
  })
  expect(page.rows(next[0]?.run as number)).toEqual([['7', '1']])
  expect(next.at(-1)).toMatchObject({ transaction: 'open' })
})

/** Asks for rows until so many are shown, and the server is held. Answers how many are. */
async function load(page: WorkbenchPage, run: number, rows: number): Promise<number> {
  const held = () => page.messages().filter((one) => one.run === run && one.event === 'held').length
  await page.until(held)
  while (page.rows(run).length < rows) {
    const before = held()
    page.terminal.say('WORKBENCH_MORE')
    await page.until(() => held() > before)
  }
  return page.rows(run).length
}

/** Rows that workbenches of this process keep on the disk. */
const keptFiles = () =>
  readdirSync('/proc/self/fd').filter((name) => {
    try {
      return readlinkSync(`/proc/self/fd/${name}`).includes('/kept-rows/')
    } catch {
      return false
    }
  }).length

test('rows that were shown are available again, in any order, the newest of very many; they are in no folder, and go with the session', async () => {
  const { kernel } = fixture.server
  await settingsOf(kernel).set('TERMINAL_KEPT_ROWS_SIZE', 2)
  onTestFinished(() => settingsOf(kernel).set('TERMINAL_KEPT_ROWS_SIZE', 256))
  const page = await workbench()
  expect(page.start()).toMatchObject({ keepsRows: true })
  const run = page.begin("select seq, if(seq = 7, null, repeat('é', 200)) from seq_1_to_40000")
  // While the server waits with the rest.
  await load(page, run, 500)
  const again = async (wanted: { from: number } | { to: number }) => {
    const { from, rows } = await page.again(run, wanted)
    return { from, numbers: (rows as unknown[][]).map(([number]) => Number(number)) }
  }
  const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at + 1)
  /** Without a gap, however many come at a time. */
  const expectAll = async (from: number, to: number) => {
    for (let at = from; at < to; ) {
      const found = await again({ from: at })
      expect(found).toEqual({ from: at, numbers: numbers(at, Math.min(to, at + Math.max(1, found.numbers.length))) })
      at += found.numbers.length
    }
  }
  await expectAll(5, 500)
  const shown = await load(page, run, 3000)
  expect((await page.again(run, { from: 6 })).rows).toMatchObject({ 0: ['7', null], 1: ['8', 'é'.repeat(200)] })
  const upward = await again({ to: 2900 })
  expect(upward.numbers).toEqual(numbers(Number(upward.from), 2900))
  expect(await page.again(run, { from: shown })).toMatchObject({ event: 'gone', first: 0 })
  const all = await load(page, run, 10_000)
  const { first } = (await page.again(run, { from: 0 })) as unknown as { first: number }
  expect(first).toBeGreaterThan(3_000)
  expect(await page.again(run, { to: first })).toMatchObject({ event: 'gone', first })
  await expectAll(first, all)
  expect(keptFiles()).toBe(1)
  expect(readdirSync(join(kernel.config.dataDirectory, 'kept-rows'))).toEqual([])
  await page.run('select 1')
  expect(await page.again(run, { from: first })).toMatchObject({ event: 'gone' })
  await expect.poll(keptFiles).toBe(0)
  const many = page.begin("select seq, repeat('x', 1000) from seq_1_to_4000")
  await page.until(() => page.rows(many).length === 500)
  await expect.poll(keptFiles).toBe(1)
  page.terminal.say('CLOSE')
  await expect.poll(keptFiles).toBe(0)
})

test('a cancel breaks off what runs, at the server, and what follows it is not begun', async () => {
  const page = await workbench()
  const run = page.begin('select sleep(60); select 1')
  await expect.poll(() => running('select sleep')).toBe(1)
  page.terminal.say('WORKBENCH_CANCEL')
  await page.until(() => page.messages().some((one) => one.run === run && one.event === 'idle'))
  await expect.poll(() => running('select sleep')).toBe(0)
  expect(page.messages().filter((one) => one.run === run && one.event === 'statement')).toHaveLength(1)
  await page.run('select 2')
  expect(page.rows(2)).toEqual([['2']])
})

test('the schema is read level by level beside a result that waits, names of any spelling included, and nothing of it is a command', async () => {
  await fixture.mariadb.sql('CREATE TABLE shop.`o\'r\\d "er` (id int primary key, `when` datetime)')
  const { 0: mode } = (await fixture.mariadb.sql('SELECT @@GLOBAL.sql_mode AS mode')) as { mode: string }[]
  await fixture.mariadb.sql(`SET GLOBAL sql_mode = '${mode?.mode},NO_BACKSLASH_ESCAPES'`)
  const page = await workbench()
  const run = page.begin("select seq, repeat('x', 500) from seq_1_to_40000")
  await page.until(() => page.rows(run).length === 500)
  expect((await page.ask({ about: 'schemas' })).rows).toContainEqual(['shop'])
  expect((await page.ask({ about: 'relations', schema: 'shop' })).rows).toEqual([['o\'r\\d "er', 'table']])
  expect((await page.ask({ about: 'columns', schema: 'shop', relation: 'o\'r\\d "er' })).rows).toEqual([
    ['id', 'int(11)', 'NO', 'PRI'],
    ['when', 'datetime', 'YES', ''],
  ])
  const completed = await page.ask({ about: 'completion', before: 'select * from o', database: 'shop' })
  expect(completed.rows).toEqual([['1'], ['o\'r\\d "er']])
  // The page's own question has no rows.
  await page.run('select 1')
  await expect.poll(async () => (await repl.commands(page.terminal)).length).toBe(2)
  await fixture.mariadb.sql(`SET GLOBAL sql_mode = '${mode?.mode}'`)
})

test('the statement at the cursor runs alone; a procedure with a delimiter of its own is one', async () => {
  const page = await workbench()
  const text = "select 1;\nselect ';' as two;\nselect 3"
  await page.run(text, { at: 12 })
  expect(page.rows(1)).toEqual([[';']])
  await page.run(text, { at: text.length })
  expect(page.rows(2)).toEqual([['3']])
  const messages = await page.run(
    'delimiter //\nbegin not atomic select 4 as a; select 5 as b; end //\ndelimiter ;\nselect 6',
  )
  expect(messages.filter(({ event }) => event === 'over')).toHaveLength(2)
  expect(page.rows(3)).toEqual([['4'], ['5'], ['6']])
})

test('[A2.52] a denied statement is reported and has its row, the rest of its script is not run, and the session goes on', async () => {
  const forget = await repl.rule('drop table', { action: 0 })
  const page = await workbench()
  const messages = await page.run('select 1; drop table everything; select 2')
  expect(errors(messages)).toMatch(/forbid|denied|not allowed/i)
  expect(messages.filter(({ event }) => event === 'statement')).toHaveLength(2)
  await page.run('select 3')
  expect(page.rows(2)).toEqual([['3']])
  await expect
    .poll(async () => (await repl.commands(page.terminal)).map(({ input, risk }) => [input, risk]))
    .toEqual([
      ['select 1', 0],
      ['drop table everything', 5],
      ['select 3', 0],
    ])
  await forget()
})

test('a statement that others must confirm waits, can be taken back, and runs once it is approved', async () => {
  const reviewer = await fixture.server.aPerson('decider')
  const forget = await repl.rule('as doubtful', { action: 2, reviewers: [reviewer.id] })
  const page = await workbench()
  const open = async () =>
    (await reviewer.get(`${TICKETS}?limit=10&type=command_confirm&status=open`)).body.results as { id: string }[]
  const first = page.begin('select 7 as doubtful')
  await expect.poll(open).toHaveLength(1)
  page.terminal.say('WORKBENCH_CANCEL')
  await page.until(() => page.messages().some((one) => one.run === first && one.event === 'idle'))
  await expect.poll(open).toHaveLength(0)
  const second = page.begin('select 8 as doubtful')
  await expect.poll(open).toHaveLength(1)
  const waits = page.terminal.messages.length
  expect((await reviewer.put(`${TICKETS}${(await open())[0]?.id}/approve/`)).status).toBe(200)
  await page.until(() => page.messages().some((one) => one.run === second && one.event === 'idle'))
  // Before anything that it answers, which may take long.
  const later = page.terminal.messages.slice(waits).map(({ type }) => type)
  expect(later.find((type) => /^WORKBENCH(_DECIDED)?$/.test(type))).toBe('WORKBENCH_DECIDED')
  expect(page.rows(first)).toEqual([])
  expect(page.rows(second)).toEqual([['8']])
  await forget()
})

test('a workbench that is locked refuses statements and questions; who watches sees statements; terminated it ends, and so does what runs', async () => {
  const page = await workbench()
  const { id } = page.terminal.session as Record<string, string>
  const auditor = await fixture.server.aPerson('locker', { orgRoles: ['Auditor'] })
  const watcher = await openTerminal(fixture.server.url, auditor, {
    type: 'shareroom',
    target: id as string,
    systemUser: '',
  })
  const order = async (word: string) =>
    expect((await auditor.post(`/api/v1/terminal/sessions/${id}/${word}/`, {})).status).toBe(200)
  await order('lock')
  await page.until(() =>
    page.terminal.messages.some(({ type, data }) => type === 'TERMINAL_LOCK' && data.includes('true')),
  )
  expect(errors(await page.run('select 1'))).toMatch(/locked/)
  expect((await page.ask({ about: 'schemas' })).error).toBeTruthy()
  await order('unlock')
  await page.until(() =>
    page.terminal.messages.some(({ type, data }) => type === 'TERMINAL_LOCK' && data.includes('false')),
  )
  // Asked until the watcher, who sees what comes from then on, has come.
  const watched = () => page.run("select 'seen' as word").then(() => watcher.text())
  await expect.poll(watched).toContain("select 'seen' as word")
  expect((await page.ask({ about: 'schemas' })).rows).toContainEqual(['shop'])
  page.begin('select sleep(60)')
  await expect.poll(() => running('select sleep')).toBe(1)
  await fixture.terminate(id as string)
  await page.terminal.closed
  expect(
    page.terminal.messages.some(({ type, data }) => type === 'WORKBENCH_NOTICE' && /terminat|ended/i.test(data)),
  ).toBe(true)
  await expect.poll(() => running('select sleep')).toBe(0)
  await expect.poll(() => fixture.isFinished(id as string)).toBe(true)
  await watcher.closed
})

test('rows become a file by the right to download alone: CSV and XLSX without formulas, JSON with numbers, as much as a slow page takes; the session notes it', async () => {
  const page = await workbench()
  const exported = async (text: string, format: string) => {
    const before = page.terminal.output().length
    const run = page.messages().length + 100
    page.terminal.say('WORKBENCH_EXPORT', { run, text, format })
    const replies = () => page.messages().filter((one) => one.run === run)
    await page.until(() => replies().some(({ event }) => event === 'exported'))
    return { file: page.terminal.output().subarray(before), reply: replies()[0] }
  }
  const small = `select 1 as n, '=1+1' as n, null as nothing, '' as empty, 'a"b' as quoted, 12345678901234567890 as large`
  expect((await exported(small, 'csv')).file.toString()).toBe(
    '\ufeffn,n,nothing,empty,quoted,large\r\n1,\'=1+1,,"","a""b",12345678901234567890\r\n',
  )
  expect(JSON.parse((await exported(small, 'json')).file.toString())).toEqual([
    { n: 1, n_2: '=1+1', nothing: null, empty: '', quoted: 'a"b', large: '12345678901234567890' },
  ])
  const values = `select 1 as n, '=1+1' as formula, null as nothing, 'a<b&c\u0001 _x0041_' as xml`
  const book = await exported(`${values} union select 2, '', 'x', repeat('y', 40000)`, 'xlsx')
  expect(book.reply).toMatchObject({ rows: 2, cut: 1 })
  expect(await readSheet(book.file)).toEqual([
    ['n', 'formula', 'nothing', 'xml'],
    [1, "'=1+1", null, 'a<b&c\u0001 _x0041_'],
    [2, null, 'x', 'y'.repeat(32_767)],
  ])
  const large = await exported("select seq, repeat('x', 200) from seq_1_to_20000", 'csv')
  expect(large.reply).toMatchObject({ rows: 20000, cut: 0 })
  expect(large.file.toString().trimEnd().split('\r\n')).toHaveLength(20001)
  expect((await exported('select * from nowhere', 'csv')).reply?.error).toContain("doesn't exist")
  const permission = `/api/v1/perms/application-permissions/${fixture.permission}/`
  expect((await fixture.server.admin.patch(permission, { actions: ['connect'] })).status).toBe(200)
  const refused = await exported('select 1', 'csv')
  expect(refused.file).toHaveLength(0)
  expect(refused.reply?.error).toMatch(/no permission to export/)
  expect((await workbench()).start()).toMatchObject({ mayExport: false })
  expect((await fixture.server.admin.patch(permission, { actions: ['all'] })).status).toBe(200)
  const { body } = await fixture.server.admin.get(
    `/api/v1/terminal/session-events/?session=${page.terminal.session?.id}&event=exported`,
  )
  expect((body.results ?? body).length).toBe(5)
})

test('a value is changed by the statement that was shown first, as it was meant whatever it holds; a row that somebody changed meanwhile is reported and stays', async () => {
  await fixture.mariadb.sql(`CREATE TABLE shop.values_of (id BIGINT, part VARBINARY(4), name VARCHAR(60), price DECIMAL(20,4), ratio FLOAT, body BLOB,
    PRIMARY KEY (id, part)); INSERT INTO shop.values_of VALUES (9007199254740993, x'00ff', 'it''s', 1.5000, 1.1, x'00ff'), (9007199254740992, x'00ff', 'other', 2, 2, NULL)`)
  const stored = async (column: string) =>
    (
      (await fixture.mariadb.sql(`SELECT ${column} AS it FROM shop.values_of WHERE id = 9007199254740993`)) as {
        it: unknown
      }[]
    )[0]?.it
  const page = await workbench()
  expect(page.start()).toMatchObject({ mayEdit: true, mayExport: true })
  const select = async () => (await page.run('select * from values_of order by id desc')).at(-1)?.run as number
  let run = await select()
  const changed = async (column: number, value: string | null) => {
    const text = await page.plan(run, { at: 0, column, value })
    expect(await page.edit(), text).toMatchObject({ rows: 1, warnings: 0 })
    return text
  }
  const hostile = "\\'; drop table values_of; -- \\"
  expect(await changed(2, hostile)).toBe(
    `UPDATE \`shop\`.\`values_of\`\nSET \`name\` = _utf8mb4 x'${Buffer.from(hostile).toString('hex')}'\nWHERE \`id\` = 9007199254740993\n  AND \`part\` = x'00ff'\n  AND CAST(CONVERT(\`name\` USING utf8mb4) AS BINARY) = 'it''s'`,
  )
  expect(await stored('name')).toBe(hostile)
  await page.run("set session sql_mode = concat(@@sql_mode, ',NO_BACKSLASH_ESCAPES')")
  run = await select()
  await page.plan(run, { at: 0, column: 2, value: 'C:\\new' })
  // The meaning of a backslash is changed between the look at the statement and its run.
  await page.run("set session sql_mode = replace(@@sql_mode, 'NO_BACKSLASH_ESCAPES', '')")
  expect(await page.edit()).toMatchObject({ rows: 1 })
  expect(await stored('name')).toBe('C:\\new')
  run = await select()
  for (const [column, value, name] of [
    [3, '2.2500', 'price'],
    [4, '3.5', 'ratio'],
    [5, '0xfe00', 'hex(body)'],
  ] as const) {
    await page.plan(run, { at: 0, column, value })
    expect(await page.edit()).toMatchObject({ rows: 1 })
    expect(String(await stored(name))).toBe(value.replace('0x', '').toUpperCase())
  }
  await page.plan(run, { at: 0, column: 2, value: null })
  await page.edit()
  expect(await stored('name')).toBeNull()
  expect(
    page
      .messages()
      .filter(({ event }) => event === 'changed')
      .at(-1),
  ).toMatchObject({ run, at: 0, column: 2, value: null })
  // The page shows the former value: nobody writes over it.
  await page.plan(run, { at: 0, column: 2, value: 'mine' })
  expect(await page.edit()).toMatchObject({ rows: 0 })
  expect(await stored('name')).toBeNull()
  await fixture.mariadb.sql("UPDATE shop.values_of SET name = 'Bob é' WHERE id = 9007199254740993")
  run = await select()
  await fixture.mariadb.sql("UPDATE shop.values_of SET name = 'bob É' WHERE id = 9007199254740993")
  await page.plan(run, { at: 0, column: 2, value: 'mine' })
  expect(await page.edit()).toMatchObject({ rows: 0 })
  expect(await stored('name')).toBe('bob É')
  run = await select()
  await changed(2, '你好 é')
  expect(await stored('name')).toBe('你好 é')
  // Its backslash would be a part of a letter.
  await page.run('set/* */names gbk')
  run = await select()
  await page.plan(run, { at: 1, column: 2, value: 'é\\' })
  expect((await page.edit()).error).toMatch(/writes in UTF-8/)
  await page.run('set names utf8mb4')
  run = await select()
  await page.plan(run, { at: 1, column: 0, value: 'no number' })
  expect((await page.edit()).error).toMatch(/ERROR \d+/)
  await expect
    .poll(async () => (await repl.commands(page.terminal)).filter(({ input }) => input.startsWith('UPDATE')).length)
    .toBe(10)
})

test('only one stored table with its whole primary key can be changed, and only with the right to', async () => {
  await fixture.mariadb.sql(`CREATE TABLE shop.pairs (id INT PRIMARY KEY, parent INT, name VARCHAR(20)); CREATE TABLE shop.bare (name VARCHAR(20));
    INSERT INTO shop.pairs VALUES (1, 1, 'root'); INSERT INTO shop.bare VALUES ('x'); CREATE VIEW shop.seen AS SELECT * FROM shop.pairs`)
  const page = await workbench()
  const refusals: [string, number, RegExp][] = [
    ['select a.id, b.name from pairs a join pairs b on b.id = a.parent', 1, /those of one table/],
    ['select a.id, b.name from pairs a, pairs b', 1, /those of one table/],
    ['select id, name from pairs union select 2, 3', 1, /those of one table/],
    ['select id, upper(name) from pairs', 1, /those of one table/],
    ['select name, parent from pairs', 0, /whole primary key/],
    ['select name from bare', 0, /whole primary key/],
    ['select id, name from seen', 1, /whole primary key/],
  ]
  for (const [text, column, why] of refusals) {
    await page.run(text)
    const run = page.messages().at(-1)?.run as number
    expect(await page.plan(run, { at: 0, column, value: 'new' }), text).toMatch(why)
  }
  await page.run(
    'select /* all */ p.id, p.name from `shop` . pairs as p where id in (select parent from pairs) limit 5',
  )
  const run = page.messages().at(-1)?.run as number
  expect(await page.plan(run, { at: 0, column: 1, value: 'new' })).toMatch(/^UPDATE/)
  const permission = `/api/v1/perms/application-permissions/${fixture.permission}/`
  await page.plan(run, { at: 0, column: 1, value: 'new' })
  await fixture.server.admin.patch(permission, { actions: ['connect', 'download_file'] })
  expect(await page.edit()).toMatchObject({ rows: 0, error: 'You have no permission to change values here' })
  expect(await page.plan(run, { at: 0, column: 1, value: 'new' })).toBe('You have no permission to change values here')
  await fixture.server.admin.patch(permission, { actions: ['all'] })
})

test('a permission that names databases leads to these alone: at the start, by USE, by name, at the prompt and in the workbench; what is changed counts for sessions that are open', async () => {
  await fixture.mariadb.sql(
    'CREATE DATABASE ledger_of; CREATE TABLE ledger_of.entries (id INT); GRANT ALL ON ledger_of.* TO native@"%"',
  )
  const permission = `/api/v1/perms/application-permissions/${fixture.permission}/`
  const permit = async (databases: unknown) => (await fixture.server.admin.patch(permission, { databases })).status
  try {
    expect([await permit(['shop', ' shop ', '']), await permit(['x'.repeat(65)]), await permit('shop')]).toEqual([
      200, 400, 400,
    ])
    expect((await fixture.server.admin.get(permission)).body.databases).toEqual(['shop'])
    const page = await workbench()
    for (const text of [
      'use ledger_of',
      'select * from ledger_of.entries',
      'show tables in ledger_of',
      'drop database ledger_of',
    ])
      expect(errors(await page.run(text)), text).toMatch(/does not lead to the database ledger_of/)
    expect(
      errors(await page.run('select o.seq from seq_1_to_3 o; select 1 from information_schema.tables limit 1')),
    ).toBe('')
    expect((await page.ask({ about: 'schemas' })).rows).toEqual([['shop']])
    const terminal = await repl.opened()
    terminal.type('use ledger_of\r')
    await terminal.see('does not lead to the database ledger_of')
    await permit([])
    await expect.poll(async () => errors(await page.run('select * from ledger_of.entries'))).toBe('')
    await permit(['ledger_of'])
    // People in the session leave a database that the permission does not lead to any more.
    await Promise.all([page.terminal.closed, terminal.closed])
    expect(JSON.stringify(page.terminal.messages.slice(-4))).toMatch(/does not lead to the database shop/)
    // The application leads to the database that it names.
    const refused = await openWorkbench(fixture, 'mariadb').then(({ terminal: { errors } }) => errors, String)
    expect(String(refused)).toMatch(/does not lead to the database shop/)
  } finally {
    await permit([])
    await fixture.mariadb.sql('DROP DATABASE ledger_of')
  }
})

test('a page that is loaded again goes on where it was: open transaction, last answer, what runs, and the rows that wait; the page before is notified', async () => {
  const first = await workbench({ client: 'page' })
  const session = first.terminal.session?.id as string
  await first.run('begin; create temporary table kept (n int); insert into kept values (7)')
  const many = first.begin("select seq, repeat('x', 500) from seq_1_to_40000")
  await first.until(() => first.rows(many).length === 500)
  first.terminal.cut()
  const own = async () =>
    ((await fixture.person.get('/koko/sessions/')).body as Record<string, unknown>[]).find(({ id }) => id === session)
  await expect.poll(own).toMatchObject({ is_waiting: true, view: 'workbench' })
  const second = await workbench({ client: 'page', resume: session })
  expect(second.start()).toMatchObject({
    run: many,
    transaction: 'open',
    database: 'shop',
    isRunning: true,
    runningFor: expect.any(Number),
  })
  await second.until(() => second.rows(many).length === 500)
  second.terminal.say('WORKBENCH_MORE')
  await second.until(() => second.rows(many).length === 1000)
  expect(second.rows(many).at(-1)?.[0]).toBe('1000')
  const kept = await second.run('select n from kept')
  expect(second.rows(kept[0]?.run as number)).toEqual([['7']])
  const third = await workbench({ client: 'phone', resume: session })
  await second.terminal.closed
  expect(second.terminal.messages.map(({ type }) => type).slice(-2)).toEqual(['TERMINAL_MOVED', 'CLOSE'])
  expect(third.start()).toMatchObject({ text: 'select n from kept', transaction: 'open', isRunning: false })
  await third.until(() => third.messages().some(({ event }) => event === 'idle'))
  expect(third.rows(kept[0]?.run as number)).toEqual([['7']])
  third.terminal.say('CLOSE')
  await expect.poll(() => fixture.isFinished(session)).toBe(true)
})

test('a page that is loaded again far in a long result has its beginning, sees how far it came, and has all rows between and behind', async () => {
  const first = await workbench({ client: 'page' })
  const run = first.begin("select seq, repeat('x', 60000) from seq_1_to_500")
  await load(first, run, 85)
  first.terminal.cut()
  const back = await workbench({ client: 'page', resume: first.terminal.session?.id as string })
  await back.until(() => back.messages().some(({ event }) => event === 'shown'))
  const shown = Number(back.messages().find(({ event }) => event === 'shown')?.rows)
  const here = back.rows(run).length
  expect([here, shown]).toEqual([expect.any(Number), first.rows(run).length])
  expect(here).toBeLessThan(shown)
  expect((await back.again(run, { from: here })).rows).toMatchObject({ 0: [String(here + 1), expect.anything()] })
  back.terminal.say('WORKBENCH_MORE')
  await back.until(() => back.rows(run).length > here)
  expect(back.rows(run)[here]?.[0]).toBe(String(shown + 1))
})

test('a statement that was shown on a line that broke is not run on the next one, and the page sees that', async () => {
  const first = await workbench({ client: 'page' })
  await first.run('select 1')
  first.terminal.cut()
  const back = await workbench({ client: 'page', resume: first.terminal.session?.id as string })
  expect(await back.edit()).toMatchObject({ rows: 0, error: 'It was not run. Ask for the statement again.' })
  const messages = await back.run('select 2')
  expect(back.rows(messages[0]?.run as number)).toEqual([['2']])
})

test('[A6.15] nobody else goes on with a workbench, nor a terminal with its session; two people on one database see their own answers alone', async () => {
  const mine = await workbench({ client: 'page' })
  const theirs = await workbench({ client: 'page' })
  const [a, b] = [mine.begin("select 'mine', sleep(0.1)"), theirs.begin("select 'theirs'")]
  await mine.until(() => mine.messages().some(({ event, run }) => event === 'idle' && run === a))
  await theirs.until(() => theirs.messages().some(({ event, run }) => event === 'idle' && run === b))
  const session = mine.terminal.session?.id as string
  mine.terminal.cut()
  for (const [caller, view] of [
    [fixture.server.admin, 'workbench'],
    [fixture.person, undefined],
  ] as const) {
    const refused = await openTerminal(fixture.server.url, caller, {
      ...{ type: 'resume', target: session, systemUser: '', client: 'page' },
      ...(view ? { view } : {}),
    })
    await refused.closed
    expect(refused.errors).toEqual(['There is no such session of yours'])
  }
  const back = await workbench({ client: 'page', resume: session })
  await back.until(() => back.messages().some(({ event }) => event === 'idle'))
  expect(back.rows(a)).toEqual([['mine', '0']])
  expect(theirs.rows(b)).toEqual([['theirs']])
})

test('a file whose page is gone does not hold its session up, and what comes behind it goes to the page that came', async () => {
  const first = await workbench({ client: 'page' })
  first.terminal.say('WORKBENCH_EXPORT', {
    run: 1,
    text: "select seq, repeat('x', 2000) from seq_1_to_20000",
    format: 'csv',
  })
  await first.until(() => first.terminal.output().length > 0)
  first.terminal.pause()
  first.terminal.cut()
  const back = await workbench({ client: 'page', resume: first.terminal.session?.id as string })
  expect(back.start()).toMatchObject({ newest: 1 })
  const messages = await back.run('select 2')
  expect(back.rows(messages[0]?.run as number)).toEqual([['2']])
  expect(back.terminal.output()).toHaveLength(0)
})

test('a plan is asked for without the statement being run, is judged and kept like any other, and says which statement it is of', async () => {
  const forget = await repl.rule('delete from planned', { action: 0 })
  const page = await workbench()
  await page.run('create temporary table planned (n int)')
  const plan = await page.run('insert into planned select 1; delete from planned', { at: 3, isPlanned: true })
  expect(plan.find(({ event }) => event === 'statement')).toMatchObject({
    ...{ text: 'insert into planned select 1', isPlanned: true, of: 1 },
  })
  expect(JSON.parse(String(page.rows(2)[0]?.[0]))).toHaveProperty('query_block')
  await page.run('select count(*) from planned')
  expect(page.rows(3)).toEqual([['0']])
  expect(errors(await page.run('delete from planned', { isPlanned: true }))).toMatch(/forbid|denied|not allowed/i)
  await forget()
  await expect
    .poll(async () => (await repl.commands(page.terminal)).map(({ input }) => input))
    .toEqual([
      'create temporary table planned (n int)',
      'EXPLAIN FORMAT=JSON insert into planned select 1',
      'select count(*) from planned',
      'EXPLAIN FORMAT=JSON delete from planned',
    ])
})

test('[B7.18] a connection token opens a workbench without a sign-in, once, as its person; nobody comes back to it', async () => {
  const byToken = await fixture.token()
  const page = await workbench({ byToken, client: 'page' })
  await page.run('select 40 + 2')
  expect(page.rows(1)).toEqual([['42']])
  expect((await page.ask({ about: 'schemas' })).rows).toContainEqual(['shop'])
  const session = page.terminal.session?.id as string
  expect(page.terminal.session).toMatchObject({ user_id: fixture.person.id })
  const again = await openTerminal(fixture.server.url, fixture.person, {
    ...{ type: 'token', target: '', systemUser: '', view: 'workbench', byToken },
  })
  await again.closed
  expect(again.errors).toEqual(['The connection token is unknown, has expired or was used'])
  page.terminal.cut()
  await expect.poll(() => fixture.isFinished(session)).toBe(true)
})
