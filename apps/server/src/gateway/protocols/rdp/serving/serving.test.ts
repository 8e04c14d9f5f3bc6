import { expect, test } from 'vitest'
import { Picture } from '../../../kinds/desktop/picture/picture.ts'
import { ProtocolViolation } from '../../protocol-violation.ts'
import { paint, readBitmaps } from '../bitmaps.ts'
import { Clipboard } from '../clipboard.ts'
import { connectInitial } from '../conference.ts'
import { Cursor, u16, u32 } from '../cursor.ts'
import { mcsOf } from '../framing.ts'
import { keyInput, pointerInput } from '../input.ts'
import { sendData } from '../mcs.ts'
import { connectionRequest } from '../negotiation.ts'
import { readDemand, shareMessages, takeUp } from '../share.ts'
import { clientInfo } from '../sign-on.ts'
import { encodeBitmaps } from './bitmap-encoder.ts'
import { channelOf, readInitial, readRequest, SCREEN_CHANNEL, USER } from './entrance.ts'
import { InputTranslator } from './input-translator.ts'
import { RdpClient } from './rdp-client.ts'
import { readClientInfo } from './sign-on.ts'

/** The same numbers at every run. */
function randomly(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** One color, stripes, runs of every length, and noise, with edges that are no multiple of anything. */
function aPicture(): Picture {
  const picture = new Picture(201, 67)
  const random = randomly(5)
  let run = 0
  let last = 0
  for (let at = 0; at < picture.pixels.length; at++) {
    const [x, y] = [at % 201, Math.floor(at / 201)]
    if (run-- <= 0) {
      run = random(50)
      last = random(0x1000000)
    }
    picture.pixels[at] = x < 64 ? 0x3366ff : x < 128 ? last : x < 160 ? (y % 2 ? 0xffffff : x) : random(0x1000000)
  }
  return picture
}

test.each([
  [32, true],
  [32, false],
  [24, true],
] as const)('bitmaps of %i bits arrive as they were (without alpha: %s)', (bitsPerPixel, skipsAlpha) => {
  const from = aPicture()
  const bitmaps: Buffer[] = []
  for (let y = 0; y < 67; y += 64)
    encodeBitmaps(from, { x: 0, y, width: 201, height: Math.min(64, 67 - y) }, { bitsPerPixel, skipsAlpha }, bitmaps)
  for (const one of bitmaps) expect(one.length).toBeLessThan(16_383 - 12)
  const to = new Picture(201, 67)
  for (const bitmap of readBitmaps(new Cursor(Buffer.concat([u16(1, bitmaps.length), ...bitmaps])))) paint(to, bitmap)
  expect(Buffer.from(to.pixels.buffer).equals(Buffer.from(from.pixels.buffer))).toBe(true)
})

test("a client's description of itself is read as clients write it", () => {
  expect(readRequest(connectionRequest(11))).toBe(11)
  const request = { width: 1024, height: 768, selected: 1, isAdmin: true, channels: ['cliprdr', 'drdynvc'] }
  const words = readInitial(mcsOf(connectInitial(request)) as Buffer)
  expect(words).toMatchObject({ width: 1024, height: 768, bitsPerPixel: 32, knowsReasons: true })
  expect([channelOf('cliprdr', words), channelOf('drdynvc', words), channelOf('rdpdr', words)]).toEqual([
    1004,
    1005,
    undefined,
  ])
  const account = { domain: 'D', username: 'walker|token', password: '密码' }
  expect(readClientInfo(clientInfo(account))).toEqual({ username: 'walker|token', password: '密码' })
})

test('keys by their number are what is on them, with shift and locks, and are let go as they were pressed', () => {
  const done: string[] = []
  const translator = new InputTranslator({
    key: (isDown, keysym) => void done.push(`${isDown ? '+' : '-'}${keysym.toString(16)}`),
    pointer: (buttons, x, y) => void done.push(`${buttons}@${x},${y}`),
  })
  const did = () => done.splice(0).join(' ')
  translator.key(true, 0x1e)
  translator.key(false, 0x1e)
  expect(did()).toBe('+61 -61')
  translator.key(true, 0x2a)
  translator.key(true, 0x03)
  translator.key(false, 0x2a)
  translator.key(false, 0x03)
  expect(did()).toBe('+ffe1 +40 -ffe1 -40')
  translator.locks(4)
  translator.key(true, 0x1e)
  translator.key(true, 0x03)
  expect(did()).toBe('+41 +32')
  translator.locks(0)
  translator.key(true, 0x48)
  translator.key(true, 0x0f)
  translator.key(true, 0x15b)
  expect(did()).toBe('+ff52 +ff09 +ffeb')
  translator.locks(2)
  translator.key(true, 0x4b)
  expect(did()).toBe('+ffb4')
  for (const unit of ['付', '😀'.slice(0, 1), '😀'.slice(1)]) translator.character(true, unit.charCodeAt(0))
  translator.character(false, 0x4ed8)
  expect(did()).toBe('+1004ed8 -1004ed8 +101f600 -101f600')
  translator.pointer(0x0800, 5, 6)
  translator.pointer(0x9000, 5, 6)
  translator.pointer(0x1000, 7, 8)
  expect(did()).toBe('0@5,6 1@5,6 0@7,8')
  translator.pointer(0x0200 | 60, 1, 1)
  translator.pointer(0x0200 | 60, 1, 1)
  translator.pointer(0x0200 | 0x100 | (256 - 120), 1, 1)
  translator.furtherButton(0x8001, 1, 1)
  expect(did()).toBe('8@1,1 0@1,1 16@1,1 0@1,1 128@1,1')
})

function aClient(hasRoom = () => true) {
  const sent: Buffer[] = []
  const keys: number[] = []
  const client = new RdpClient({
    picture: new Picture(64, 64),
    bitsPerPixel: 32,
    clipboardChannel: 1004,
    knowsReasons: true,
    input: { key: (_isDown, keysym) => void keys.push(keysym), pointer() {} },
    pasted() {},
    leaves() {},
    write: (bytes) => void sent.push(bytes),
    hasRoom,
  })
  return { client, sent, keys }
}

/** Answers of a client to the first screen that it is offered. */
function takingUp(sent: Buffer[]): Buffer[] {
  const [{ body } = { body: Buffer.alloc(0) }] = shareMessages((mcsOf(sent[0] as Buffer) as Buffer).subarray(8))
  const confirm = readDemand(body)
  expect(confirm).toMatchObject({ width: 64, height: 64, bitsPerPixel: 32, takesUnicode: true })
  return takeUp(confirm, USER).map((message) => sendData(USER, SCREEN_CHANNEL, message))
}

const bitmapsIn = (sent: Buffer[]) => sent.filter(([first, , , code]) => first === 0 && code === 1).length

test('a client sees nothing and does nothing before it has taken up the screen, and nothing more while it reads nothing', () => {
  let hasRoom = true
  const { client, sent, keys } = aClient(() => hasRoom)
  client.receive(keyInput(true, 0x1e))
  client.changed()
  expect([bitmapsIn(sent), keys]).toEqual([0, []])
  for (const message of takingUp(sent)) client.receive(message)
  expect(bitmapsIn(sent)).toBe(1)
  client.receive(keyInput(true, 0x1e))
  expect(keys).toEqual([0x61])
  hasRoom = false
  const before = sent.length
  for (let n = 0; n < 100; n++) for (const message of takingUp(sent)) client.receive(message)
  client.copied('text')
  expect(sent).toHaveLength(before)
  client.close(3)
  // Why, and that it is over.
  expect(sent.slice(before).map((one) => one.subarray(-4).toString('hex'))).toEqual(['03000000', 'f0802080'])
})

test('text of the clipboard goes both ways between a client and the gateway as its server', () => {
  const got: string[] = []
  const wire: (() => void)[] = []
  const end = (name: string, other: () => Clipboard): Clipboard =>
    new Clipboard({
      send: (pieces) => {
        for (const piece of pieces) wire.push(() => other().receive(piece))
      },
      copied: (text) => void got.push(`${name}: ${text}`),
      maxBytes: 1000,
    })
  const server: Clipboard = end('server', () => client)
  const client: Clipboard = end('client', () => server)
  const pass = () => {
    for (let one = wire.shift(); one; one = wire.shift()) one()
  }
  client.offer('账单\n1')
  server.begin()
  pass()
  server.offer('付\n2')
  pass()
  client.offer('x'.repeat(2000))
  pass()
  expect(got).toEqual(['server: 账单\n1', 'client: 付\n2'])
})

test('nothing is prepared for a client that reads nothing, and a text that may not be copied any more is not given out', () => {
  let hasRoom = true
  const sent: Buffer[] = []
  let made = 0
  const clipboard = new Clipboard({
    send: (pieces) => {
      made++
      sent.push(...pieces)
    },
    hasRoom: () => hasRoom,
    copied() {},
    maxBytes: 1000,
  })
  const wanted = Buffer.concat([u32(12, 3), u16(4, 0), u32(4), u32(13)])
  clipboard.offer('the bill')
  hasRoom = false
  clipboard.receive(wanted)
  expect(made).toBe(0)
  hasRoom = true
  for (let n = 0; n < 2; n++) {
    clipboard.receive(wanted)
    expect(sent.at(-1)?.subarray(16).toString('utf16le')).toBe('the bill\0')
  }
  clipboard.withdraw()
  clipboard.receive(wanted)
  // There is none.
  expect([sent.at(-1)?.readUInt16LE(8), sent.at(-1)?.readUInt16LE(10)]).toEqual([5, 2])
})

test('any bytes of a client are a fault of that client or nothing', () => {
  const random = randomly(9)
  let refused = 0
  for (let round = 0; round < 400; round++) {
    const { client, sent } = aClient()
    const valid = [
      ...takingUp(sent),
      keyInput(true, 0x1e),
      ...pointerInput(1, 0, 5, 5),
      sendData(USER, 1004, u32(16, 3), u16(2, 0), u32(8), u32(13), u16(0, 0)),
    ]
    const bytes = Buffer.concat(valid)
    for (let n = 0; n <= random(4); n++) bytes[random(bytes.length)] = random(256)
    try {
      client.receive(bytes)
    } catch (error) {
      expect(error).toBeInstanceOf(ProtocolViolation)
      refused++
    }
    client.close(0)
    const words = Buffer.concat([
      connectionRequest(1),
      connectInitial({ width: 1, height: 1, selected: 1, isAdmin: false, channels: ['cliprdr'] }),
    ])
    words[random(words.length)] = random(256)
    try {
      readRequest(words)
      readInitial(words.subarray(26))
      readClientInfo(words)
    } catch (error) {
      expect(error).toBeInstanceOf(ProtocolViolation)
    }
  }
  expect(refused).toBeGreaterThan(20)
})
