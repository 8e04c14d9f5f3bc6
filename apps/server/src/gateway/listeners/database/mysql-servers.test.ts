/** Requests of MySQL's servers to Sallyport, and those that they may not make of its clients. */
import { connect } from 'node:net'
import type mysql from 'mysql2/promise'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { freePort } from '../../../../test/free-port.ts'
import {
  type CachingSha2Options,
  type CachingSha2Server,
  DONE,
  startCachingSha2,
} from '../../connectors/mysql/caching-sha2-fixture.ts'
import { type ApplicationFixture, accountsOf, openApplicationFixture } from './application-fixture.ts'
import { connectThrough } from './mysql-fixture.ts'

const SECRET = 'word of the account'

let fixture: ApplicationFixture
let port: number
beforeAll(async () => {
  port = await freePort()
  fixture = await openApplicationFixture({
    type: 'mysql',
    setting: 'SALLYPORT_MYSQL_PORT',
    attrs: { host: '127.0.0.1', port, database: '' },
    accounts: accountsOf(['app'], SECRET),
  })
})
afterAll(() => fixture?.server.close())
let server: CachingSha2Server | undefined
afterEach(async () => {
  await server?.close()
  await fixture.server.kernel.pool.query('DELETE FROM assets_server_key')
})

/** The server that the application leads to, with a certificate of its own. */
async function served(options: Partial<CachingSha2Options> = {}): Promise<CachingSha2Server> {
  server = await startCachingSha2({ port, password: SECRET, tls: true, ...options })
  return server
}

const connected = (options: mysql.ConnectionOptions = {}) =>
  connectThrough(fixture.port, { user: 'walker#gold#app', ...options })

test.for([
  ['over TLS in clear', true, 'clear'],
  ['without TLS encrypted with the key of the server', false, 'encrypted'],
] as const)('caching_sha2_password: a password is proven %s, and next time by its proof', async ([, tls, how]) => {
  const server = await served({ tls })
  for (const expected of [how, 'fast']) {
    const client = await connected()
    expect((await client.query('do 1'))[0]).toMatchObject({ affectedRows: 1 })
    await client.end()
    expect(server.logins.at(-1)).toBe(expected)
  }
  expect(server.received).toEqual(['do 1', 'do 1'])
})

test('a server that knows another password refuses, and the client sees that', async () => {
  const server = await served({ password: 'another' })
  await expect(connected()).rejects.toThrow('refused the username or the password')
  expect(server.logins).toEqual(['wrong'])
})

test('the next client from the same address is greeted with the version of the server', async () => {
  await served()
  await (await connected()).end()
  const socket = connect(fixture.port, '127.0.0.1')
  const greeting = await new Promise<Buffer>((resolve) => socket.once('data', resolve))
  socket.destroy()
  expect(greeting.toString('latin1', 5)).toMatch(/^8\.0\.36\0/)
})

const asksFor = (file: string) => [Buffer.concat([Buffer.of(0xfb), Buffer.from(file)])]

test.for([
  ['any statement', 'select 1', '/etc/passwd'],
  ['one that loads another file', "load data local infile '/tmp/mine.csv' into table x", '/etc/passwd'],
  ['one that only speaks of it', "select 'load data infile /etc/passwd'", '/etc/passwd'],
] as const)('a server that answers %s by asking for a file does not get it', async ([, statement, file]) => {
  const server = await served({ answer: () => asksFor(file) })
  const client = await connected()
  let asked = 0
  const stream = () => {
    asked++
    throw new Error('nobody may ask')
  }
  await expect(client.query({ sql: statement, infileStreamFactory: stream })).rejects.toThrow()
  expect(asked).toBe(0)
  expect(server.received).toEqual([statement])
})

test.for([
  ['a count of columns that is none', [Buffer.of(0xfe, 1)]],
  ['an answer of which nothing is to be read', [Buffer.alloc(70_000, 0xff)]],
] as const)('%s ends the session, and the node goes on', async ([, bodies]) => {
  await served({ answer: (statement) => (statement === 'do 1' ? [DONE] : bodies) })
  const client = await connected()
  await expect(client.query('select 1')).rejects.toThrow()
  const next = await connected()
  expect((await next.query('do 1'))[0]).toMatchObject({ affectedRows: 1 })
  await next.end()
})

test('a server that shows another key than before is not told the password', async () => {
  const first = await served()
  await (await connected()).end()
  await first.close()
  const second = await served()
  await expect(connected()).rejects.toThrow('THE KEY OF THIS SERVER HAS CHANGED')
  expect(second.logins).toEqual([])
})
