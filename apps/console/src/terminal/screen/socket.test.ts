// @vitest-environment node
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { WATCHED } from '@sallyport/contract/socket/desktop.ts'
import type { SchemasOf } from '@sallyport/contract/socket/message.ts'
import { NONSENSE } from '@sallyport/contract/socket/nonsense-fixture.ts'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type WebSocket as Peer, WebSocketServer } from 'ws'
import { openTerminalSocket, type SocketEvents, socketAddress } from './socket.ts'

type Events = SocketEvents<SchemasOf<typeof WATCHED.fromGateway>>

let gateway: WebSocketServer
let requested: URL

beforeEach(async () => {
  gateway = new WebSocketServer({
    port: 0,
    handleProtocols: (offered) => (offered.has('JMS-KOKO') ? 'JMS-KOKO' : false),
  })
  await once(gateway, 'listening')
  vi.stubGlobal('location', new URL(`http://127.0.0.1:${(gateway.address() as AddressInfo).port}/luna/`))
})
afterEach(() => {
  vi.unstubAllGlobals()
  for (const client of gateway.clients) client.terminate()
  gateway.close()
})

function events(more: Partial<Events> = {}): Events {
  return {
    onOutput: vi.fn(),
    onConnect: () => ({ cols: 120, rows: 40 }),
    onSession: vi.fn(),
    onResize: vi.fn(),
    onError: vi.fn(),
    onClosed: vi.fn(),
    on: { DESKTOP_START: vi.fn(), DESKTOP_NOTICE: vi.fn() },
    ...more,
  }
}

/** Opens a line; answers it and the gateway's end of it, which keeps what it receives. */
async function open(chosen: Events) {
  const connection = once(gateway, 'connection')
  const socket = openTerminalSocket({ type: 'ssh', target_id: 'asset', system_user_id: 'user' }, WATCHED, chosen)
  const [peer, request] = (await connection) as [Peer, { url: string }]
  requested = new URL(request.url, 'http://gateway')
  const received: (string | Buffer)[] = []
  peer.on('message', (data: Buffer, binary: boolean) => received.push(binary ? data : data.toString()))
  const say = (type: string, data = '', id = 'terminal-1') => peer.send(JSON.stringify({ id, type, data }))
  return { socket, peer, received, say }
}

/** Until the line has a gateway at its other end. */
async function answered({ received, say }: Awaited<ReturnType<typeof open>>): Promise<void> {
  say('CONNECT', '{}')
  await vi.waitFor(() => expect(received).toHaveLength(1))
}

test('[A2.67] the gateway hears what is wanted, and the size after it has given the terminal its id', async () => {
  const { received, say, socket } = await open(events())
  expect([
    requested.pathname,
    requested.searchParams.get('type'),
    requested.searchParams.get('target_id'),
    requested.searchParams.get('system_user_id'),
  ]).toEqual(['/koko/ws/terminal/', 'ssh', 'asset', 'user'])
  say('CONNECT', '{}')
  await vi.waitFor(() => expect(received).toHaveLength(1))
  expect(JSON.parse(received[0] as string)).toEqual({
    id: 'terminal-1',
    type: 'TERMINAL_INIT',
    data: '{"cols":120,"rows":40}',
  })
  socket.close()
})

test('[A2.67] input and output are bytes: a character cut in two by frames arrives as it was sent', async () => {
  const output: number[] = []
  const { peer, received, say, socket } = await open(
    events({ onOutput: (bytes) => output.push(...(bytes as Uint8Array)) }),
  )
  const word = new TextEncoder().encode('中文')
  peer.send(word.subarray(0, 2))
  peer.send(word.subarray(2))
  await vi.waitFor(() => expect(new TextDecoder().decode(Uint8Array.from(output))).toBe('中文'))
  say('CONNECT', '{}')
  await vi.waitFor(() => expect(received).toHaveLength(1))
  socket.send(word)
  await vi.waitFor(() => expect(received[1]).toEqual(Buffer.from(word)))
  socket.resize({ cols: 80, rows: 24 })
  await vi.waitFor(() =>
    expect(JSON.parse(String(received[2]))).toEqual({
      id: 'terminal-1',
      type: 'TERMINAL_RESIZE',
      data: '{"cols":80,"rows":24}',
    }),
  )
  socket.close()
})

