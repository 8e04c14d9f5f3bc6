/** PostgreSQL in a web terminal, with a real server at the other end. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type Caller, PASSWORD } from '../../../test/server.ts'
import { Client } from '../../kernel/ssh/ssh2/index.ts'
import { type DatabaseFixture, openDatabaseFixture } from '../listeners/database/database-fixture.ts'
import { openTerminal } from '../listeners/web/terminal-fixture.ts'
import { openWorkbench } from '../listeners/web/workbench-fixture.ts'
import { type ReplFixture, replFixture } from './repl-fixture.ts'

const PROMPT = 'shop=> '
const TICKETS = '/api/v1/tickets/tickets/'

let fixture: DatabaseFixture
let repl: ReplFixture
let reviewer: Caller
beforeAll(async () => {
  fixture = await openDatabaseFixture()
  repl = replFixture(fixture, { type: 'postgresql', prompt: PROMPT })
  reviewer = await fixture.server.aPerson('decider', { orgRoles: ['Auditor'] })
})
afterAll(() => fixture?.close())
afterEach(() => repl.closeTerminals())

const order = async (session: string | undefined, word: string) =>
  expect((await reviewer.post(`/api/v1/terminal/sessions/${session}/${word}/`, {})).status).toBe(200)
/** How many are at it, by what they wait for. */
const sleepingIn = (event: string) => async () =>
  (await fixture.postgres.sql(`SELECT 1 FROM pg_stat_activity WHERE usename = 'scram' AND wait_event = '${event}'`))
    .length
const sleeping = async () =>
  (
    await fixture.postgres.sql(
      "SELECT 1 FROM pg_stat_activity WHERE query LIKE 'select pg_sleep%' AND state = 'active'",
    )
  ).length

test('[B7.29] a statement of several rows runs at its end, its table and the server’s words are shown, and each has its row', async () => {
  const terminal = await repl.opened()
  terminal.type("select 1 as one,\r 'müsli 你好' as text;\r")
  expect(await terminal.see('(1 row)')).toContain('  1 | müsli 你好')
  await terminal.see(PROMPT)
  terminal.type('select * from nowhere;\r')
  await terminal.see('LINE 1: select * from nowhere')
  await terminal.see(PROMPT)
  await expect
    .poll(() => repl.commands(terminal))
    .toEqual([
      { input: "select 1 as one,\n 'müsli 你好' as text", output: '1 rows', risk: 0 },
      { input: 'select * from nowhere', output: 'relation "nowhere" does not exist', risk: 0 },
    ])
  terminal.type('\x04')
  await terminal.closed
})

test('Ctrl-C breaks off the statement at the server, and the prompt comes back; so does an end of the session', async () => {
  const terminal = await repl.opened()
  terminal.type('select pg_sleep(60);\r')
  await expect.poll(sleeping).toBe(1)
  terminal.type('\x03')
  await terminal.see('canceling statement due to user request')
  await terminal.see(PROMPT)
  terminal.type('select pg_sleep(61);\r')
  await expect.poll(sleeping).toBe(1)
  const ended = await fixture.server.admin.post('/api/v1/terminal/tasks/kill-session/', [terminal.session?.id])
  expect(ended.status).toBe(200)
  await terminal.closed
  await expect.poll(sleeping).toBe(0)
})

test('[A2.51] a denied statement is not run: the person reads why, the prompt comes back, and a transaction is as it was', async () => {
  const remove = await repl.rule('drop', { action: 0 })
  const terminal = await repl.opened()
  terminal.type('begin; select 1 as first; /**/DROP/**/ table x; select 2 as second;\r')
  await terminal.see('is forbidden')
  await terminal.see('second')
  await terminal.see('shop=*> ')
  await expect
    .poll(async () => (await repl.commands(terminal)).map(({ input, risk }) => [input, risk]))
    .toEqual([
      ['begin', 0],
      ['select 1 as first', 0],
      ['/**/DROP/**/ table x', 5],
      ['select 2 as second', 0],
    ])
  await remove()
})

