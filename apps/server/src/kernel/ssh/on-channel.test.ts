import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type ssh2 from 'ssh2'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { onChannel } from './on-channel.ts'
import { Client, Server, utils } from './ssh2/index.ts'

let server: ssh2.Server
let client: ssh2.Client
/** Opens the channel that was asked for last. */
const asked = Promise.withResolvers<() => ssh2.ServerChannel>()

beforeAll(async () => {
  const hostKeys = [utils.generateKeyPairSync('ed25519').private]
  server = new Server({ hostKeys }, (connection) => {
    connection.on('error', () => {})
    connection.on('authentication', (context) => context.accept())
    connection.on('session', (accept) => accept().on('exec', (yes) => asked.resolve(yes)))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  client = new Client()
  client.connect({ host: '127.0.0.1', port: (server.address() as AddressInfo).port, username: 'anybody' })
  await once(client, 'ready')
})
afterAll(() => {
  client?.destroy()
  server?.close()
})

test('[A1.11] on a channel that opens after its time nothing is begun: it is closed', async () => {
  const cancelled = new AbortController()
  const talked = Promise.withResolvers<string>()
  const command = { command: 'true', timeoutMs: 60_000, signal: cancelled.signal }
  const ran = onChannel(client, command, (channel) => {
    channel.end()
    talked.resolve('talked')
    return () => ({ stdout: '', stderr: '', isCut: false })
  })
  const open = await asked.promise
  cancelled.abort(new Error('Cancelled'))
  await expect(ran).rejects.toThrow('Cancelled')
  const closed = once(open().resume(), 'close').then(() => 'closed')
  expect(await Promise.race([closed, talked.promise])).toBe('closed')
})
