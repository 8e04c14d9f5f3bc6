/** Events that end, lock or hold a session of a client of MySQL, and strangers at its port. */
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type mysql from 'mysql2/promise'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type Caller, PASSWORD } from '../../../../test/server.ts'
import { loginPacket, loginStart } from '../../protocols/mysql/login.ts'
import { CAPABILITY, COMMAND, OF_MARIADB, packet } from '../../protocols/mysql/packets.ts'
import { type MysqlFixture, openMysqlFixture } from './mysql-fixture.ts'

const TICKETS = '/api/v1/tickets/tickets/'

let fixture: MysqlFixture
let reviewer: Caller
beforeAll(async () => {
  fixture = await openMysqlFixture({ SALLYPORT_DATABASE_UNAUTHENTICATED: '40' })
  reviewer = await fixture.server.aPerson('decider')
})
afterAll(() => fixture?.close())
const clients: mysql.Connection[] = []
afterEach(() => Promise.all(clients.splice(0).map((client) => client.end().catch(() => {}))))

interface Connected {
  client: mysql.Connection
  /** Its row. */
  session: string
  /** The words with which it was ended. */
  ended: Promise<string>
}

async function connected(): Promise<Connected> {
  const client = await fixture.connect()
  clients.push(client)
  const ended = new Promise<string>((resolve) => client.once('error', (error) => resolve((error as Error).message)))
  return { client, session: await fixture.newestSession(), ended }
}
/** How many statements run for longer than they should at the server. */
const sleeping = async () =>
  (await fixture.mariadb.sql("SELECT 1 FROM information_schema.PROCESSLIST WHERE INFO LIKE 'select sleep%'")).length

test('a session that is terminated tells its client so, and cancels what runs at the server', async () => {
  const { client, session } = await connected()
  const running = client.query('select sleep(60)').catch((error: Error) => error)
  await expect.poll(sleeping).toBe(1)
  await fixture.terminate(session)
  expect(await running).toMatchObject({ errno: 1053, message: expect.stringMatching(/terminated|ended/i) })
  await expect.poll(sleeping).toBe(0)
  await expect.poll(() => fixture.isFinished(session)).toBe(true)
})

test('a permission that is withdrawn ends the session within seconds', async () => {
  const { session, ended } = await connected()
  await fixture.permit(false)
  expect(await ended).toMatch(/permission/i)
  await expect.poll(() => fixture.isFinished(session)).toBe(true)
  await expect(fixture.connect()).rejects.toThrow('You were granted no')
  await fixture.permit(true)
})

test('statements of a locked session are refused one by one, and run again once it is unlocked', async () => {
  const { client, session } = await connected()
  const locker = await fixture.server.aPerson('locker', { orgRoles: ['Auditor'] })
  const order = async (word: string) =>
    expect((await locker.post(`/api/v1/terminal/sessions/${session}/${word}/`, {})).status).toBe(200)
  const isRefused = async () => {
    const answer = await client.query('select 1').catch((error: Error) => error)
    return answer instanceof Error ? answer.message : ''
  }
  await order('lock')
  await expect.poll(isRefused).toContain('locked')
  await expect(client.execute('select ?', [1])).rejects.toMatchObject({ errno: 1142 })
  await order('unlock')
  await expect.poll(isRefused).toBe('')
})

test('[A2.52] a statement that must be confirmed waits: approved it runs, rejected or cancelled it fails, and the session goes on', async () => {
  const filter = await fixture.created('/api/v1/assets/cmd-filters/', { name: 'asked', users: [fixture.person.id] })
  await fixture.created(`/api/v1/assets/cmd-filters/${filter}/rules/`, {
    filter,
    type: 'regex',
    content: 'as doubtful',
    action: 2,
    reviewers: [reviewer.id],
  })
  const { client } = await connected()
  const open = async () =>
    (await reviewer.get(`${TICKETS}?limit=10&type=command_confirm&status=open`)).body.results as { id: string }[]
  const asked = () =>
    client.query('select 7 as doubtful').then(
      ([rows]) => rows,
      (error: Error & { errno: number }) => error.errno,
    )
  for (const verdict of ['approve', 'reject']) {
    const answer = asked()
    await expect.poll(open).toHaveLength(1)
    const [ticket] = await open()
    expect((await reviewer.put(`${TICKETS}${ticket?.id}/${verdict}/`)).status).toBe(200)
    expect(await answer).toEqual(verdict === 'approve' ? [{ doubtful: 7 }] : 1142)
    expect((await client.query('select 1 as one'))[0]).toEqual([{ one: 1 }])
  }
  const held = asked()
  await expect.poll(open).toHaveLength(1)
  const other = await fixture.connect()
  clients.push(other)
  await other.query(`KILL QUERY ${client.threadId}`)
  expect(await held).toBe(1317)
  expect((await client.query('select 1 as one'))[0]).toEqual([{ one: 1 }])
  await expect.poll(open).toHaveLength(0)
  await fixture.server.admin.delete(`/api/v1/assets/cmd-filters/${filter}/`)
})