test('[A2.52] a statement that must be confirmed waits: approved it runs, rejected or withdrawn it does not', async () => {
  const remove = await repl.rule('as doubtful', { action: 2, reviewers: [reviewer.id] })
  const terminal = await repl.opened()
  const open = async () =>
    (await reviewer.get(`${TICKETS}?limit=10&type=command_confirm&status=open`)).body.results as { id: string }[]
  for (const [verdict, seen] of [
    ['approve', '(1 row)'],
    ['reject', 'reject'],
  ] as const) {
    terminal.type('select 7 as doubtful;\r')
    await terminal.see('[Y/n]')
    terminal.type('y\r')
    await expect.poll(open).toHaveLength(1)
    expect((await reviewer.put(`${TICKETS}${(await open())[0]?.id}/${verdict}/`)).status).toBe(200)
    await terminal.see(seen)
    await terminal.see(PROMPT)
  }
  terminal.type('select 8 as doubtful;\r')
  await terminal.see('[Y/n]')
  terminal.type('y\r')
  await expect.poll(open).toHaveLength(1)
  terminal.type('\x03')
  await terminal.see(PROMPT)
  await expect.poll(open).toHaveLength(0)
  await remove()
})

test('[A2.64] the session can be watched, locked and replayed as any terminal, and the secret is in none of it', async () => {
  const terminal = await repl.opened()
  const id = terminal.session?.id
  const watcher = await repl.watched(String(id), reviewer)
  terminal.type("select 'seen' || ' by both' as what;\r")
  await watcher.see('seen by both')
  await order(id, 'lock')
  await terminal.see('locked')
  await terminal.see(PROMPT)
  terminal.type('select 1 as never;\r')
  terminal.resize(81, 24)
  // Earlier input has arrived.
  await expect.poll(() => watcher.sizes.at(-1)?.Width).toBe(81)
  await order(id, 'unlock')
  await terminal.see('unlocked')
  await terminal.see(PROMPT)
  terminal.type('\\q\r')
  await terminal.closed
  const { server } = fixture
  await expect.poll(async () => (await server.admin.get(`/api/v1/terminal/sessions/${id}/`)).body.can_replay).toBe(true)
  await expect
    .poll(async () => (await server.admin.get(`/api/v1/terminal/sessions/${id}/replay/`)).body.type)
    .toBe('asciicast')
  expect((await repl.commands(terminal)).map(({ input }) => input)).toEqual(["select 'seen' || ' by both' as what"])
  expect(terminal.text()).not.toContain('word of the role')
})

test('[A2.64] the SSH menu lists databases under d and opens their prompt; a direct name opens it at once', async () => {
  const shell = (username: string) =>
    new Promise<{ type(text: string): void; text(): string }>((resolve, reject) => {
      const client = new Client()
      client.once('error', reject).once('ready', () =>
        client.shell({ term: 'xterm', cols: 80, rows: 24 }, (error, channel) => {
          if (error) return reject(error)
          let text = ''
          channel.on('data', (bytes: Buffer) => {
            text += bytes.toString()
          })
          channel.once('close', () => client.end())
          resolve({ type: (typed) => void channel.write(typed), text: () => text })
        }),
      )
      client.connect({ host: '127.0.0.1', port: fixture.server.sshPort ?? 0, username, password: PASSWORD })
    })
  const menu = await shell('walker')
  await expect.poll(() => menu.text()).toContain('Opt> ')
  menu.type('d\r')
  await expect.poll(() => menu.text()).toMatch(/gold[^\n]*PostgreSQL[^\n]*shop[\s\S]*\[DB\]> /)
  menu.type('1\r')
  await expect.poll(() => menu.text()).toContain('ID> ')
  menu.type('3\r')
  await expect.poll(() => menu.text()).toContain(PROMPT)
  menu.type('select 3 as three;\r')
  await expect.poll(() => menu.text()).toContain('three')
  menu.type('\x04')
  await expect.poll(() => menu.text()).toMatch(/\[DB\]> [^\n]*$/)
  menu.type('q\r')
  const direct = await shell('walker#scram#gold')
  await expect.poll(() => direct.text()).toContain(PROMPT)
  direct.type('\\q\r')
})

test('no names are asked for while the server reads another encoding, in which one of them could be a statement', async () => {
  const terminal = await repl.opened()
  terminal.type('create table completed (); set client_encoding to sjis;\r')
  await terminal.see('SET')
  await terminal.see(PROMPT)
  terminal.type('select from "Á\\"."; drop table completed; --" where x\t')
  terminal.type("\x03select 'behind it';\r")
  await terminal.see('(1 row)')
  expect(await fixture.postgres.sql("SELECT relname FROM pg_class WHERE relname = 'completed'")).toHaveLength(1)
})

