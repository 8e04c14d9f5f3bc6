import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestBrowser } from '../../../../test/browser.ts'
import { PASSWORD } from '../../../../test/server.ts'
import { settingsOf } from '../../../domains/settings/index.ts'
import { cancelRequest } from '../../protocols/postgresql/startup.ts'
import { openTerminal } from '../web/terminal-fixture.ts'
import { type DatabaseFixture, openDatabaseFixture } from './database-fixture.ts'

let fixture: DatabaseFixture
beforeAll(async () => {
  fixture = await openDatabaseFixture({ SALLYPORT_CLOSED_TARGETS: '127.0.0.9, 10.77.0.0/16' })
  await fixture.postgres.sql('CREATE TABLE item (id int PRIMARY KEY, name text)')
  await fixture.postgres.sql('ALTER TABLE item OWNER TO scram')
})
afterAll(() => fixture?.close())

/** The same program with the same input, straight and through Sallyport. */
async function both(program: string, parameters: string[], input = '') {
  const direct = await fixture.run(program, parameters, { direct: true, input })
  const through = await fixture.run(program, parameters, { input })
  return { direct, through }
}

test.for(['scram', 'md5', 'clear'])('a client signs in with its own password and the gateway as %s', async (role) => {
  const ran = await fixture.run('psql', ['-Atc', 'select current_user, current_database()'], {
    user: `walker#gold#${role}`,
  })
  expect(ran).toEqual({ code: 0, stdout: `${role}|shop\n`, stderr: '' })
})

test('with the word browser for a password psql shows an address and a code; confirmed, the code is the password once', async () => {
  const browser = openTestBrowser(fixture.server)
  await settingsOf(fixture.server.kernel).set('SECURITY_LOGIN_CAPTCHA_ENABLED', false)
  await browser.call('POST', '/core/auth/login/', { username: 'walker', password: PASSWORD })
  const psql = (password: string) => fixture.run('psql', ['-Atc', 'select 1'], { password })
  expect((await psql('wrong')).stderr).toContain('browser')
  const { code, stderr } = await psql('browser')
  const shown = /confirm-sign-in\?code=([A-Z0-9-]{9})/.exec(stderr)?.[1] ?? ''
  expect([code, shown]).toEqual([2, expect.stringMatching(/^.{4}-.{4}$/)])
  expect((await psql(shown)).stderr).toContain(`code=${shown}`)
  const path = `/api/v1/authentication/browser-sign-ins/${shown}/`
  expect((await browser.call('GET', path)).body).toMatchObject({ username: 'walker', state: 'open' })
  expect((await browser.call('POST', `${path}confirm/`, {})).status).toBe(200)
  expect(await psql(shown)).toEqual({ code: 0, stdout: '1\n', stderr: '' })
  expect((await psql(shown)).code, 'used twice').toBe(2)
})

test('psql answers the same through Sallyport as directly: queries, errors, \\d, \\copy, several statements, exit codes', async () => {
  const script = `
    truncate item;
    insert into item values (1, 'one'), (2, '二'), (3, null);
    \\d item
    select * from item order by 1;
    select 1/0;
    begin; select nothing; select 1; rollback;
    select 1 \\; select 2;
    \\copy item from stdin
4\tfour
5\tfive
\\.
    \\copy item to stdout
    \\gset
    prepare p as select * from item where id > $1; execute p(3);
  `
  const { direct, through } = await both('psql', ['-X'], script)
  expect(through).toEqual(direct)
  expect(direct.stdout).toContain('二')
  const failing = await both('psql', ['-X', '-v', 'ON_ERROR_STOP=1', '-c', 'select 1/0'])
  expect(failing.through).toEqual(failing.direct)
})

