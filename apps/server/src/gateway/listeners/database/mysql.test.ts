import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RowDataPacket } from 'mysql2/promise'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runToEnd } from '../../../../test/run-to-end.ts'
import { PASSWORD } from '../../../../test/server.ts'
import { type MysqlFixture, openMysqlFixture } from './mysql-fixture.ts'

let fixture: MysqlFixture
beforeAll(async () => {
  fixture = await openMysqlFixture()
  await fixture.mariadb.sql('CREATE TABLE shop.item (id int PRIMARY KEY, name text)')
})
afterAll(() => fixture?.close())

/** The same program with the same input, straight and through Sallyport. */
async function both(program: string, parameters: string[], input = '') {
  const direct = await fixture.run(program, parameters, { direct: true, input })
  const through = await fixture.run(program, parameters, { input })
  return { direct, through }
}

test.for(['native', 'ed25519'])('a client signs in with its own password and the gateway as %s', async (account) => {
  const ran = await fixture.run('mariadb', ['-BNe', 'select substring_index(user(), "@", 1), database()'], {
    user: `walker#gold#${account}`,
  })
  expect(ran).toEqual({ code: 0, stdout: `${account}\tshop\n`, stderr: '' })
})

test('mariadb answers the same through Sallyport as directly: queries, errors, \\G, several statements, exit codes', async () => {
  const script = `
    truncate item;
    insert into item values (1, 'one'), (2, '二'), (3, null);
    select * from item order by 1;
    select * from item order by 1\\G
    describe item;
    show warnings;
    delimiter //
    select 1; select 2//
    begin not atomic select 3; select * from item; end//
    delimiter ;
    use nowhere;
    select nothing;
    select 1/0, cast('x' as int);
    show warnings;
    delete from item;
  `
  const { direct, through } = await both(
    'mariadb',
    ['-vvv', '--force', '--default-character-set=utf8mb4', 'shop'],
    script,
  )
  const plain = (text: string) => text.replaceAll(/\(\d+\.\d+ sec\)/g, '')
  expect(plain(through.stdout)).toBe(plain(direct.stdout))
  expect(through).toMatchObject({ code: direct.code, stderr: direct.stderr })
  expect(direct.stdout).toContain('二')
  const failing = await both('mariadb', ['-e', 'select nothing', 'shop'])
  expect(failing.through).toEqual(failing.direct)
  expect(failing.through.code).toBe(1)
})

test('a dump of some megabytes goes in by source, and comes out the same by mariadb-dump', async () => {
  const rows = Array.from(
    { length: 20_000 },
    (_, id) => `(${id},'${createHash('sha512').update(`${id}`).digest('hex')}')`,
  )
  const dump = `DROP TABLE IF EXISTS big;\nCREATE TABLE big (id int PRIMARY KEY, word text);\n/*!40000 ALTER TABLE big DISABLE KEYS */;\nINSERT INTO big VALUES ${rows.join(',')};\n`
  const path = join(fixture.server.kernel.config.dataDirectory, 'dump.sql')
  writeFileSync(path, dump)
  expect(await fixture.run('mariadb', ['-e', `source ${path}`, 'shop'])).toEqual({ code: 0, stdout: '', stderr: '' })
  const { direct, through } = await both('mariadb-dump', ['--skip-dump-date', '--no-tablespaces', 'shop'])
  expect(through.code, through.stderr).toBe(0)
  expect(through.stdout).toBe(direct.stdout)
  expect(direct.stdout.length).toBeGreaterThan(2_500_000)
})

test('a file that the client loads gets there whole', async () => {
  const path = join(fixture.server.kernel.config.dataDirectory, 'items.csv')
  writeFileSync(path, Array.from({ length: 50_000 }, (_, id) => `${id}\tword ${id}\n`).join(''))
  const load = `truncate item; load data local infile '${path}' into table item; select count(*), max(name) from item`
  const { direct, through } = await both('mariadb', ['--local-infile', '-BNe', load, 'shop'])
  expect(through).toEqual(direct)
  expect(through.stdout).toBe('50000\tword 9999\n')
  await fixture.mariadb.sql('TRUNCATE shop.item')
})

