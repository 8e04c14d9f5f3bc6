import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { openTestServer, type TestServer } from '../../../test/server.ts'

const OF_ADDRESS = 8
const IN_ALL = 20
const PROXY = '127.0.0.200'

let server: TestServer
beforeAll(async () => {
  server = await openTestServer({
    SALLYPORT_HTTP_UNAUTHENTICATED: String(IN_ALL),
    SALLYPORT_HTTP_UNAUTHENTICATED_PER_ADDRESS: String(OF_ADDRESS),
    SALLYPORT_TRUSTED_PROXIES: PROXY,
  })
})
afterAll(() => server?.close())

interface Line {
  socket: Socket
  /** All that has come, once the other end has hung up. */
  closed: Promise<string>
  /** Waits for an answer. */
  answer(): Promise<string>
}

/** A connection from that address; settles once the server has taken it up. */
async function aLine(localAddress: string, text: string): Promise<Line> {
  const accepted = new Promise((resolve) => server.kernel.app.server.once('connection', resolve))
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(server.url).port), localAddress })
  let heard = ''
  socket.on('data', (bytes) => {
    heard += bytes
  })
  socket.on('error', () => {})
  const closed = new Promise<string>((resolve) => socket.once('close', () => resolve(heard)))
  socket.write(text)
  await accepted
  const answer = async () => {
    await expect.poll(() => heard).toContain('\r\n\r\n')
    return heard
  }
  return { socket, closed, answer }
}

const HALF = 'POST /api/v1/authentication/auth/ HTTP/1.1\r\nHost: sallyport\r\nX-Slow: '
const HALF_BODY =
  'POST /api/v1/authentication/auth/ HTTP/1.1\r\nHost: sallyport\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"user'
const WHOLE = 'GET /api/health/ HTTP/1.1\r\nHost: sallyport\r\n\r\n'

async function lines(count: number, address: string, text: string): Promise<Line[]> {
  const all: Line[] = []
  for (let n = 0; n < count; n++) all.push(await aLine(address, text))
  return all
}
async function end(all: readonly Line[]): Promise<void> {
  for (const { socket } of all) socket.destroy()
  await Promise.all(all.map(({ closed }) => closed))
}

test.each([
  ['half a request', HALF],
  ['a request without the end of its body', HALF_BODY],
  ['nothing', ''],
])(
  'an address keeps the newest of its connections that send %s; clients of other addresses are answered',
  async (_, text) => {
    const all = await lines(OF_ADDRESS + 3, '127.0.0.2', text)
    await Promise.all(all.slice(0, 3).map(({ closed }) => closed))
    const other = await aLine('127.0.0.3', WHOLE)
    expect(await other.answer()).toContain('200 OK')
    expect(all.slice(3).some(({ socket }) => socket.destroyed)).toBe(false)
    await end([...all, other])
  },
)

test('from many addresses, the one with most of them loses one', async () => {
  const few = await lines(2, '127.0.0.10', HALF)
  const many = (await Promise.all(['127.0.0.11', '127.0.0.12', '127.0.0.13'].map((one) => lines(6, one, HALF)))).flat()
  const probe = await aLine(PROXY, WHOLE)
  await probe.answer()
  expect([...few, ...many].some(({ socket }) => socket.destroyed)).toBe(false)
  const newcomer = await aLine('127.0.0.14', HALF)
  await Promise.race(many.map(({ closed }) => closed))
  expect(few.some(({ socket }) => socket.destroyed)).toBe(false)
  await end([...few, ...many, newcomer, probe])
  // Where each has one, one of them is the one to go.
  const addresses = Array.from({ length: IN_ALL + 1 }, (_, n) => `127.0.1.${n + 1}`)
  const single: Line[] = []
  for (const one of addresses) single.push(await aLine(one, HALF))
  // Without a word, and long before the time of a request is over.
  expect(await Promise.race(single.map(({ closed }) => closed))).toBe('')
  await end(single)
})

