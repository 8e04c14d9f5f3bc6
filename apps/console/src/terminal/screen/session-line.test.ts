// @vitest-environment node
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { TERMINAL } from '@sallyport/contract/socket/terminal.ts'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type WebSocket as Peer, WebSocketServer } from 'ws'
import type { LineEvents, LineOf } from '../pane/own-line.ts'
import { NOT_SHARED } from '../pane/room.ts'
import { openSessionLine } from './session-line.ts'

let gateway: WebSocketServer
const lines: LineOf<typeof TERMINAL>[] = []

beforeEach(async () => {
  gateway = new WebSocketServer({ port: 0, handleProtocols: () => 'JMS-KOKO' })
  await once(gateway, 'listening')
  vi.stubGlobal('location', new URL(`http://127.0.0.1:${(gateway.address() as AddressInfo).port}/luna/`))
})
afterEach(() => {
  for (const line of lines.splice(0)) line.end()
  vi.unstubAllGlobals()
  for (const client of gateway.clients) client.terminate()
  gateway.close()
})

function events() {
  return {
    size: () => ({ cols: 80, rows: 24 }),
    onOutput: vi.fn(),
    onSession: vi.fn(),
    onLost: vi.fn(),
    onBack: vi.fn(),
    onRefused: vi.fn(),
    onInputLost: vi.fn(),
    onError: vi.fn(),
    onClosed: vi.fn(),
    on: {
      ...NOT_SHARED,
      TERMINAL_LOCK() {},
      TERMINAL_WATCHERS() {},
      TERMINAL_ACTION() {},
      TERMINAL_READY() {},
      DESKTOP_VIEW() {},
    },
  } satisfies LineEvents<typeof TERMINAL>
}

/** The gateway's end of the next line, with what it is asked for and what it receives. */
async function nextLine() {
  const [peer, request] = (await once(gateway, 'connection')) as [Peer, { url: string }]
  const query = new URL(request.url, 'http://gateway').searchParams
  const inputs: string[] = []
  const types: string[] = []
  peer.on('message', (data: Buffer, binary: boolean) => {
    if (binary) inputs.push(data.toString())
    else types.push(JSON.parse(data.toString()).type)
  })
  const say = (type: string, data: unknown = '') =>
    peer.send(JSON.stringify({ id: 'x', type, data: JSON.stringify(data) }))
  return { peer, query, inputs, types, say, typed: () => inputs.join('') }
}

const bytes = (text: string) => new TextEncoder().encode(text)
const TARGET = { type: 'ssh', target_id: 'asset', system_user_id: 'user' }

/** A session that has begun. */
async function running(
  reported: LineEvents<typeof TERMINAL>,
  options: { resume?: string; abandon?: (id: string) => void } = {},
) {
  const first = nextLine()
  const line = openSessionLine(TARGET, TERMINAL, { client: 'me', delays: [1], ...options }, reported)
  lines.push(line)
  const gatewayEnd = await first
  gatewayEnd.say('CONNECT', {})
  await vi.waitFor(() => expect(gatewayEnd.types).toContain('TERMINAL_INIT'))
  return { line, first: gatewayEnd }
}

test('a broken line is mended by itself; what did not arrive goes out again, what arrived does not', async () => {
  const reported = events()
  const { line, first } = await running(reported)
  first.say('TERMINAL_SESSION', { session: { id: 's1' }, reattach: 5 })
  await vi.waitFor(() =>
    expect(reported.onSession).toHaveBeenCalledWith(expect.objectContaining({ id: 's1', isResumed: false })),
  )
  line.send(bytes('one two three'))
  await vi.waitFor(() => expect(first.typed()).toBe('one two three'))
  const coming = nextLine()
  first.peer.terminate()
  const second = await coming
  expect(reported.onLost).toHaveBeenCalledTimes(1)
  expect(Object.fromEntries(second.query)).toMatchObject({ type: 'resume', target_id: 's1', client: 'me' })
  second.say('CONNECT', {})
  await vi.waitFor(() => expect(second.types).toContain('TERMINAL_INIT'))
  // Typed into the gap: said to be refused, and never sent.
  line.send(bytes('lost'))
  expect(reported.onRefused).toHaveBeenCalledTimes(1)
  second.say('TERMINAL_SESSION', { session: { id: 's1' }, resumed: true, received: 'one two'.length, reattach: 5 })
  await vi.waitFor(() => expect(reported.onBack).toHaveBeenCalledTimes(1))
  line.send(bytes(' four'))
  await vi.waitFor(() => expect(second.typed()).toBe(' three four'))
  expect(reported.onInputLost).not.toHaveBeenCalled()
  second.say('CLOSE')
  await vi.waitFor(() => expect(reported.onClosed).toHaveBeenCalledWith('ended'))
})