test('a statement that another one runs is judged, and one behind a quote that ends in one mode of the connection alone', async () => {
  const drop = '; drop/**/table hidden -- '
  const ways: [mode: string, text: string][] = [
    ['', `select '\\''${drop}'`],
    ['NO_BACKSLASH_ESCAPES', `select '\\'${drop}'`],
    ['ANSI_QUOTES', `select 1 as "a\\"${drop}"`],
    ['', `select '\\''; set sql_mode = 'NO_BACKSLASH_ESCAPES'; select '\\'${drop}'`],
    ['NO_BACKSLASH_ESCAPES', `select '\\'; set sql_mode = ''; select '\\''${drop}'`],
    ['', 'begin not atomic drop table hidden; end'],
    ['ORACLE', 'begin drop table hidden; end'],
    ['', 'begin not atomic if 1 then drop/**/table hidden; end if; end'],
    ['', 'set statement max_statement_time = 9 for drop table hidden'],
    ['', "execute immediate concat('drop ', x'7461626c65', ' hidden')"],
    ['', "prepare p from 'drop table hidden'; execute p"],
  ]
  const outcomes = async () => {
    const found: [dropped: boolean, errno: number | undefined][] = []
    for (const [mode, text] of ways) {
      await fixture.mariadb.sql('CREATE OR REPLACE TABLE shop.hidden (id INT)')
      const client = await fixture.connect({ multipleStatements: true })
      await client.query(`set sql_mode = '${mode}'`)
      const errno = await client.query(text).then(
        () => undefined,
        (error: { errno: number }) => error.errno,
      )
      await client.end()
      found.push([(await fixture.mariadb.sql("SHOW TABLES IN shop LIKE 'hidden'")).length === 0, errno])
    }
    return found
  }
  // Without a rule each of them drops it.
  expect(await outcomes()).toEqual(ways.map(() => [true, undefined]))
  const filter = await fixture.created('/api/v1/assets/cmd-filters/', { name: 'hidden', users: [fixture.person.id] })
  const rule = { filter, type: 'regex', content: '^drop table hidden' }
  await fixture.created(`/api/v1/assets/cmd-filters/${filter}/rules/`, rule)
  expect(await outcomes()).toEqual(ways.map(() => [false, 1142]))
  await fixture.server.admin.delete(`/api/v1/assets/cmd-filters/${filter}/`)
})

interface Raw {
  socket: Socket
  received: () => string
  closed: Promise<unknown>
}

function listenTo(socket: Socket): Raw {
  let received = ''
  socket.on('error', () => {})
  socket.on('data', (bytes) => {
    received += bytes.toString('latin1')
  })
  return { socket, received: () => received, closed: new Promise((gone) => socket.once('close', gone)) }
}

/** A connection that sends nothing by itself; everything that it receives. */
function raw(): Promise<Raw> {
  return new Promise((resolve, reject) => {
    const socket = connect(fixture.port, '127.0.0.1').once('error', reject)
    socket.once('connect', () => resolve(listenTo(socket)))
  })
}

const CAPABILITIES = CAPABILITY.protocol41 | CAPABILITY.secureConnection | CAPABILITY.pluginAuth
const LOGIN = {
  capabilities: CAPABILITIES,
  maxPacket: 1 << 24,
  collation: 45,
  username: 'walker#gold#native',
  proof: Buffer.alloc(32, 1),
  database: '',
  plugin: 'caching_sha2_password',
  attributes: Buffer.alloc(0),
}