test('a dump of some megabytes goes in by -f, and comes out the same by pg_dump', async () => {
  const rows = Array.from({ length: 40_000 }, (_, at) => `${at}\tname of ${at} ${'x'.repeat(60)}`).join('\n')
  const inserts = Array.from({ length: 2_000 }, (_, at) => `INSERT INTO big VALUES (${-at - 1}, 'by insert');`).join(
    '\n',
  )
  const file = join(fixture.server.kernel.config.dataDirectory, 'dump.sql')
  writeFileSync(file, `CREATE TABLE big (id int, name text);\nCOPY big FROM stdin;\n${rows}\n\\.\n${inserts}\n`)
  const loaded = await fixture.run('psql', ['-Xq', '-v', 'ON_ERROR_STOP=1', '-f', file])
  expect(loaded).toEqual({ code: 0, stdout: '', stderr: '' })
  const { direct, through } = await both('pg_dump', ['-t', 'big'])
  expect(through.code).toBe(0)
  // Each run makes up a word of its own for psql.
  const plain = (text: string) => text.replaceAll(/^\\(?:un)?restrict \w+$/gm, '')
  expect(plain(through.stdout)).toBe(plain(direct.stdout))
  expect(direct.stdout.length).toBeGreaterThan(3_000_000)
})

test.for(['simple', 'extended', 'prepared'])('pgbench runs by the %s protocol, and fails nothing', async (protocol) => {
  await fixture.run('pgbench', ['-i', '-q'], { direct: true })
  const ran = await fixture.run('pgbench', ['-M', protocol, '-c', '4', '-t', '50', '-n'])
  expect(ran.code, ran.stderr).toBe(0)
  expect(ran.stdout).toContain('number of transactions actually processed: 200/200')
})

test('a driver has its statements prepared, its errors with their codes, and its transaction as the server has it', async () => {
  const client = await fixture.connect()
  const named = (id: number) => client.query({ name: 'by id', text: 'select $1::int + 1 as next', values: [id] })
  expect((await named(1)).rows).toEqual([{ next: 2 }])
  expect((await named(2)).rows).toEqual([{ next: 3 }])
  await client.query('begin')
  await expect(client.query('select nothing')).rejects.toMatchObject({ code: '42703' })
  await expect(client.query('select 1')).rejects.toMatchObject({ code: '25P02' })
  await client.query('rollback')
  await client.end()
})

test('a statement is cancelled by the key of its own client, not by another', async () => {
  const client = await fixture.connect()
  const { processID, secretKey } = client as unknown as { processID: number; secretKey: number }
  const running = client.query('select pg_sleep(30)')
  running.catch(() => {})
  await expect
    .poll(() => fixture.postgres.sql("select 1 from pg_stat_activity where query = 'select pg_sleep(30)'"))
    .toHaveLength(1)
  await cancelWith(processID, secretKey ^ 1)
  await cancelWith(processID ^ 1, secretKey)
  expect(
    await fixture.postgres.sql(
      "select 1 from pg_stat_activity where query = 'select pg_sleep(30)' and state = 'active'",
    ),
  ).toHaveLength(1)
  await cancelWith(processID, secretKey)
  await expect(running).rejects.toMatchObject({ code: '57014' })
  expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }])
  await client.end()
})

/** Settles when the server has hung up. */
function cancelWith(process: number, key: number): Promise<void> {
  const socket = connect(fixture.port, '127.0.0.1').on('error', () => {})
  const request = Buffer.alloc(8)
  request.writeInt32BE(process, 0)
  request.writeInt32BE(key, 4)
  socket.write(cancelRequest(process, request.subarray(4)))
  return new Promise((resolve) => socket.resume().once('close', () => resolve()))
}

