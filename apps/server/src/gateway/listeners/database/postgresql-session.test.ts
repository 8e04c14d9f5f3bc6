/** Events that end, lock or hold a session of a client of PostgreSQL, and strangers at its port. */
import { once } from 'node:events'
import { connect, Socket } from 'node:net'
import { connect as connectSecurely } from 'node:tls'
import { Secret, TOTP } from 'otpauth'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type Caller, PASSWORD } from '../../../../test/server.ts'
import { CLIENT, message } from '../../protocols/postgresql/messages.ts'
import { startupPacket, tlsRequest } from '../../protocols/postgresql/startup.ts'
import { type DatabaseFixture, openDatabaseFixture } from './database-fixture.ts'

const TICKETS = '/api/v1/tickets/tickets/'

let fixture: DatabaseFixture
let reviewer: Caller
beforeAll(async () => {
  fixture = await openDatabaseFixture({ SALLYPORT_DATABASE_UNAUTHENTICATED: '40' })
  reviewer = await fixture.server.aPerson('decider')
})
afterAll(() => fixture?.close())
const clients: pg.Client[] = []
afterEach(() => Promise.all(clients.splice(0).map((client) => client.end().catch(() => {}))))

interface Connected {
  client: pg.Client
  /** Its row. */
  session: string
  notices: string[]
  /** The words with which it was ended. */
  ended: Promise<string>
}

async function connected(): Promise<Connected> {
  const client = await fixture.connect()
  clients.push(client)
  const notices: string[] = []
  client.on('notice', ({ message }) => notices.push(message ?? ''))
  const ended = new Promise<string>((resolve) => {
    let words = ''
    client.on('error', (error) => {
      words ||= error.message
    })
    client.on('end', () => resolve(words))
  })
  return { client, session: await fixture.newestSession(), notices, ended }
}
/** How many statements run for longer than they should at the server. */
const sleeping = async () =>
  (
    await fixture.postgres.sql(
      "SELECT 1 FROM pg_stat_activity WHERE query LIKE 'select pg_sleep%' AND state = 'active'",
    )
  ).length

test('a session that is terminated tells its client so, and cancels what runs at the server', async () => {
  const { client, session, ended } = await connected()
  const running = client.query('select pg_sleep(60)').catch((error: Error) => error)
  await expect.poll(sleeping).toBe(1)
  await fixture.terminate(session)
  expect(await ended).toMatch(/terminated|ended/i)
  expect(await running).toBeInstanceOf(Error)
  await expect.poll(sleeping).toBe(0)
  await expect.poll(() => fixture.isFinished(session)).toBe(true)
})

test('a client that goes away while its password is checked leaves no session', async () => {
  const { pool } = fixture.server.kernel
  const signIns = async () => (await pool.query('SELECT count(*)::int AS n FROM audits_login_log')).rows[0].n as number
  const before = await signIns()
  const hold = await pool.connect()
  await hold.query('BEGIN; LOCK TABLE audits_login_log IN SHARE ROW EXCLUSIVE MODE')
  try {
    const line = new Socket()
    const client = new pg.Client({
      stream: () => line,
      ...{ host: '127.0.0.1', port: fixture.port, database: 'shop', ssl: { rejectUnauthorized: false } },
      ...{ user: 'walker#gold#scram', password: PASSWORD },
    })
    client.on('error', () => {})
    client.connect().catch(() => {})
    const waiting = `SELECT count(*)::int AS n FROM pg_locks WHERE NOT granted AND relation = 'audits_login_log'::regclass`
    await expect.poll(async () => (await pool.query(waiting)).rows[0].n).toBeGreaterThan(0)
    line.resetAndDestroy()
    // A later client is heard later: by then the server knows that the first has gone.
    const { socket } = await raw()
    socket.write(tlsRequest())
    await once(socket, 'data')
    socket.destroy()
  } finally {
    await hold.query('COMMIT')
    hold.release()
  }
  await expect.poll(signIns).toBeGreaterThan(before)
  const { client, session } = await connected()
  await client.query('select 1')
  const live = async () =>
    (await fixture.server.admin.get('/api/v1/terminal/sessions/?is_finished=0&limit=10')).body.results.map(
      ({ id }: { id: string }) => id,
    )
  await expect.poll(live).toEqual([session])
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
  const { client, session, notices } = await connected()
  const locker = await fixture.server.aPerson('locker', { orgRoles: ['Auditor'] })
  const order = async (word: string) => {
    notices.splice(0)
    expect((await locker.post(`/api/v1/terminal/sessions/${session}/${word}/`, {})).status).toBe(200)
    await expect.poll(() => notices.join('\n')).toMatch(/lock/)
  }
  await order('lock')
  const refused = { code: '42501', message: expect.stringContaining('locked') }
  await expect(client.query('select 1')).rejects.toMatchObject(refused)
  await expect(client.query('select $1::int', [1])).rejects.toMatchObject(refused)
  await order('unlock')
  expect((await client.query('select 2 as two')).rows).toEqual([{ two: 2 }])
})