/** One that is signed in, and speaks by itself from then on. */
async function signedIn(ofMariaDb = 0): Promise<Raw> {
  const { socket: plain, received } = await raw()
  await expect.poll(received).toContain('caching_sha2_password')
  plain.removeAllListeners('data')
  const capabilities = CAPABILITIES | CAPABILITY.tls
  plain.write(packet(1, loginStart({ ...LOGIN, capabilities, ofMariaDb })))
  const client = listenTo(connectTls({ socket: plain, rejectUnauthorized: false }))
  client.socket.write(loginPacket(2, { ...LOGIN, capabilities, ofMariaDb }))
  await expect.poll(client.received).toBe('\x02\0\0\x03\x01\x04')
  client.socket.write(packet(4, Buffer.from(`${PASSWORD}\0`)))
  await expect.poll(() => client.received().length).toBeGreaterThan(10)
  return client
}

const query = (text: string, encoding: BufferEncoding = 'utf8') =>
  packet(0, Buffer.of(COMMAND.query), Buffer.from(text, encoding))

test('a statement is judged as the server reads it, in whatever words its client has changed the character set', async () => {
  // To a server that reads GBK the first of these is a letter with the byte before it.
  const drop = query('select 1 as \x81`; drop/**/table hidden -- `', 'latin1')
  const change = query('set/**/names gbk')
  const ways = [
    [change, drop],
    [query('set names gbk'), query("select 'set names utf8mb4'"), drop],
    [query('set names gbk; select 1 as \x81`; drop/**/table hidden -- `', 'latin1')],
  ]
  const outcomes = async () => {
    const found: [dropped: boolean, isRefused: boolean][] = []
    for (const [at, packets] of [...ways.entries(), [-1, [Buffer.concat([change, drop])]] as const]) {
      await fixture.mariadb.sql('CREATE OR REPLACE TABLE shop.hidden (id INT)')
      const { socket, received } = await signedIn()
      socket.write(packet(0, Buffer.of(COMMAND.setOption, 0, 0)))
      for (const one of packets) {
        const before = received().length
        socket.write(one)
        await expect.poll(() => received().length).toBeGreaterThan(before)
      }
      socket.write(query(`select 'end of ${at}'`))
      await expect.poll(received).toContain(`end of ${at}\x05`)
      socket.destroy()
      const dropped = (await fixture.mariadb.sql("SHOW TABLES IN shop LIKE 'hidden'")).length === 0
      found.push([dropped, received().includes('is forbidden')])
    }
    return found
  }
  expect(await outcomes()).toEqual([...ways, 'at once'].map(() => [true, false]))
  const filter = await fixture.created('/api/v1/assets/cmd-filters/', { name: 'read', users: [fixture.person.id] })
  const rule = { filter, type: 'regex', content: '^drop table hidden' }
  await fixture.created(`/api/v1/assets/cmd-filters/${filter}/rules/`, rule)
  expect(await outcomes()).toEqual([...ways, 'at once'].map(() => [false, true]))
  await fixture.server.admin.delete(`/api/v1/assets/cmd-filters/${filter}/`)
})

test('commands in pieces, and several at once, are answered in their order, refused ones too', async () => {
  const { socket, received } = await signedIn()
  for (const byte of query("select 'in pieces'")) socket.write(Buffer.of(byte))
  await expect.poll(received).toContain('in pieces\x05')
  socket.write(
    Buffer.concat([query("select 'first'"), packet(0, Buffer.of(COMMAND.changeUser, 0)), query("select 'third'")]),
  )
  await expect.poll(received).toContain('third\x05')
  expect(received()).toMatch(/first[\s\S]*can not be changed here[\s\S]*third/)
  socket.destroy()
})

test('commands of the protocol that do what a statement does are judged, and have a row, as that statement', async () => {
  const filter = await fixture.created('/api/v1/assets/cmd-filters/', { name: 'named', users: [fixture.person.id] })
  const rule = { filter, type: 'regex', content: '^(shutdown|flush privileges|show processlist)' }
  await fixture.created(`/api/v1/assets/cmd-filters/${filter}/rules/`, rule)
  const { socket, received } = await signedIn()
  const session = await fixture.newestSession()
  const [logsAndRights, tables] = [0b11, 0b100].map((bits) => packet(0, Buffer.of(COMMAND.refresh, bits)))
  const sent = [
    packet(0, Buffer.of(COMMAND.shutdown, 0)),
    logsAndRights,
    packet(0, Buffer.of(COMMAND.processInfo)),
    tables,
  ]
  socket.write(Buffer.concat([...(sent as Buffer[]), query("select 'still here'")]))
  await expect.poll(received).toContain('still here\x05')
  expect(received().match(/is forbidden/g)).toHaveLength(3)
  const rows = async () => {
    const { body } = await fixture.server.admin.get(`/api/v1/terminal/commands/?session_id=${session}&order=timestamp`)
    return (body as { input: string; risk_level: number }[]).map(({ input, risk_level }) => [input, risk_level])
  }
  await expect.poll(rows).toEqual([
    ['SHUTDOWN', 5],
    ['FLUSH PRIVILEGES; FLUSH LOGS', 5],
    ['SHOW PROCESSLIST', 5],
    ['FLUSH TABLES', 0],
    ["select 'still here'", 0],
  ])
  socket.destroy()
  await fixture.server.admin.delete(`/api/v1/assets/cmd-filters/${filter}/`)
})