test('mysqlslap with many clients at once fails nothing', async () => {
  const load = ['--concurrency=4', '--iterations=2', '--number-of-queries=200', '--create-schema=shop', '--no-drop']
  const ran = await fixture.run('mysqlslap', [...load, '--query=select * from item where id = 1'])
  expect(ran).toMatchObject({ code: 0, stderr: '' })
})

test('drivers of Node and Python have texts, numbers, errors and prepared statements as directly', async () => {
  const client = await fixture.connect()
  const [rows] = await client.execute('select ? + 1 as next, ? as word, now() > 0 as yes', [1, '二'])
  expect(rows).toEqual([{ next: 2, word: '二', yes: 1 }])
  expect((await client.execute('select ? + 1 as next, ? as word, now() > 0 as yes', [5, 'x']))[0]).toEqual([
    { next: 6, word: 'x', yes: 1 },
  ])
  await expect(client.query('select nothing')).rejects.toMatchObject({ errno: 1054, sqlState: '42S22' })
  await expect(client.execute('select nothing')).rejects.toMatchObject({ errno: 1054 })
  await client.ping()
  await client.end()
  const program = `
import pymysql, os
db = pymysql.connect(host='127.0.0.1', port=${fixture.port}, user='walker#gold#native', password=os.environ['SECRET'], ssl={'fake': True})
with db.cursor() as cursor:
    cursor.execute('select %s, %s', (1, '二'))
    print(cursor.fetchall())
    try: cursor.execute('select nothing')
    except pymysql.err.OperationalError as error: print(error.args[0])
`
  const ran = await runToEnd('/usr/bin/python3', ['-c', program], {
    environment: { SECRET: PASSWORD, PYTHONIOENCODING: 'utf-8' },
  })
  expect(ran).toEqual({ code: 0, stdout: "((1, '二'),)\n1054\n", stderr: '' })
})

test('rows above 16 MB, and statements of that size, arrive whole', async () => {
  const client = await fixture.connect()
  const [rows] = await client.query<RowDataPacket[]>("select repeat('x', 20000000) as wide, 1 as one")
  expect(rows[0]?.wide).toHaveLength(20_000_000)
  const long = `select length('${'y'.repeat(17_000_000)}') as bytes`
  expect((await client.query(long))[0]).toEqual([{ bytes: 17_000_000 }])
  expect((await client.query('select 1 as one'))[0]).toEqual([{ one: 1 }])
  await client.end()
})

test('a statement is cancelled by the number of its own connection; a number of nobody is the server’s affair', async () => {
  const [client, other] = [await fixture.connect(), await fixture.connect()]
  const running = client.query('select sleep(30)')
  running.catch(() => {})
  await expect.poll(sleeping).toBe(1)
  await expect(other.query(`KILL QUERY ${client.threadId - 1}`)).rejects.toMatchObject({ errno: 1094 })
  expect(await sleeping()).toBe(1)
  await other.query(`KILL QUERY ${client.threadId}`)
  await expect(running).rejects.toMatchObject({ errno: 1317 })
  await expect(other.query(`kill ${client.threadId}`)).resolves.toBeDefined()
  await expect(client.query('select 1')).rejects.toThrow()
  await other.end()
})

/** How many statements run for longer than they should at the server. */
const sleeping = async () =>
  (await fixture.mariadb.sql("SELECT 1 FROM information_schema.PROCESSLIST WHERE INFO LIKE 'select sleep%'")).length

test('every statement is a row: text, rows, duration, error, database, program; prepared ones each time they run', async () => {
  const client = await fixture.connect({ connectAttributes: { program_name: 'report of the month' } })
  const long = `select '${'x'.repeat(70_000)}' as text`
  await client.query('select 1 union select 2')
  await client.query(long)
  await client.query('select nothing').catch(() => {})
  await client.execute('insert into item values (?, ?)', [1, 'x'])
  await client.execute('insert into item values (?, ?)', [2, 'x'])
  await client.execute('select nothing at all').catch(() => {})
  await client.query('USE information_schema')
  await client.query('select 3')
  await client.end()
  const { pool } = fixture.server.kernel
  const stored = async () =>
    (
      await pool.query(
        `SELECT c.input, c.output, s.* FROM terminal_command c JOIN terminal_statement s ON s.command = c.id
         WHERE s.program = 'report of the month' ORDER BY c.id`,
      )
    ).rows
  await expect.poll(stored).toHaveLength(8)
  const [union, wide, failed, first, second, unprepared, use, last] = await stored()
  expect(union).toMatchObject({ output: '2 rows', rows: '2', error: null, database: 'shop' })
  expect(union.milliseconds).toBeGreaterThan(0)
  expect(wide.sha256).toBe(createHash('sha256').update(long).digest('hex'))
  expect(wide.text).toBe(long.slice(0, 64 * 1024))
  expect(failed).toMatchObject({ code: '1054', error: "Unknown column 'nothing' in 'SELECT'" })
  for (const one of [first, second]) expect(one).toMatchObject({ text: 'insert into item values (?, ?)', rows: '1' })
  expect(unprepared).toMatchObject({ text: 'select nothing at all', code: '1064' })
  expect(use).toMatchObject({ text: 'USE information_schema', database: 'shop' })
  expect(last).toMatchObject({ text: 'select 3', database: 'information_schema' })
})

