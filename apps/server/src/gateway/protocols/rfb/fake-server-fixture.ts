/** A VNC server without a screen: sends what a test wants, and keeps what it receives. */
import { createServer, type Socket } from 'node:net'
import { FROM_CLIENT, serverInit } from './messages.ts'

export interface FakeServer {
  port: number
  /** Sends to everybody who is in. */
  say(bytes: Buffer): void
  /** Keys, pointer and clipboard, as they came. */
  received: Buffer[]
  /** How often an update was asked for. */
  asked(): number
  /** Clients that have left. */
  left(): number
  close(): Promise<void>
}

const LENGTHS: Readonly<Record<number, number>> = {
  [FROM_CLIENT.pixelFormat]: 20,
  [FROM_CLIENT.updateRequest]: 10,
  [FROM_CLIENT.key]: 8,
  [FROM_CLIENT.pointer]: 6,
  [FROM_CLIENT.desktopSize]: 24,
}

/** Needs no password, and has a screen of that size. `answer`: its answer to what it receives. */
export async function startFakeVnc(
  width = 64,
  height = 48,
  answer: (message: Buffer) => Buffer | undefined = () => undefined,
): Promise<FakeServer> {
  const clients = new Set<Socket>()
  const received: Buffer[] = []
  let asked = 0
  let left = 0
  const server = createServer((client) => {
    client.on('error', () => {})
    client.on('close', () => {
      clients.delete(client)
      left++
    })
    client.write('RFB 003.008\n')
    let bytes = Buffer.alloc(0)
    // Version, way to sign in, shared: what is answered to each.
    const steps = [
      { length: 12, answer: Buffer.of(1, 1) },
      { length: 1, answer: Buffer.alloc(4) },
      { length: 1, answer: serverInit({ width, height }, 'fake') },
    ]
    client.on('data', (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk])
      for (;;) {
        const step = steps[0]
        const length = step ? step.length : lengthOf(bytes)
        if (length === undefined || bytes.length < length) return
        const message = Buffer.from(bytes.subarray(0, length))
        bytes = bytes.subarray(length)
        if (step) {
          steps.shift()
          client.write(step.answer)
          if (!steps.length) clients.add(client)
        } else if (message[0] === FROM_CLIENT.updateRequest) asked++
        else if (message[0] !== FROM_CLIENT.pixelFormat && message[0] !== FROM_CLIENT.encodings) {
          received.push(message)
          const reply = answer(message)
          if (reply) client.write(reply)
        }
      }
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return {
    port: (server.address() as { port: number }).port,
    say(bytes) {
      for (const client of clients) client.write(bytes)
    },
    received,
    asked: () => asked,
    left: () => left,
    async close() {
      for (const client of clients) client.destroy()
      await new Promise((closed) => server.close(closed))
    },
  }
}

function lengthOf(bytes: Buffer): number | undefined {
  const type = bytes[0]
  if (type === undefined) return undefined
  if (type === FROM_CLIENT.encodings) return bytes.length < 4 ? undefined : 4 + bytes.readUInt16BE(2) * 4
  if (type === FROM_CLIENT.cutText) return bytes.length < 8 ? undefined : 8 + Math.abs(bytes.readInt32BE(4))
  const length = LENGTHS[type]
  if (length === undefined) throw new Error(`message ${type}`)
  return length
}

/** One color (`rrggbb`) over a part of the screen, in raw pixels. */
export function painted(x: number, y: number, width: number, height: number, color: string): Buffer {
  const head = Buffer.alloc(16)
  head.writeUInt16BE(1, 2)
  for (const [n, value] of [x, y, width, height].entries()) head.writeUInt16BE(value, 4 + n * 2)
  return Buffer.concat([head, Buffer.alloc(width * height * 4, Buffer.from(`${color}00`, 'hex'))])
}

/** The server's clipboard. */
export function clipboard(text: string): Buffer {
  const body = Buffer.from(text, 'latin1')
  const head = Buffer.alloc(8)
  head[0] = 3
  head.writeUInt32BE(body.length, 4)
  return Buffer.concat([head, body])
}