test('a client goes on in no other database whose name begins as a permitted one', async () => {
  const permission = `/api/v1/perms/application-permissions/${fixture.permission}/`
  await fixture.mariadb.sql('CREATE DATABASE `shop-archive`; GRANT ALL ON `shop-archive`.* TO native@"%"')
  expect((await fixture.server.admin.patch(permission, { databases: ['shop'] })).status).toBe(200)
  try {
    const { socket, received } = await signedIn()
    socket.write(packet(0, Buffer.of(COMMAND.initDatabase), Buffer.from('shop-archive')))
    await expect.poll(received).toContain('does not lead to the database shop-archive')
    socket.write(packet(0, Buffer.of(COMMAND.initDatabase), Buffer.from('shop')))
    socket.write(query("select concat('in ', database())"))
    await expect.poll(received).toContain('in shop\x05')
    socket.destroy()
  } finally {
    await fixture.server.admin.patch(permission, { databases: [] })
    await fixture.mariadb.sql('DROP DATABASE `shop-archive`')
  }
})

test('the stock client of MySQL starts, changes and reaches by name permitted databases alone', async () => {
  const application = `/api/v1/applications/applications/${fixture.target.id}/`
  const permission = `/api/v1/perms/application-permissions/${fixture.permission}/`
  const { admin } = fixture.server
  const { attrs } = (await admin.get(application)).body
  await fixture.mariadb.sql(
    'CREATE DATABASE archive_of; CREATE TABLE archive_of.box (id INT); GRANT ALL ON archive_of.* TO native@"%"',
  )
  const mysql = (parameters: string[], input = '') => fixture.run('mysql', ['-BN', ...parameters], { input })
  try {
    expect((await admin.patch(application, { attrs: { ...attrs, database: '' } })).status).toBe(200)
    expect((await mysql(['-e', 'insert into box values (0)', 'archive_of'])).code).toBe(0)
    expect((await admin.patch(permission, { databases: ['shop'] })).status).toBe(200)
    expect(await mysql(['-e', 'select 1', 'archive_of'])).toMatchObject({
      ...{ code: 1, stdout: '', stderr: expect.stringContaining('does not lead to the database archive_of') },
    })
    const script = [
      'use archive_of',
      'select * from archive_of.box;',
      'insert into `archive_of`.box values (1);',
      "select concat('in ', database());",
    ]
    // It goes on behind an error.
    const ran = await mysql(['--force'], script.join('\n'))
    expect(ran.stderr.match(/does not lead to the database archive_of/g)).toHaveLength(3)
    expect(ran.stdout).toBe('in shop\n')
    expect(await fixture.mariadb.sql('SELECT id FROM archive_of.box')).toEqual([{ id: 0 }])
  } finally {
    await admin.patch(permission, { databases: [] })
    await admin.patch(application, { attrs })
    await fixture.mariadb.sql('DROP DATABASE archive_of')
  }
})

test('replication, unknown commands and COM_MULTI are refused, and the connection goes on', async () => {
  const { socket, received } = await signedIn()
  for (const command of [0x12, 0x15, 0x1e, 0xfe, 0x77]) socket.write(packet(0, Buffer.of(command), Buffer.alloc(40)))
  await expect.poll(() => received().match(/not possible here/g)).toHaveLength(5)
  socket.write(query("select 'still here'"))
  await expect.poll(received).toContain('still here')
  socket.destroy()
})