test('a token lets its client in without a password, or with any, and not once it is revoked', async () => {
  const token = await fixture.token('ed25519')
  for (const password of ['', 'whatever']) {
    const client = await fixture.connect({ user: token, password })
    expect((await client.query("select substring_index(user(), '@', 1) as me"))[0]).toEqual([{ me: 'ed25519' }])
    await client.end()
    const ran = await fixture.run('mariadb', ['-BNe', 'select 1'], { user: token, password })
    expect(ran).toEqual({ code: 0, stdout: '1\n', stderr: '' })
  }
  await fixture.server.kernel.pool.query('DELETE FROM authentication_connection_token WHERE user_id = $1', [
    fixture.person.id,
  ])
  await expect(fixture.connect({ user: token })).rejects.toThrow('unknown, has expired')
})

test('a person without permission is refused in words, and nothing reaches the database', async () => {
  const refused = async (options: object) => {
    const error = await fixture.connect(options).then(
      () => new Error('let in'),
      (one: Error) => one,
    )
    return error.message
  }
  expect(await refused({ password: 'wrong' })).toContain('incorrect')
  expect(await refused({ password: '' })).toContain('incorrect')
  expect(await refused({ user: 'walker' })).toContain('person#application#account')
  expect(await refused({ user: 'walker#silver#native' })).toContain('You were granted no')
  expect(await refused({ user: 'walker#gold#nobody' })).toContain('You were granted no system user')
  expect(await refused({ database: 'mysql' })).toContain('leads to the database shop alone')
  expect(await refused({ ssl: undefined })).toContain('TLS')
})

test('a denied statement gets the words of the rule, written or prepared, and the connection goes on', async () => {
  const filter = await fixture.created('/api/v1/assets/cmd-filters/', { name: 'no drops', users: [fixture.person.id] })
  await fixture.created(`/api/v1/assets/cmd-filters/${filter}/rules/`, {
    filter,
    type: 'regex',
    content: 'drop table',
    ignore_case: true,
  })
  const client = await fixture.connect({ multipleStatements: true })
  const denied = { errno: 1142, sqlState: '42000', message: expect.stringMatching(/`drop table`/i) }
  for (const text of [
    'DROP TABLE item',
    'DROP /* x */ TABLE item',
    'DROP # x\nTABLE item',
    '/*!50003 drop */ table item',
    '/*M! drop table item */',
    'drop /*!99999 not here */ table item',
    'select 1; DROP TABLE item',
  ])
    await expect(client.query(text), text).rejects.toMatchObject(denied)
  await expect(client.execute('DROP TABLE item')).rejects.toMatchObject(denied)
  expect((await client.query('select 1 as one'))[0]).toEqual([{ one: 1 }])
  await client.end()
  const ran = await fixture.run('mariadb', ['-e', 'drop table item', 'shop'])
  expect(ran.code).toBe(1)
  expect(ran.stderr).toContain('ERROR 1142 (42000) at line 1: Command `drop table` is forbidden')
  await fixture.server.admin.delete(`/api/v1/assets/cmd-filters/${filter}/`)
})

test('the user of a connection is not changed, and nothing is replicated', async () => {
  const client = await fixture.connect()
  await expect(client.changeUser({ user: 'root' })).rejects.toMatchObject({ errno: 1227 })
  expect((await client.query("select substring_index(user(), '@', 1) as me"))[0]).toEqual([{ me: 'native' }])
  await client.end()
})
