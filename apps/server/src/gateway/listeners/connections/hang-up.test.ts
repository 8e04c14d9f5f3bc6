import { connect, createServer, type Socket } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import { hangUp } from './hang-up.ts'

afterEach(() => void vi.useRealTimers())

test('a client that hears the last words and does not hang up loses its connection', async () => {
  const taken = Promise.withResolvers<Socket>()
  const server = createServer(taken.resolve).listen(0, '127.0.0.1')
  await new Promise((listening) => server.once('listening', listening))
  const client = connect({ port: (server.address() as { port: number }).port, host: '127.0.0.1', allowHalfOpen: true })
  client.on('error', () => {}).write('unread')
  const socket = await taken.promise
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  hangUp(socket, 'enough')
  const [words] = await Promise.all([
    new Promise((heard) => client.once('data', heard)),
    new Promise((end) => client.once('end', end)),
  ])
  expect(String(words)).toBe('enough')
  expect(socket.destroyed).toBe(false)
  vi.advanceTimersByTime(10_000)
  expect(socket.destroyed).toBe(true)
  client.destroy()
  server.close()
})