test.for([
  ['packets out of order', packet(3, Buffer.of(COMMAND.ping))],
  // The server would answer it, and the answers behind that would count for the wrong statements.
  ['empty packet', packet(0)],
] as const)('%s ends the session', async ([words, bytes]) => {
  const { socket, received, closed } = await signedIn()
  socket.write(bytes)
  await closed
  expect(received()).toContain(words)
})

const prepare = (text: string) => packet(0, Buffer.of(COMMAND.prepare), Buffer.from(text))
function execute(number: number): Buffer {
  const body = Buffer.alloc(9)
  body.writeUInt32LE(number)
  return packet(0, Buffer.of(COMMAND.execute), body)
}
/** In place of a number: what was prepared last. */
const LAST = 0xffff_ffff

test('a prepared statement runs by a number that its client has received, since nobody would see which statement another number is', async () => {
  await fixture.mariadb.sql('CREATE OR REPLACE TABLE shop.kept AS SELECT 1 AS id')
  const { socket, received } = await signedIn()
  const deletion = prepare('DELETE FROM shop.kept')
  socket.write(Buffer.concat([deletion, execute(1), query("select 'behind'")]))
  await expect.poll(received).toContain('behind\x05')
  expect(received()).toContain('Unknown prepared statement')
  expect(await fixture.mariadb.sql('SELECT id FROM shop.kept')).toHaveLength(1)
  // The one that was prepared last needs no number.
  socket.write(Buffer.concat([deletion, execute(LAST), query("select 'further'")]))
  await expect.poll(received).toContain('further\x05')
  expect(await fixture.mariadb.sql('SELECT id FROM shop.kept')).toEqual([])
  socket.destroy()
})

/**
 * Runs the statement that was prepared last, with a number for each row (`COM_STMT_BULK_EXECUTE`).
 */
function executeBulk(numbers: readonly number[]): Buffer {
  const head = Buffer.alloc(9)
  head[0] = COMMAND.executeBulk
  head.writeUInt32LE(LAST, 1)
  // Types come along: one, of four bytes.
  head.writeUInt16LE(128, 5)
  head.writeUInt16LE(3, 7)
  const rows = numbers.map((number) => {
    const row = Buffer.alloc(5)
    row.writeInt32LE(number, 1)
    return row
  })
  return packet(0, head, ...rows)
}

test('many rows of parameters go to MariaDB at once where the client and the server can, under the rules and with a row', async () => {
  await fixture.mariadb.sql('CREATE OR REPLACE TABLE shop.bulk (id INT)')
  const { socket, received } = await signedIn(OF_MARIADB.bulk)
  const numbers = Array.from({ length: 20_000 }, (_, n) => n)
  socket.write(
    Buffer.concat([prepare('INSERT INTO shop.bulk VALUES (?)'), executeBulk(numbers), query("select 'done'")]),
  )
  await expect.poll(received).toContain('done')
  const sum = 'SELECT COUNT(*) AS n, SUM(id) AS all_of_them FROM shop.bulk'
  const [inserted] = await fixture.mariadb.sql(sum)
  expect(Object.values(inserted as object).map(Number)).toEqual([20_000, 199_990_000])
  const { pool } = fixture.server.kernel
  const stored = async () =>
    (await pool.query("SELECT rows FROM terminal_statement WHERE text LIKE 'INSERT INTO shop.bulk%'")).rows
  await expect.poll(stored).toContainEqual({ rows: '20000' })
  socket.destroy()
  // A client that has not agreed on it is refused.
  const other = await signedIn()
  other.socket.write(
    Buffer.concat([prepare('INSERT INTO shop.bulk VALUES (?)'), executeBulk([1]), query("select 'behind'")]),
  )
  await expect.poll(other.received).toContain('behind')
  expect(other.received()).toContain('not possible here')
  expect(await fixture.mariadb.sql(sum)).toEqual([inserted])
  other.socket.destroy()
})