test('every statement is a row: text, rows, duration, error, database, program; executed ones each time', async () => {
  const client = await fixture.connect({ application_name: 'report of the month' })
  const long = `select '${'x'.repeat(70_000)}' as text`
  await client.query('select generate_series(1, 5)')
  await client.query(long)
  await client.query('select nothing').catch(() => {})
  const named = { name: 'n', text: 'select $1::int', values: [1] }
  await client.query(named)
  await client.query(named)
  await client.end()
  const { pool } = fixture.server.kernel
  const stored = async () =>
    (
      await pool.query(
        `SELECT c.input, c.output, s.* FROM terminal_command c JOIN terminal_statement s ON s.command = c.id
         WHERE s.program = 'report of the month' ORDER BY c.id`,
      )
    ).rows
  await expect.poll(stored).toHaveLength(5)
  const [series, wide, failed, first, second] = await stored()
  expect(series).toMatchObject({
    input: 'select generate_series(1, 5)',
    output: '5 rows',
    rows: '5',
    error: null,
    database: 'shop',
    sha256: createHash('sha256').update('select generate_series(1, 5)').digest('hex'),
  })
  expect(series.milliseconds).toBeGreaterThan(0)
  expect(wide.input).toHaveLength(128)
  expect(wide.text).toBe(long.slice(0, 64 * 1024))
  expect(wide.sha256).toBe(createHash('sha256').update(long).digest('hex'))
  expect(failed).toMatchObject({ code: '42703', error: 'column "nothing" does not exist' })
  for (const one of [first, second]) expect(one).toMatchObject({ text: 'select $1::int', rows: '1' })

  // Over the API: facts in the list, the text by itself; a search also finds text behind the part
  // that a row shows.
  const { admin, anOrg, aPerson } = fixture.server
  const list = `/api/v1/terminal/commands/?session_id=${(await pool.query('SELECT session FROM terminal_command WHERE id = $1', [wide.command])).rows[0].session}`
  const found = (await admin.get(`${list}&input=${encodeURIComponent(`xxx' AS TEXT`)}`)).body
  expect(found).toEqual([])
  const sought = (await admin.get(`${list}&input=${'X'.repeat(200)}`)).body
  expect(sought).toMatchObject([{ id: wide.command, statement_length: 65_536, database: 'shop', rows: 1 }])
  const whole = `/api/v1/terminal/commands/${wide.command}/statement/`
  expect((await admin.get(whole)).body).toMatchObject({ text: wide.text, sha256: wide.sha256, program: wide.program })
  expect((await admin.in(await anOrg('Elsewhere')).get(whole)).status).toBe(404)
  expect((await (await aPerson('statement-reader')).get(whole)).status).toBe(403)
})

test('a token lets its client in, again while a connection lives, from its address alone, and not once it is revoked', async () => {
  const token = await fixture.token()
  await fixture.token()
  const options = { user: token, password: '' }
  const first = await fixture.connect(options)
  const second = await fixture.connect(options)
  expect((await second.query('select current_user as me')).rows).toEqual([{ me: 'scram' }])
  const { pool } = fixture.server.kernel
  // A connection keeps its own token alive, and no other.
  const { rows } = await pool.query(
    'SELECT count(date_used)::int AS used, count(*)::int AS all FROM authentication_connection_token',
  )
  expect(rows).toEqual([{ used: 1, all: 2 }])
  await pool.query("UPDATE authentication_connection_token SET remote_addr = '192.0.2.1' WHERE user_id = $1", [
    fixture.person.id,
  ])
  await expect(fixture.connect(options)).rejects.toThrow('is for another address')
  await pool.query('DELETE FROM authentication_connection_token WHERE user_id = $1', [fixture.person.id])
  await expect(fixture.connect(options)).rejects.toThrow('unknown, has expired')
  await Promise.all([first.end(), second.end()])
})

test('a token that has opened a terminal opens no connection of a client, nor the other way round', async () => {
  const target = { type: 'token', target: '', systemUser: '' }
  const terminal = (byToken: string) => openTerminal(fixture.server.url, fixture.person, { ...target, byToken })
  const first = await fixture.token()
  const opened = await terminal(first)
  await opened.until(() => opened.messages.some(({ type }) => type === 'CONNECT'))
  await expect(fixture.connect({ user: first, password: '' })).rejects.toThrow('unknown, has expired')
  opened.close()

  const second = await fixture.token()
  const client = await fixture.connect({ user: second, password: '' })
  const refused = await terminal(second)
  await refused.closed
  expect(refused.errors.join()).toBe('The connection token is unknown, has expired or was used')
  await client.end()
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
  expect(await refused({ user: 'nobody#gold#scram' })).toContain('incorrect')
  expect(await refused({ user: 'walker' })).toContain('person#application#account')
  expect(await refused({ user: 'walker#silver#scram' })).toContain('You were granted no')
  expect(await refused({ user: 'walker#gold#nobody' })).toContain('You were granted no system user')
  expect(await refused({ database: 'postgres' })).toContain('leads to the database shop alone')
  expect(await refused({ ssl: false })).toContain('TLS')
  expect(await refused({ replication: 'database' })).toContain('Replication')
})

test('a database target leads neither to Sallyport itself, by whatever form of its address, nor where the operator closed', async () => {
  const { server, port, systemUsers, person } = fixture
  const own = [Number(new URL(server.url).port), server.sshPort, port]
  const addresses = ['127.0.0.1', '127.8.8.8', 'localhost', '0x7f.1', '2130706433', '::ffff:127.0.0.1', '0.0.0.0']
  const places = [
    ...own.map((one) => ['127.0.0.1', one]),
    ...addresses.map((one) => [one, port]),
    ['127.0.0.9', fixture.postgres.port],
    ['10.77.3.4', 5432],
    ['169.254.169.254', 80],
    ['64:ff9b::a9fe:a9fe', 80],
  ]
  const applications = await Promise.all(
    places.map(([host, at], index) =>
      fixture.created('/api/v1/applications/applications/?type=postgresql', {
        name: `probe-${index}`,
        category: 'db',
        type: 'postgresql',
        attrs: { host, port: at, database: 'shop' },
      }),
    ),
  )
  await fixture.created('/api/v1/perms/application-permissions/', {
    name: 'probes',
    category: 'db',
    type: 'postgresql',
    users: [person.id],
    applications,
    system_users: [systemUsers.scram],
  })
  for (const [index, place] of places.entries()) {
    const refused = await fixture.connect({ user: `walker#probe-${index}#scram` }).then(
      () => 'let in',
      (error: Error) => error.message,
    )
    expect(refused, place.join(' ')).toContain('This address is closed to connections from this server')
  }
})

test('psql starts in permitted databases alone, \\connect leads to no other, and a qualified name to none but its own', async () => {
  const application = `/api/v1/applications/applications/${fixture.target.id}/`
  const permission = `/api/v1/perms/application-permissions/${fixture.permission}/`
  const { admin } = fixture.server
  const { attrs } = (await admin.get(application)).body
  await fixture.postgres.sql('CREATE DATABASE archive_of')
  const psql = (database: string, input: string) => fixture.run('psql', ['-At', '-d', database], { input })
  const inDatabase = "select 'in ' || current_database();"
  const refused = expect.stringContaining('does not lead to the database archive_of')
  try {
    expect((await admin.patch(application, { attrs: { ...attrs, database: '' } })).status).toBe(200)
    expect((await psql('archive_of', inDatabase)).stdout).toBe('in archive_of\n')
    expect((await admin.patch(permission, { databases: ['shop'] })).status).toBe(200)
    expect(await psql('archive_of', inDatabase)).toMatchObject({ code: 2, stdout: '', stderr: refused })
    // A script has no connection any more behind one that failed.
    const script = `${inDatabase}\nselect 1 from archive_of.public.box;\n\\connect archive_of\n${inDatabase}`
    const { stdout, stderr } = await psql('shop', script)
    expect(stdout).toBe('in shop\n')
    expect(stderr).toContain('cross-database references are not implemented')
    expect(stderr).toEqual(refused)
  } finally {
    await admin.patch(permission, { databases: [] })
    await admin.patch(application, { attrs })
    await fixture.postgres.sql('DROP DATABASE archive_of WITH (FORCE)')
  }
})

test('a denied statement gets the words of the rule, simple or prepared, and the transaction is as the server has it', async () => {
  const filter = await fixture.created('/api/v1/assets/cmd-filters/', { name: 'no drops', users: [fixture.person.id] })
  await fixture.created(`/api/v1/assets/cmd-filters/${filter}/rules/`, {
    filter,
    type: 'regex',
    content: 'drop table',
    ignore_case: true,
  })
  const client = await fixture.connect()
  const denied = { code: '42501', message: expect.stringContaining('`DROP TABLE`') }
  for (const text of ['DROP TABLE item', 'DROP /* x */ TABLE item', 'select 1; DROP TABLE item'])
    await expect(client.query(text)).rejects.toMatchObject(denied)
  await expect(client.query({ name: 'd', text: 'DROP TABLE item', values: [] })).rejects.toMatchObject(denied)
  await client.query('begin')
  await expect(client.query('DROP TABLE item', [])).rejects.toMatchObject(denied)
  await expect(client.query('select 1')).rejects.toMatchObject({ code: '25P02' })
  await client.query('rollback')
  expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }])
  await client.end()
  const psql = await fixture.run('psql', ['-Xc', 'drop table item'])
  expect(psql).toMatchObject({ code: 1, stderr: 'ERROR:  Command `drop table` is forbidden\n' })
  await fixture.server.admin.delete(`/api/v1/assets/cmd-filters/${filter}/`)
})
