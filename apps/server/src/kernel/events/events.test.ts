import { connect, createServer, type Server, type Socket } from 'node:net'
import type pg from 'pg'
import pino from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { type OpenDatabase, openDatabase } from '../database/database.ts'
import { type Events, openEvents, RECONNECTED } from './events.ts'

let database: TestDatabase
let opened: OpenDatabase
let events: Events
/** The way to the database, which can be cut. */
let line: Server
const sockets = new Set<Socket>()
let isCut = false
let attempts = 0

beforeAll(async () => {
  database = await createTestDatabase()
  opened = openDatabase(database.connection)
  const { host, port } = database.connection as { host: string; port: number }
  line = createServer((socket) => {
    attempts++
    if (isCut) return void socket.destroy()
    const onward = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
    for (const end of [socket, onward]) sockets.add(end.on('error', () => {}))
    socket.pipe(onward).pipe(socket)
  })
  await new Promise<void>((listening) => line.listen(0, '127.0.0.1', listening))
  const through: pg.ClientConfig = {
    ...database.connection,
    host: '127.0.0.1',
    port: (line.address() as { port: number }).port,
  }
  events = await openEvents(opened.pool, through, pino({ level: 'silent' }) as never)
})
afterAll(async () => {
  await events.close()
  line.close()
  await opened.close()
  await database.drop()
})

test('after a database was away for a while everything is heard again, each event once', async () => {
  const heard: unknown[] = []
  events.subscribe('trial.happened', ({ n }) => heard.push(n))
  events.subscribe(RECONNECTED, () => heard.push('reconnected'))
  await events.publish('trial.happened', { n: 1 })
  await expect.poll(() => heard).toEqual([1])
  const before = attempts
  isCut = true
  for (const socket of sockets) socket.destroy()
  // Long enough for several tries, each of which is followed by one other.
  await expect.poll(() => attempts).toBeGreaterThanOrEqual(before + 3)
  isCut = false
  await expect.poll(() => heard).toContain('reconnected')
  await events.publish('trial.happened', { n: 2 })
  await events.publish('trial.happened', { n: 3 })
  await expect.poll(() => heard).toContain(3)
  expect(heard).toEqual([1, 'reconnected', 2, 3])
})