test('[A2.67] a session that the gateway closes has ended; a line that breaks is lost; each is reported once', async () => {
  const ended = events()
  const first = await open(ended)
  first.say('CLOSE')
  await vi.waitFor(() => expect(ended.onClosed).toHaveBeenCalledWith('ended'))
  await vi.waitFor(() => expect(first.peer.readyState).toBe(first.peer.CLOSED))
  const lost = events()
  const second = await open(lost)
  await answered(second)
  second.peer.terminate()
  await vi.waitFor(() => expect(lost.onClosed).toHaveBeenCalledWith('lost'))
  expect(ended.onClosed).toHaveBeenCalledTimes(1)
  expect(lost.onClosed).toHaveBeenCalledTimes(1)
})

test('[A2.67] errors, the session and the size of a watched terminal are passed on; nonsense is not', async () => {
  const heard = events()
  const { peer, say, socket } = await open(heard)
  peer.send('not json')
  say('TERMINAL_RESIZE', 'nonsense')
  say('TERMINAL_RESIZE', '{"Width":132,"Height":43}')
  say('TERMINAL_SESSION', '{"session":{"id":"s1"}}')
  peer.send(JSON.stringify({ id: '', type: 'TERMINAL_ERROR', data: '', err: 'No permission' }))
  await vi.waitFor(() => expect(heard.onError).toHaveBeenCalledWith('No permission'))
  expect(heard.onResize).toHaveBeenCalledExactlyOnceWith({ cols: 132, rows: 43 })
  expect(heard.onSession).toHaveBeenCalledWith({ session: { id: 's1' } })
  socket.close()
})

test('[A2.67] a ping is answered, and one is sent after 30 quiet seconds, not before', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] })
  try {
    const { received, say, socket } = await open(events())
    say('PING')
    await vi.waitFor(() => expect(JSON.parse(String(received[0]))).toMatchObject({ type: 'PONG' }))
    vi.advanceTimersByTime(25_000)
    vi.advanceTimersByTime(25_000)
    await vi.waitFor(() =>
      expect(received.map((message) => JSON.parse(String(message)).type)).toEqual(['PONG', 'PING']),
    )
    socket.close()
  } finally {
    vi.useRealTimers()
  }
})

test('[A2.67] a line on which nothing comes for five minutes is given up', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] })
  try {
    const heard = events()
    await answered(await open(heard))
    vi.advanceTimersByTime(5 * 60_000)
    expect(heard.onClosed).not.toHaveBeenCalled()
    vi.advanceTimersByTime(25_000)
    expect(heard.onClosed).toHaveBeenCalledExactlyOnceWith('lost')
  } finally {
    vi.useRealTimers()
  }
})

test('[A2.67] over TLS the socket is secure too', () => {
  expect(socketAddress({ type: 'shareroom', target_id: 's1' }, 'https://door.example', 7)).toBe(
    'wss://door.example/koko/ws/terminal/?type=shareroom&target_id=s1&_=7',
  )
})

test('[A2.67] an unknown message, or one with the wrong data for its kind, changes nothing', async () => {
  const reported = events()
  const line = await open(reported)
  await answered(line)
  for (const text of ['', 'null', '[]', '{"type":1}', '{"type":"TERMINAL_ERROR","data":{}}']) line.peer.send(text)
  for (const data of NONSENSE) {
    for (const type of ['TERMINAL_RESIZE', 'TERMINAL_SESSION', 'DESKTOP_START', 'DESKTOP_NOTICE']) line.say(type, data)
    line.say('constructor', data)
  }
  line.say('TERMINAL_RESIZE', '{"Width":0,"Height":24}')
  line.say('TERMINAL_RESIZE', '{"Width":90,"Height":30}')
  await vi.waitFor(() => expect(reported.onResize).toHaveBeenCalledExactlyOnceWith({ cols: 90, rows: 30 }))
  for (const heard of [reported.onSession, reported.onError, reported.on.DESKTOP_START, reported.on.DESKTOP_NOTICE])
    expect(heard).not.toHaveBeenCalled()
  line.say('DESKTOP_NOTICE', '{"text":"Wait"}')
  await vi.waitFor(() => expect(reported.on.DESKTOP_NOTICE).toHaveBeenCalledExactlyOnceWith({ text: 'Wait' }))
  line.socket.close()
})