test('a gateway that does not wait ends the session with the line; one that was taken over elsewhere is not taken back by itself', async () => {
  const old = events()
  const { first } = await running(old)
  first.say('TERMINAL_SESSION', { session: { id: 's1' } })
  await vi.waitFor(() => expect(old.onSession).toHaveBeenCalled())
  first.peer.terminate()
  await vi.waitFor(() => expect(old.onClosed).toHaveBeenCalledWith('lost'))

  const reported = events()
  const again = await running(reported)
  again.first.say('TERMINAL_SESSION', { session: { id: 's2' }, reattach: 5 })
  again.first.say('TERMINAL_MOVED')
  again.first.say('CLOSE')
  await vi.waitFor(() => expect(reported.onClosed).toHaveBeenCalledWith('moved'))
  expect(gateway.clients.size).toBeLessThanOrEqual(1)
})

test('a page that was loaded again goes on where its input was; typed before the gateway is ready is kept', async () => {
  const reported = events()
  const { line, first } = await running(reported, { resume: 's9' })
  expect(first.query.get('target_id')).toBe('s9')
  first.say('TERMINAL_SESSION', { session: { id: 's9' }, resumed: true, received: 500, reattach: 5 })
  await vi.waitFor(() => expect(reported.onSession).toHaveBeenCalled())
  line.send(bytes('more'))
  await vi.waitFor(() => expect(first.typed()).toBe('more'))
  expect(reported.onInputLost).not.toHaveBeenCalled()

  const coming = nextLine()
  const early = openSessionLine(TARGET, TERMINAL, { client: 'me' }, events())
  lines.push(early)
  early.send(bytes('typed '))
  early.send(bytes('early'))
  const fresh = await coming
  fresh.say('CONNECT', {})
  await vi.waitFor(() => expect(fresh.typed()).toBe('typed early'))
})

test('closing a terminal ends its session: over the line, or without one by name', async () => {
  const abandon = vi.fn()
  const reported = events()
  const { line, first } = await running(reported, { abandon })
  first.say('TERMINAL_SESSION', { session: { id: 's1' }, reattach: 5 })
  await vi.waitFor(() => expect(reported.onSession).toHaveBeenCalled())
  line.end()
  await vi.waitFor(() => expect(first.types).toContain('CLOSE'))
  expect(abandon).not.toHaveBeenCalled()

  const other = events()
  const second = await running(other, { abandon })
  second.first.say('TERMINAL_SESSION', { session: { id: 's2' }, reattach: 5 })
  await vi.waitFor(() => expect(other.onSession).toHaveBeenCalled())
  second.first.peer.terminate()
  await vi.waitFor(() => expect(other.onLost).toHaveBeenCalled())
  second.line.end()
  expect(abandon).toHaveBeenCalledWith('s2')
})

test('[B8.19] a line with no gateway at its other end is told apart from one that broke', async () => {
  const reported = events()
  gateway.close()
  await once(gateway, 'close')
  lines.push(openSessionLine(TARGET, TERMINAL, { client: 'me' }, reported))
  await vi.waitFor(() => expect(reported.onClosed).toHaveBeenCalledExactlyOnceWith('unreached'))
})
