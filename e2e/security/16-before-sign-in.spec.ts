// Class 16: hostile client before sign-in: slow handshake, half-open, huge packets, many
// connections; accepting others never stops.
import { once } from 'node:events'
import { request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Client } from '../../apps/server/src/kernel/ssh/ssh2/index.ts'
import { aPerson, call, PASSWORD, type Person, place, signIn } from './visitor.ts'

let person: Person
const open: Socket[] = []
beforeAll(async () => {
  person = await aPerson()
})
afterAll(() => {
  for (const socket of open) socket.destroy()
})

const httpPort = Number(new URL(place.url).port)
async function dial(port: number, first = ''): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  open.push(socket)
  await once(socket, 'connect')
  if (first) socket.write(first)
  return socket
}

/** As somebody who is not hostile, from an address of their own, would: over the proxy's header. */
async function entersBySsh(): Promise<boolean> {
  const address = `10.77.${Math.floor(Math.random() * 200)}.9`
  const socket = await dial(place.sshPort, `PROXY TCP4 ${address} 127.0.0.1 40000 22\r\n`)
  const client = new Client()
  const ready = once(client, 'ready')
  client.connect({ sock: socket, username: person.username, password: PASSWORD })
  await ready
  client.end()
  return true
}

test('half-open, silent and slow clients on both entries keep nobody out', async () => {
  await Promise.all(
    Array.from({ length: 150 }, () =>
      dial(httpPort, 'POST /api/v1/authentication/tokens/ HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n{'),
    ),
  )
  await Promise.all(Array.from({ length: 50 }, () => dial(httpPort, 'GET / HTTP/1.1\r\nX-Slow: ')))
  await Promise.all(Array.from({ length: 60 }, (_, n) => dial(place.sshPort, n % 2 ? '' : 'SSH-2.0-slow')))
  expect((await signIn(person.username)).id).toBe(person.id)
  expect(await entersBySsh()).toBe(true)
})

test('only so many strangers of one address wait at the SSH entry, the others are let go', async () => {
  const from = 'PROXY TCP4 10.78.1.1 127.0.0.1 40000 22\r\n'
  const sockets = await Promise.all(Array.from({ length: 30 }, () => dial(place.sshPort, from)))
  // Those beyond the limit end by themselves; ten of thirty are, whichever they happen to be.
  const ended = sockets.map((socket) => new Promise((resolve) => socket.resume().once('close', resolve)))
  for (let n = 0; n < 10; n++) {
    const [gone] = await Promise.race(ended.map((one, at) => one.then(() => [at] as const)))
    ended.splice(gone, 1)
  }
  expect(ended).toHaveLength(20)
  expect(await entersBySsh()).toBe(true)
})

test('bytes that are no SSH are cut off, however many come', async () => {
  for (const noise of [
    'GET / HTTP/1.1\r\n\r\n',
    'x'.repeat(300_000),
    `SSH-2.0-${'a'.repeat(100_000)}\r\n`,
    `SSH-2.0-x\r\n${'\xff'.repeat(300_000)}`,
  ]) {
    const socket = await dial(place.sshPort)
    const closed = new Promise((resolve) => socket.resume().once('close', resolve))
    socket.write(noise, 'latin1')
    await closed
  }
  expect(await entersBySsh()).toBe(true)
})

test('oversized headers, addresses and bodies are refused with a word, and nobody signs in with a password of a megabyte', async () => {
  const status = (path: string, headers: Record<string, string> = {}) =>
    new Promise<number>((resolve) => {
      const asked = request(place.url + path, { headers }, (answer) => resolve(answer.resume().statusCode ?? 0))
      asked.on('error', () => resolve(431)).end()
    })
  expect(await status('/api/health/', { 'x-large': 'a'.repeat(100_000) })).toBe(431)
  expect(await status(`/${'a'.repeat(100_000)}`)).toBeGreaterThanOrEqual(400)
  const tokens = '/api/v1/authentication/tokens/'
  expect((await call('POST', tokens, { username: 'a', password: 'p'.repeat(60_000) })).status).toBe(400)
  // More than 64 kB are not even read from somebody who is not signed in.
  expect((await call('POST', tokens, { username: 'a', password: 'p'.repeat(1_000_000) })).status).toBe(413)
  expect(
    (await call('POST', tokens, `{"username":"${'a'.repeat(17_000_000)}"}`, { 'content-type': 'application/json' }))
      .status,
  ).toBe(413)
  expect((await call('POST', tokens, '['.repeat(60_000), { 'content-type': 'application/json' })).status).toBe(413)
  expect((await call('POST', tokens, 'x', { 'content-type': 'application/xml' })).status).toBeGreaterThanOrEqual(400)
  expect((await call('GET', '/api/health/')).status).toBe(200)
})