test('[A2.52] a statement that must be confirmed waits: approved it runs, rejected it fails, and the session goes on', async () => {
  const filter = await fixture.created('/api/v1/assets/cmd-filters/', { name: 'asked', users: [fixture.person.id] })
  await fixture.created(`/api/v1/assets/cmd-filters/${filter}/rules/`, {
    filter,
    type: 'regex',
    content: 'as doubtful',
    action: 2,
    reviewers: [reviewer.id],
  })
  const { client, notices } = await connected()
  const open = async () =>
    (await reviewer.get(`${TICKETS}?limit=10&type=command_confirm&status=open`)).body.results as { id: string }[]
  for (const verdict of ['approve', 'reject']) {
    notices.splice(0)
    const answer = client.query('select 7 as doubtful').then(
      ({ rows }) => rows,
      (error: Error & { code: string }) => error.code,
    )
    await expect.poll(open).toHaveLength(1)
    await expect.poll(() => notices.join('\n')).toContain('/ui/tickets/tickets/')
    const [ticket] = await open()
    expect((await reviewer.put(`${TICKETS}${ticket?.id}/${verdict}/`)).status).toBe(200)
    expect(await answer).toEqual(verdict === 'approve' ? [{ doubtful: 7 }] : '42501')
    expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }])
  }
  await fixture.server.admin.delete(`/api/v1/assets/cmd-filters/${filter}/`)
})

/** A connection that sends nothing by itself; everything that it receives. */
function raw(): Promise<{ socket: Socket; received: () => string; closed: Promise<unknown> }> {
  return new Promise((resolve, reject) => {
    const socket = connect(fixture.port, '127.0.0.1').once('error', reject)
    let received = ''
    socket.on('data', (bytes) => {
      received += bytes.toString('latin1')
    })
    const closed = new Promise((gone) => socket.once('close', gone))
    socket.once('connect', () => resolve({ socket, received: () => received, closed }))
  })
}

test('a statement that another one runs is judged, and one behind a quote that ends by one setting of the connection alone', async () => {
  const drop = '; drop/**/table hidden -- '
  const ways: [conforming: string, text: string][] = [
    ['on', `select '\\'${drop}'`],
    ['on', `select E'\\''${drop}'`],
    ['on', `select E'a' -- b\n'\\'', '\\'${drop}'`],
    ['off', `select '\\''${drop}'`],
    ['off', `select 'a'\n'\\''${drop}'`],
    ['on', 'do $$ begin if true then drop/**/table hidden; end if; end $$'],
    ['on', "do 'begin execute ''drop table hidden''; end'"],
  ]
  const outcomes = async () => {
    const found: [dropped: boolean, code: string | undefined][] = []
    for (const [conforming, text] of ways) {
      const client = await fixture.connect()
      await client.query(`create table if not exists hidden (); set standard_conforming_strings = ${conforming}`)
      const code = await client.query(text).then(
        () => undefined,
        (error: { code: string }) => error.code,
      )
      const { rows } = await client.query("select to_regclass('hidden') is null as dropped")
      await client.end()
      found.push([rows[0].dropped, code])
    }
    return found
  }
  // Without a rule each of them drops it.
  expect(await outcomes()).toEqual(ways.map(() => [true, undefined]))
  const filter = await fixture.created('/api/v1/assets/cmd-filters/', { name: 'hidden', users: [fixture.person.id] })
  const rule = { filter, type: 'regex', content: '^drop table hidden' }
  await fixture.created(`/api/v1/assets/cmd-filters/${filter}/rules/`, rule)
  expect(await outcomes()).toEqual(ways.map(() => [false, '42501']))
  await fixture.server.admin.delete(`/api/v1/assets/cmd-filters/${filter}/`)
})