test('long results stop at each page and are read no further; q cancels the rest; names are completed; an earlier statement is found', async () => {
  const terminal = await repl.opened()
  terminal.type('select g as number, repeat(md5(g::text), 20) as filler from generate_series(1, 10000000) g;\r')
  await terminal.see('-- more --')
  await expect.poll(sleepingIn('ClientWrite')).toBe(1)
  terminal.type('q')
  await terminal.see('canceling statement')
  await terminal.see(PROMPT)
  terminal.type('select * from pg_catalog.pg_databa\t')
  await terminal.see('pg_database ')
  terminal.type('limit 0\\gx\r')
  await terminal.see('(0 rows)')
  await terminal.see(PROMPT)
  terminal.type('\x12generate_se')
  await terminal.see('from generate_series(1, 10000000)')
  terminal.type('\x03\x03')
  await terminal.see(PROMPT)
})

test('rows are shown value by value, a table described, no other database entered, and a statement of a megabyte runs whole', async () => {
  const terminal = await repl.opened()
  terminal.type('\\x\r')
  await terminal.see('Rows are shown one value a line.')
  await terminal.see(PROMPT)
  terminal.type('select 1 as one, 2 as two;\r')
  await terminal.see(/one +\| 1\r\ntwo +\| 2\r\n/)
  await terminal.see(PROMPT)
  terminal.type('\\x\r')
  await terminal.see(PROMPT)
  terminal.type('\\d pg_catalog.pg_am\r')
  await terminal.see(/amname +\| name/)
  await terminal.see(PROMPT)
  terminal.type('\\c postgres\r')
  await terminal.see('leads to the database shop alone')
  await terminal.see(PROMPT)
  terminal.type('\\c shop\r')
  await terminal.see(PROMPT)
  const rows = Array.from({ length: 10_000 }, (_, at) => `(${at}, '${'x'.repeat(90)}')`)
  terminal.type(`\x1b[200~select count(*) as found from (values\r${rows.join(',\r')}) rows;\x1b[201~\r`)
  await terminal.see(/\r\n +10000\r\n/)
  await terminal.see(PROMPT)
})

test('a prompt whose line broke goes on with what was being typed, in a window of another size', async () => {
  const { server, person, target, systemUsers } = fixture
  const options = {
    type: 'postgresql',
    target: target.id,
    systemUser: Object.values(systemUsers)[0] ?? '',
    client: 'me',
  }
  const first = await openTerminal(server.url, person, options)
  await first.see(PROMPT)
  first.type('select 40 + 2 as ans')
  await first.see('as ans')
  first.cut()
  await first.closed
  const session = String(first.session?.id)
  const second = await openTerminal(server.url, person, { ...options, type: 'resume', target: session, cols: 60 })
  await second.see('as ans')
  second.type('wer;\r')
  await second.see(/answer\s+-+\s+42/)
  second.close()
})

test('a workbench: an open and a failed transaction are reported; without a permission nothing opens, and malformed input changes nothing', async () => {
  const page = await openWorkbench(fixture, 'postgresql')
  expect((await page.run('begin')).at(-1)).toMatchObject({ transaction: 'open' })
  const failed = await page.run('select * from nowhere; select 1')
  expect(failed.at(-1)).toMatchObject({ transaction: 'failed' })
  expect(failed.map(({ text = '' }) => text).join()).toContain('relation "nowhere" does not exist')
  expect((await page.run('rollback')).at(-1)).toMatchObject({ transaction: 'none' })
  const plan = await page.run('select 1 from pg_class where relname = $$a;b$$', { isPlanned: true })
  expect(JSON.parse(String(page.rows(plan[0]?.run as number)[0]?.[0]))[0].Plan).toHaveProperty('Node Type')
  for (const data of [
    {},
    { run: -1, text: 'select 1' },
    { run: 9, text: 7 },
    'x',
    { run: 1, text: 'x'.repeat(600_000) },
  ])
    page.terminal.say('WORKBENCH_RUN', data)
  page.terminal.say('WORKBENCH_ASK', { question: 1, ask: { about: 'anything' } })
  const messages = page.messages().length
  await page.run('select 4')
  expect(
    page
      .messages()
      .slice(messages)
      .every(({ run }) => run === page.messages().at(-1)?.run),
  ).toBe(true)
  await fixture.postgres.sql(`CREATE SCHEMA "o'd\\d"; CREATE TABLE "o'd\\d"."A b" (id int PRIMARY KEY, "Wann?" date)`)
  // The meaning of its quotes is the person's to set.
  await fixture.postgres.sql('ALTER ROLE scram SET standard_conforming_strings = off')
  await fixture.postgres.sql(`GRANT USAGE ON SCHEMA "o'd\\d" TO scram`)
  expect((await page.ask({ about: 'schemas' })).rows).toEqual(expect.arrayContaining([['public'], ["o'd\\d"]]))
  expect((await page.ask({ about: 'relations', schema: "o'd\\d" })).rows).toEqual([['A b', 'table']])
  expect((await page.ask({ about: 'columns', schema: "o'd\\d", relation: 'A b' })).rows).toEqual([
    ['id', 'integer', 'NO', 'PRI'],
    ['Wann?', 'date', 'YES', ''],
  ])
  const before = `select * from "o'd\\d"."A b" where W`
  const completed = await page.ask({ about: 'completion', before, database: 'shop' })
  expect(completed.rows).toContainEqual(['"Wann?"'])
  await fixture.postgres.sql('ALTER ROLE scram RESET standard_conforming_strings')
  page.terminal.close()
  const stranger = await fixture.server.aPerson('stranger')
  const refused = await openTerminal(fixture.server.url, stranger, {
    type: 'postgresql',
    target: fixture.target.id,
    systemUser: Object.values(fixture.systemUsers)[0] as string,
    view: 'workbench',
  })
  await refused.closed
  expect(refused.errors.join()).toMatch(/permission/)
})