test('a connection that is being answered is not silent: it is kept, and counts for nobody', async () => {
  const body = JSON.stringify({ username: 'nobody', password: 'wrong' })
  const slowly = `POST /api/v1/authentication/tokens/ HTTP/1.1\r\nHost: sallyport\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  const hold = await server.kernel.pool.connect()
  await hold.query('BEGIN; LOCK TABLE authentication_failure IN ACCESS EXCLUSIVE MODE')
  const slow = await aLine('127.0.0.30', slowly)
  const silent = await lines(OF_ADDRESS, '127.0.0.30', HALF)
  try {
    const probe = await aLine(PROXY, WHOLE)
    await probe.answer()
    expect(silent.some(({ socket }) => socket.destroyed)).toBe(false)
    silent.push(probe, ...(await lines(2, '127.0.0.30', HALF)))
    await Promise.all(silent.slice(0, 2).map(({ closed }) => closed))
  } finally {
    await hold.query('COMMIT')
    hold.release()
  }
  expect(await slow.answer()).toContain('400 Bad Request')
  await end([slow, ...silent])
})

test('what signed-in people have sent a request on is not counted, nor what comes from a trusted proxy', async () => {
  const mine = await lines(
    OF_ADDRESS + 2,
    '127.0.0.20',
    `GET /api/v1/users/profile/ HTTP/1.1\r\nHost: sallyport\r\nAuthorization: Bearer ${server.admin.token}\r\n\r\n`,
  )
  for (const line of mine) expect(await line.answer()).toContain('200 OK')
  // Nor is the next on the same connection.
  mine[0]?.socket.write(WHOLE)
  await expect.poll(async () => (await mine[0]?.answer())?.match(/200 OK/g)).toHaveLength(2)
  const proxied = await lines(OF_ADDRESS + 2, PROXY, HALF)
  const silent = await lines(OF_ADDRESS, '127.0.0.20', HALF)
  expect([...mine, ...proxied, ...silent].filter(({ socket }) => socket.destroyed)).toEqual([])
  await end([...mine, ...proxied, ...silent])
})

test('websockets of strangers are refused beyond their number, before anybody is looked up', async () => {
  const statuses: number[] = []
  const opened: WebSocket[] = []
  const attempt = (from: string) => open(from, opened, statuses)
  const hold = await server.kernel.pool.connect()
  await hold.query('BEGIN; LOCK TABLE authentication_connection_token IN ACCESS EXCLUSIVE MODE')
  try {
    await Promise.all(Array.from({ length: OF_ADDRESS + 5 }, () => attempt('192.0.2.7')))
    expect(opened).toHaveLength(OF_ADDRESS)
    expect(statuses).toEqual([429, 429, 429, 429, 429])
    expect((await server.call('GET', '/api/health/')).status).toBe(200)
  } finally {
    await hold.query('COMMIT')
    hold.release()
  }
  await Promise.all(opened.map(closed))
})

test('a websocket that was closed counts no longer, of its address or in all', async () => {
  for (const address of ['192.0.2.20', '192.0.2.21', '192.0.2.22', '192.0.2.20']) {
    const statuses: number[] = []
    const opened: WebSocket[] = []
    await Promise.all(Array.from({ length: OF_ADDRESS }, () => open(address, opened, statuses)))
    expect([address, statuses]).toEqual([address, []])
    await Promise.all(opened.map(closed))
  }
})

test('a websocket that closes makes room for one more of its address, and one of somebody who is known for none', async () => {
  const statuses: number[] = []
  const opened: WebSocket[] = []
  const living = () => opened.filter(({ readyState }) => readyState === WebSocket.OPEN).length
  const attempt = (from: string) => open(from, opened, statuses)
  const known: WebSocket[] = []
  for (let n = 0; n < 3; n++)
    await open('192.0.2.30', known, statuses, { authorization: `Bearer ${server.admin.token}` })
  for (const socket of known) socket.terminate()
  await Promise.all(known.map(closed))
  const hold = await server.kernel.pool.connect()
  await hold.query('BEGIN; LOCK TABLE authentication_connection_token IN ACCESS EXCLUSIVE MODE')
  try {
    for (let n = 0; n < OF_ADDRESS; n++) await attempt('192.0.2.31')
    const refills = async (ended: number) => {
      for (const socket of opened.filter(({ readyState }) => readyState === WebSocket.OPEN).slice(0, ended))
        socket.terminate()
      await Promise.all(opened.filter(({ readyState }) => readyState !== WebSocket.OPEN).map(closed))
      await expect
        .poll(async () => [await attempt('192.0.2.31'), living()], { interval: 20 })
        .toEqual([undefined, OF_ADDRESS])
      await attempt('192.0.2.31')
      expect(living()).toBe(OF_ADDRESS)
    }
    await refills(1)
    await refills(OF_ADDRESS - 1)
    for (const from of ['192.0.2.32', '192.0.2.33']) for (let n = 0; n < OF_ADDRESS; n++) await attempt(from)
    expect(living()).toBe(IN_ALL)
  } finally {
    await hold.query('COMMIT')
    hold.release()
  }
  for (const socket of opened) socket.terminate()
  await Promise.all(opened.map(closed))
})

/** A websocket of nobody who is known; settles when it is open, or refused with a status. */
function open(
  from: string,
  opened: WebSocket[],
  statuses: number[],
  headers: Record<string, string> = {},
): Promise<void> {
  const address = `${server.url.replace('http', 'ws')}/koko/ws/token/?target_id=unknown`
  return new Promise((resolve) => {
    const socket = new WebSocket(address, { localAddress: PROXY, headers: { 'x-forwarded-for': from, ...headers } })
    socket.on('open', () => {
      opened.push(socket)
      resolve()
    })
    socket.on('unexpected-response', (_request, response) => {
      statuses.push(response.statusCode ?? 0)
      resolve()
    })
    socket.on('error', () => {})
  })
}

const closed = (socket: WebSocket) =>
  new Promise<void>((resolve) => {
    if (socket.readyState === WebSocket.CLOSED) resolve()
    else socket.on('close', () => resolve())
  })