test('where a second factor is due its code stands right behind the password; without it, or a second time, nobody gets in', async () => {
  const { pool, secrets } = fixture.server.kernel
  const secret = new Secret({ size: 20 })
  await pool.query('UPDATE users_user SET mfa_level = 1, otp_secret_sealed = $2, otp_last_step = NULL WHERE id = $1', [
    fixture.person.id,
    secrets.seal(secret.base32),
  ])
  const withCode = { password: PASSWORD + new TOTP({ secret }).generate() }
  await expect(fixture.connect()).rejects.toThrow()
  const client = await fixture.connect(withCode)
  expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }])
  await expect(fixture.connect(withCode)).rejects.toThrow()
  await client.end()
  await pool.query('UPDATE users_user SET mfa_level = 0, otp_secret_sealed = NULL WHERE id = $1', [fixture.person.id])
  await pool.query('DELETE FROM authentication_failure')
})

test('bytes behind a request for encryption end the connection (CVE-2021-23214)', async () => {
  const { socket, received, closed } = await raw()
  socket.write(Buffer.concat([tlsRequest(), startupPacket([['user', 'walker#gold#scram']])]))
  await closed
  expect(received()).toContain('data after the request for encryption')
})

test.for([
  ['longer than any start', Buffer.from([0x7f, 0xff, 0xff, 0xff, 0, 3, 0, 0])],
  ['shorter than itself', Buffer.from([0, 0, 0, 4])],
  ['of another protocol', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
] as const)('a first packet that is %s is refused', async ([, bytes]) => {
  const { socket, received, closed } = await raw()
  socket.write(bytes)
  await closed
  expect(received()).toMatch(/startup packet|protocol/)
})

test('errors within TLS are reported within TLS', async () => {
  const options = { port: fixture.port, host: '127.0.0.1', ALPNProtocols: ['postgresql'], rejectUnauthorized: false }
  const socket = connectSecurely(options, () => socket.write(tlsRequest()))
  let received = ''
  socket.on('data', (bytes) => {
    received += bytes.toString('latin1')
  })
  await once(socket, 'close')
  expect(received).toContain('expected a startup packet')
})

/** One that is signed in, and speaks by itself from then on. */
async function signedIn() {
  const options = { port: fixture.port, host: '127.0.0.1', ALPNProtocols: ['postgresql'], rejectUnauthorized: false }
  const socket = connectSecurely(options, () => socket.write(startupPacket([['user', 'walker#gold#scram']])))
  let received = ''
  socket.on('data', (bytes) => {
    received += bytes.toString('latin1')
  })
  const closed = once(socket, 'close')
  await expect.poll(() => received[0]).toBe('R')
  socket.write(message(CLIENT.password, PASSWORD))
  await expect.poll(() => received.slice(-6)).toBe(READY)
  return { socket, received: () => received, closed }
}
const READY = 'Z\0\0\0\x05I'
const query = (text: string) => message(CLIENT.query, text)
const prepare = (name: string, text: string) => message(CLIENT.parse, name, text, Buffer.alloc(2))
const run = (name: string) => [
  message(CLIENT.bind, '', name, Buffer.alloc(6)),
  message(CLIENT.execute, '', Buffer.alloc(4)),
]
const SYNC = message(CLIENT.sync)

test.for([
  ['a Bind', message(CLIENT.bind, '', 'nothing', Buffer.alloc(6))],
  ['a Describe', message(CLIENT.describe, 'Snothing')],
] as const)('a query that is left out behind %s that fails takes no answer of another', async ([, failing]) => {
  const { socket, received } = await signedIn()
  const session = await fixture.newestSession()
  const answered = async (...messages: Buffer[]) => {
    const before = received().length
    socket.write(Buffer.concat(messages))
    await expect.poll(() => received().slice(before).slice(-6)).toBe(READY)
  }
  await answered(failing, query('select 1 as left_out'), SYNC)
  await answered(query('select 2 as ran'))
  await answered(query('selec 3'))
  // The Bind of a statement may be what fails.
  await answered(prepare('', 'select 1/0'), ...run(''), SYNC)
  socket.destroy()
  const rows = async () =>
    (
      await fixture.server.kernel.pool.query(
        'SELECT c.input, s.rows::int, s.code FROM terminal_command c JOIN terminal_statement s ON s.command = c.id WHERE c.session = $1 ORDER BY c.id',
        [session],
      )
    ).rows.map((row) => Object.values(row))
  await expect.poll(rows).toEqual([
    ['select 1 as left_out', null, null],
    ['select 2 as ran', 1, null],
    ['selec 3', null, '42601'],
    ['select 1/0', null, '22012'],
  ])
})

test('messages in the middle of a copy end the connection, and are not run', async () => {
  await fixture.postgres.sql('CREATE TABLE kept AS SELECT 1 AS id')
  await fixture.postgres.sql('GRANT ALL ON kept TO scram')
  for (const isAtOnce of [true, false]) {
    const { socket, received, closed } = await signedIn()
    const before = received().length
    const [copy, other] = [query('copy kept from stdin'), prepare('', 'delete from kept')]
    socket.write(isAtOnce ? Buffer.concat([copy, other]) : copy)
    if (!isAtOnce) {
      await expect.poll(() => received().slice(before)).toContain('G')
      socket.write(other)
    }
    await closed
    expect(received()).toContain('in the middle of what is copied')
  }
  expect(await fixture.postgres.sql('SELECT id FROM kept')).toHaveLength(1)
})

test('none of thousands of statements that follow a failure without a Sync waits for another', async () => {
  const { socket, received } = await signedIn()
  const before = received().length
  socket.write(Buffer.concat([prepare('', 'select 1/0'), ...run('')]))
  await expect.poll(() => received().length).toBeGreaterThan(before)
  const one = Buffer.concat([prepare('', 'select 1'), ...run('')])
  for (let at = 0; at < 6000; at++) socket.write(one)
  socket.write(SYNC)
  await expect.poll(() => received().slice(-6)).toBe(READY)
  expect(received()).toContain('division by zero')
  socket.destroy()
})

test('thousands may be prepared before a Sync', async () => {
  const { socket, received } = await signedIn()
  const before = received().length
  for (let at = 0; at < 3500; at++) socket.write(prepare(`p${at}`, 'select 1'))
  socket.write(SYNC)
  await expect.poll(() => received().slice(before).slice(-6)).toBe(READY)
  expect(received().slice(before)).toHaveLength(3500 * 5 + 6)
  socket.destroy()
})

test('a prepared statement runs as long as its text is known', async () => {
  const { socket, received, closed } = await signedIn()
  const answered = async (...messages: Buffer[]) => {
    const before = received().length
    socket.write(Buffer.concat([...messages, SYNC]))
    await expect.poll(() => received().slice(before).slice(-6)).toBe(READY)
    return received().slice(before)
  }
  await answered(prepare('early', "select 'it ran'"))
  expect(await answered(...run('early'))).toContain('it ran')
  const long = `select 1 /*${'x'.repeat(1_000_000)}*/`
  for (let at = 0; at < 9; at++) await answered(prepare(`long ${at}`, long))
  expect(await answered(...run('early'))).toContain('prepare it again')
  // Until a Sync the server may say nothing of what it has.
  for (let at = 0; at < 17; at++) socket.write(prepare('', long))
  await closed
  expect(received()).toContain('without a Sync')
})

test('strangers who never sign in, whole or half begun, do not keep people out', async () => {
  const strangers = await Promise.all(Array.from({ length: 120 }, raw))
  for (const { socket } of strangers.slice(0, 40)) socket.write(Buffer.from([0, 0]))
  for (const { socket } of strangers.slice(40, 80)) socket.write(tlsRequest())
  const { client } = await connected()
  expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }])
  for (const { socket } of strangers) socket.destroy()
})