test('values of every kind are changed as they were meant, in a transaction as anything else, and a row that was changed meanwhile stays', async () => {
  await fixture.postgres.sql(`CREATE TYPE mood AS ENUM ('well', 'ill'); CREATE TABLE kinds (id bigint, name text, plain json, deep jsonb, body bytea, price numeric(20,4), ok boolean,
    placed timestamptz, list text[], ratio real, code char(5), mood mood, spot point, PRIMARY KEY (id, code));
    INSERT INTO kinds VALUES (9007199254740993, 'it''s', '{"a": 1}', '{"a": 1}', '\\x00ff', 1.5, true, '2026-01-02 03:04:05+00', '{a,"b c"}', 1.1, 'ab', 'well', '(1,2)');
    GRANT ALL ON kinds TO scram; CREATE TABLE above (id int PRIMARY KEY, name text); CREATE TABLE below () INHERITS (above);
    INSERT INTO above VALUES (1, 'one'); INSERT INTO below VALUES (1, 'one'); GRANT ALL ON above TO scram`)
  const page = await openWorkbench(fixture, 'postgresql')
  await page.run('set standard_conforming_strings = off; select 1')
  const select = async (text = 'select * from kinds') => (await page.run(text)).at(-1)?.run as number
  const run = await select()
  const hostile = "\\'; drop table kinds; --"
  const values = [
    hostile,
    '{"b":[1, 2]}',
    '{"b": 2}',
    '\\x00fe',
    '2.2500',
    'f',
    '2026-05-06 07:08:09+00',
    '{"x,y",NULL}',
    '3.5',
    'cd   ',
    'ill',
    '(3,4)',
  ]
  for (const [index, value] of values.entries()) {
    const now = await select()
    const text = await page.plan(now, { at: 0, column: index + 1, value })
    expect(await page.edit(), text).toMatchObject({ rows: 1, warnings: 0 })
  }
  const after = await select('select * from kinds')
  expect(page.rows(after)[0]?.slice(1, 12)).toEqual(
    values
      .slice(0, 7)
      .map((value, at) => (at === 6 ? expect.stringContaining('2026-05-0') : value))
      .concat(values.slice(7, 11)),
  )
  await page.run('begin')
  await page.plan(await select(), { at: 0, column: 1, value: null })
  expect(await page.edit()).toMatchObject({ rows: 1 })
  await page.run('rollback')
  expect(await fixture.postgres.sql('SELECT name FROM kinds')).toEqual([{ name: hostile }])
  await page.plan(await select(), { at: 0, column: 1, value: 'mine', row: page.rows(run)[0] })
  expect(await page.edit()).toMatchObject({ rows: 0 })
  // Its backslash would be a part of a letter.
  await page.run('set client_encoding to gbk')
  await page.plan(await select(), { at: 0, column: 1, value: 'é\\' })
  expect((await page.edit()).error).toMatch(/writes in UTF-8/)
  await page.run('reset client_encoding')
  const last = await select()
  expect(await page.plan(last, { at: 0, column: 1, value: 'a\0b' })).toMatch(/can not be written/)
  await page.plan(last, { at: 0, column: 11, value: 'neither' })
  expect((await page.edit()).error).toMatch(/invalid input value for enum/)
  for (const text of [
    'select * from above',
    'select b.id, a.name from kinds a, kinds b',
    'select id, code, name from (select * from kinds) as inner_rows',
  ])
    expect(await page.plan(await select(text), { at: 0, column: 1, value: 'new' }), text).toMatch(
      /those of one table|whole primary key/,
    )
  page.terminal.close()
})