test('behind a statement that could not be prepared, or was refused, the one that was prepared before does not run in its place', async () => {
  await fixture.mariadb.sql('CREATE OR REPLACE TABLE shop.kept AS SELECT 1 AS id')
  const filter = await fixture.created('/api/v1/assets/cmd-filters/', { name: 'last', users: [fixture.person.id] })
  const rule = { filter, type: 'regex', content: '^select 2$', action: 2, reviewers: [reviewer.id] }
  await fixture.created(`/api/v1/assets/cmd-filters/${filter}/rules/`, rule)
  const { socket, received } = await signedIn()
  const session = await fixture.newestSession()
  socket.write(Buffer.concat([prepare('DELETE FROM shop.kept'), query("select 'prepared'")]))
  await expect.poll(received).toContain('prepared\x05')
  const [limit] = (await fixture.mariadb.sql('SELECT @@max_prepared_stmt_count AS count')) as { count: number }[]
  await fixture.mariadb.sql('SET GLOBAL max_prepared_stmt_count = 0')
  socket.write(Buffer.concat([prepare('select 1'), execute(LAST), query("select 'no room'")]))
  await expect.poll(received).toContain('no room\x05')
  expect(await fixture.mariadb.sql('SELECT id FROM shop.kept')).toHaveLength(1)
  await fixture.mariadb.sql(`SET GLOBAL max_prepared_stmt_count = ${limit?.count}`)
  socket.write(Buffer.concat([prepare('select 2'), execute(LAST), query("select 'rejected'")]))
  const open = async () =>
    (await reviewer.get(`${TICKETS}?limit=10&type=command_confirm&status=open`)).body.results as { id: string }[]
  await expect.poll(open).toHaveLength(1)
  const [ticket] = await open()
  expect((await reviewer.put(`${TICKETS}${ticket?.id}/reject/`)).status).toBe(200)
  // Nobody is asked whether what was not prepared may run.
  await expect.poll(received).toContain('rejected\x05')
  expect(received().match(/What this runs could not be prepared/g)).toHaveLength(2)
  expect(await fixture.mariadb.sql('SELECT id FROM shop.kept')).toHaveLength(1)
  const rows = async () => {
    const { body } = await fixture.server.admin.get(`/api/v1/terminal/commands/?session_id=${session}&order=timestamp`)
    return (body as { input: string }[]).map(({ input }) => input)
  }
  await expect
    .poll(rows)
    .toEqual(["select 'prepared'", 'select 1', "select 'no room'", 'select 2', "select 'rejected'"])
  socket.destroy()
  await fixture.server.admin.delete(`/api/v1/assets/cmd-filters/${filter}/`)
})

test('a statement that is long and hard to read keeps nobody waiting', async () => {
  const { socket, received } = await signedIn()
  const blanks = ' '.repeat(500_000)
  const texts = [`use x${blanks}y`, `kill 1${blanks}y`, `select 1 /* set character${blanks}x */`, "select 'still here'"]
  socket.write(Buffer.concat(texts.map((text) => query(text))))
  await expect.poll(received).toContain('still here\x05')
  socket.destroy()
})

test('a client that keeps asking behind a long statement is disconnected, and the server drops the statement', async () => {
  const { socket, received, closed } = await signedIn()
  socket.write(query('select sleep(600)'))
  await expect.poll(sleeping).toBe(1)
  const refused = packet(0, Buffer.of(COMMAND.changeUser))
  socket.write(Buffer.concat(Array.from({ length: 20_000 }, () => refused)))
  await closed
  expect(received()).toContain('too many commands')
  await expect.poll(sleeping).toBe(0)
})

test('without TLS no password is asked for, and nobody gets in', async () => {
  const { socket, received, closed } = await raw()
  socket.write(loginPacket(1, LOGIN))
  await closed
  expect(received()).toContain('speaks TLS alone')
})

test.for([
  ['longer than any', Buffer.from([0xff, 0xff, 0xff, 1])],
  ['shorter than it should be', packet(1, Buffer.alloc(3))],
  ['of another protocol', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
  ['that breaks off within a name', packet(1, loginStart(LOGIN), Buffer.from('walker'))],
] as const)('a login %s is refused', async ([, bytes]) => {
  const { socket, closed } = await raw()
  socket.write(bytes)
  await closed
  expect((await (await fixture.connect()).query('select 1 as one'))[0]).toEqual([{ one: 1 }])
})

test('500 strangers who never sign in, whole or half begun, do not keep people out', async () => {
  const strangers = await Promise.all(Array.from({ length: 500 }, raw))
  for (const { socket } of strangers.slice(0, 200)) socket.write(Buffer.from([32, 0]))
  const tls = packet(1, loginStart({ ...LOGIN, capabilities: CAPABILITIES | CAPABILITY.tls }))
  for (const { socket } of strangers.slice(200, 400)) socket.write(tls)
  const { client } = await connected()
  expect((await client.query('select 1 as one'))[0]).toEqual([{ one: 1 }])
  for (const { socket } of strangers) socket.destroy()
})
