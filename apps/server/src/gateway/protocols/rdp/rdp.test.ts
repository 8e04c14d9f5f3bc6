import { expect, test } from 'vitest'
import { Picture } from '../../kinds/desktop/picture/picture.ts'
import { PaintedPointer } from '../../kinds/desktop/picture/pointer.ts'
import { ProtocolViolation } from '../protocol-violation.ts'
import { StepReader } from '../steps.ts'
import { paint, readBitmaps } from './bitmaps.ts'
import { Clipboard } from './clipboard.ts'
import { readConnectResponse } from './conference.ts'
import { md4, rc4 } from './credssp/legacy.ts'
import { ntlmAuthenticate } from './credssp/ntlm.ts'
import { Cursor, u16, u32 } from './cursor.ts'
import { DisplayControl } from './display-control.ts'
import { readMessages } from './framing.ts'
import { characterInput, keyInput, pointerInput } from './input.ts'
import { Keyboard } from './keyboard.ts'
import { readIndication } from './mcs.ts'
import { decodePlanes } from './planes.ts'
import { decodeRuns } from './run-lengths.ts'
import { readDemand, shareMessages } from './share.ts'
import { FastPath } from './updates.ts'

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex')

test('the functions below NTLM give the results of its authors', () => {
  expect(md4(Buffer.from('abc')).toString('hex')).toBe('a448017aaf21d8525fc10ae87aa6729d')
  expect(md4(Buffer.from('N1a-Pass!', 'utf16le')).toString('hex')).toBe('e79c58024b2d02b58d38102a26f4b161')
  // RFC 6229, a key of 40 bits.
  expect(rc4(hex('0102030405'))(Buffer.alloc(8)).toString('hex')).toBe('b2396305f03dc027')
})

test('runs of pixels: a color, what is above, a foreground run as the last order, and a mask', () => {
  // A row of red; a row as below it; and one inverted by a foreground run, with nothing behind it.
  const rows = decodeRuns(hex('64 00f8 04 24'), 4, 3, 16)
  expect([...rows]).toEqual([...Array(8).fill(0xf800), ...Array(4).fill(0x07ff)])
  // Two background runs in a row have a foreground pixel between them; a mask of its own.
  expect([...decodeRuns(hex('64 0000 01 03'), 4, 2, 16)]).toEqual([0, 0, 0, 0, 0, 0xffff, 0, 0])
  expect(() => decodeRuns(hex('f3 ffff 0000'), 4, 2, 16)).toThrow('more pixels than it has')
})

test('planes of color: as they are, and as differences between rows', () => {
  const raw = decodePlanes(hex('20 0102 0304 0506 00'), 2, 1)
  expect([...raw]).toEqual([0x010305, 0x020406])
  // A row of sevens; below it a difference of one more (twice one, as it is written), repeated.
  const plane = '13 07 13 02'
  const rows = decodePlanes(hex(`30 ${plane} ${plane} ${plane}`), 4, 2)
  expect([...rows]).toEqual([...Array(4).fill(0x070707), ...Array(4).fill(0x080808)])
})

/** An update of one bitmap, of 16 bits a pixel and not compressed. */
const bitmap = (x: number, y: number, right: number, bottom: number, width: number, height: number, pixel: number) =>
  Buffer.concat([
    u16(1, 1, x, y, right, bottom, width, height, 16, 0, width * height * 2),
    u16(...Array<number>(width * height).fill(pixel)),
  ])

test('a bitmap that is wider than what is shown of it is cut, and one beside the screen is not painted', () => {
  const picture = new Picture(8, 8)
  const [padded] = readBitmaps(new Cursor(bitmap(1, 1, 3, 2, 4, 2, 0xf800)))
  expect(paint(picture, padded as NonNullable<typeof padded>)).toEqual({ x: 1, y: 1, width: 3, height: 2 })
  expect(picture.pixels[8 + 3]).toBe(0x0000ff)
  expect(picture.pixels[8 + 4]).toBe(0)
  const [beside] = readBitmaps(new Cursor(bitmap(9, 9, 12, 10, 4, 2, 0xf800)))
  expect(paint(picture, beside as NonNullable<typeof beside>)).toBeUndefined()
})

test('a pointer is seen above the picture, and what was under it comes back', () => {
  const picture = new Picture(40, 40)
  const pointer = new PaintedPointer(picture)
  picture.pixels.fill(0x123456)
  // Nobody has moved it yet: it has no place, also on a screen that starts again.
  pointer.reset()
  expect(new Set(picture.pixels)).toEqual(new Set([0x123456]))
  pointer.move(5, 5)
  expect(picture.pixels[7 * 40 + 6]).toBe(0xffffff)
  pointer.under({ x: 0, y: 0, width: 40, height: 40 }, () => picture.pixels.fill(0x654321))
  expect(picture.pixels[7 * 40 + 6]).toBe(0xffffff)
  pointer.move(39, 39)
  pointer.show(undefined)
  expect(new Set(picture.pixels)).toEqual(new Set([0x654321]))
})

const OF_OLD = [0x6d1, 0x1b1, 0x7bb, 0xcf7, 0xad2]

test('keys go by number where the machine has them, else as characters; shortcuts always by number', () => {
  const typed = (takesUnicode: boolean, ...keysyms: number[]) => {
    const keyboard = new Keyboard(takesUnicode)
    return keysyms.flatMap((keysym) => keyboard.key(true, keysym))
  }
  const [shift, control, a, A, at, han] = [0xffe1, 0xffe3, 0x61, 0x41, 0x40, 0x0100_4f60]
  expect(typed(true, a)).toEqual([keyInput(true, 0x1e)])
  expect(typed(true, shift, A)).toEqual([keyInput(true, 0x2a), keyInput(true, 0x1e)])
  // On the person's keyboard @ needs no shift, and capitals may be locked.
  expect(typed(true, at)).toEqual([characterInput(true, 0x40)])
  expect(typed(false, A)).toEqual([
    keyInput(true, 0x2a),
    keyInput(true, 0x1e),
    keyInput(false, 0x1e),
    keyInput(false, 0x2a),
  ])
  expect(typed(true, control, at)).toEqual([keyInput(true, 0x1d), keyInput(true, 0x03)])
  expect([typed(true, han), typed(false, han)]).toEqual([[characterInput(true, 0x4f60)], []])
  // Old alphabets have numbers of their own: я, ą, ώ, ק, “.
  for (const [keysym, character] of [...'яąώק“'].map((one, n) => [OF_OLD[n] as number, one] as const))
    expect(typed(true, keysym)).toEqual([characterInput(true, character.charCodeAt(0))])
  expect(typed(true, 0xff6a, 0x1a0)).toEqual([])
  // A command is of keys alone, also on keyboards of other scripts (с beside Control, Alt and Super); with AltGr it is a character.
  const cyrillic = 0x6d3
  for (const [held, scanCode] of [
    [control, 0x1d],
    [0xffe9, 0x38],
    [0xffeb, 0x15b],
  ] as const)
    expect(typed(true, held, cyrillic)).toEqual([keyInput(true, scanCode)])
  const written = characterInput(true, 'с'.charCodeAt(0))
  expect(typed(true, 0xfe03, cyrillic).at(-1)).toEqual(written)
  expect(typed(true, control, 0xffea, cyrillic).at(-1)).toEqual(written)
  const keyboard = new Keyboard(true)
  keyboard.key(true, a)
  expect([keyboard.key(false, a), keyboard.key(false, a)]).toEqual([[keyInput(false, 0x1e)], []])
})

test('buttons and the wheel are reported as changes', () => {
  expect(pointerInput(0b100, 0, 3, 4).map((one) => one.readUInt16LE(3))).toEqual([0x0800, 0xa000])
  expect(pointerInput(0, 0b100, 3, 4).map((one) => one.readUInt16LE(3))).toEqual([0x0800, 0x2000])
  expect(pointerInput(0b10000, 0, 3, 4).map((one) => one.readUInt16LE(3))).toEqual([0x0800, 0x0388])
})

/** A message of the clipboard in one piece. */
const clipboardMessage = (type: number, flags: number, body: Buffer) =>
  Buffer.concat([u32(body.length + 8, 3), u16(type, flags), u32(body.length), body])

test('[A2.64] the clipboard fetches text, offers text, and neither files nor pictures', () => {
  const sent: Buffer[] = []
  const copied: string[] = []
  const clipboard = new Clipboard({
    send: (pieces) => sent.push(...pieces),
    copied: (text) => copied.push(text),
    maxBytes: 5000,
  })
  const types = () => sent.splice(0).map((one) => one.readUInt16LE(8))
  clipboard.offer('early\nbird')
  expect(types()).toEqual([])
  clipboard.receive(clipboardMessage(7, 0, Buffer.concat([u16(1, 0, 1, 12), u32(2, 2)])))
  clipboard.receive(clipboardMessage(1, 0, Buffer.alloc(0)))
  expect(types()).toEqual([7, 2])
  clipboard.receive(clipboardMessage(4, 0, u32(13)))
  expect(sent.at(-1)?.subarray(16).toString('utf16le')).toBe('early\r\nbird\0')
  types()
  // A list of files is taken note of; nothing of it is asked for, and none is given.
  const files = Buffer.concat([u32(0xc0bc), Buffer.from('FileGroupDescriptorW\0', 'utf16le')])
  clipboard.receive(clipboardMessage(2, 0, files))
  clipboard.receive(clipboardMessage(4, 0, u32(0xc0bc)))
  expect(sent.map((one) => [one.readUInt16LE(8), one.readUInt16LE(10)])).toEqual([
    [3, 1],
    [5, 2],
  ])
  types()
  clipboard.receive(clipboardMessage(2, 0, Buffer.concat([files, u32(13), u16(0)])))
  expect(types()).toEqual([3, 4])
  // The text in two pieces.
  const text = clipboardMessage(5, 1, Buffer.from('你好\r\nthere\0', 'utf16le')).subarray(8)
  clipboard.receive(Buffer.concat([u32(text.length, 1), text.subarray(0, 11)]))
  clipboard.receive(Buffer.concat([u32(text.length, 2), text.subarray(11)]))
  expect(copied).toEqual(['你好\nthere'])
  // One that is too long is passed over.
  const long = clipboardMessage(5, 1, Buffer.from('long\0', 'utf16le')).subarray(8)
  clipboard.receive(Buffer.concat([u32(9_000_000, 1), long]))
  clipboard.receive(Buffer.concat([u32(9_000_000, 2), long]))
  expect(copied).toHaveLength(1)
})

test('one of the channels inside the channel is opened, and by it another size is asked for', () => {
  const sent: string[] = []
  let isReady = false
  const display = new DisplayControl({
    send: (one) => sent.push(one.subarray(8).toString('hex')),
    ready: () => {
      isReady = true
    },
  })
  const tell = (...parts: Buffer[]) => {
    const message = Buffer.concat(parts)
    display.receive(Buffer.concat([u32(message.length, 3), message]))
    return sent.splice(0)
  }
  expect(tell(hex('50 00 0300'))).toEqual(['50000200'])
  expect(tell(hex('10 07'), Buffer.from('rdpdr\0'))).toEqual(['1007010000c0'])
  expect(tell(hex('10 08'), Buffer.from('Microsoft::Windows::RDS::DisplayControl\0'))).toEqual(['100800000000'])
  display.resize(1000, 600)
  expect([sent, isReady]).toEqual([[], false])
  // Messages of a channel that was refused are dropped.
  tell(hex('30 07'), u32(5, 20, 1, 1, 1))
  expect(isReady).toBe(false)
  tell(hex('30 08'), u32(5, 20, 1, 1, 1))
  display.resize(1000, 600)
  expect([isReady, sent.length, sent[0]?.slice(0, 4 + 32)]).toEqual([
    true,
    1,
    `3008${u32(2, 56, 40, 1).toString('hex')}`,
  ])
})

test('a message that is cut short, too long or beside the point ends in a fault of the server, and takes no memory', () => {
  const fast = () => new FastPath({ bitmaps: (read) => [...readBitmaps(read)], pointer: () => {} })
  const account = { domain: '', username: 'ann', password: 'x' }
  const picture = new Picture(64, 64)
  const painting = (read: Cursor) => {
    for (const one of readBitmaps(read)) paint(picture, one)
  }
  const readers: [name: string, read: (bytes: Buffer) => void][] = [
    ['conference', readConnectResponse],
    ['channel', readIndication],
    ['demand', readDemand],
    ['shares', (bytes) => [...shareMessages(bytes)]],
    ['bitmaps', (bytes) => painting(new Cursor(Buffer.concat([u16(1, 3), bytes])))],
    ['runs', (bytes) => decodeRuns(bytes, 64, 64, 24)],
    ['planes', (bytes) => decodePlanes(bytes, 64, 64)],
    ['fast path', (bytes) => fast().receive(Buffer.concat([u16(0), bytes]))],
    ['challenge', (bytes) => ntlmAuthenticate(bytes, account, 'host')],
    [
      'messages',
      (bytes) => {
        const reader = new StepReader(readMessages(() => {}))
        reader.add(bytes)
        reader.read()
      },
    ],
    ['display', (bytes) => new DisplayControl({ send: () => {}, ready: () => {} }).receive(bytes)],
    ['clipboard', (bytes) => new Clipboard({ send: () => {}, copied: () => {}, maxBytes: 5000 }).receive(bytes)],
  ]
  // Bytes as if by chance, the same each time.
  let seed = 7
  const next = () => (seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff) >> 16
  for (const [name, read] of readers)
    for (let n = 0; n < 300; n++) {
      const bytes = Buffer.alloc(next() % 200)
      for (let at = 0; at < bytes.length; at++) bytes[at] = n % 3 ? next() & 0xff : next() & 3
      try {
        read(bytes)
      } catch (error) {
        expect([name, error]).toEqual([name, expect.any(ProtocolViolation)])
      }
    }
  const endless = fast()
  const piece = (kind: number) => Buffer.concat([Buffer.of(0, 0, 1 | (kind << 4)), u16(0xffff), Buffer.alloc(0xffff)])
  endless.receive(piece(2))
  expect(() => {
    for (let n = 0; n < 100; n++) endless.receive(piece(3))
  }).toThrow('an update larger than was agreed on')
})
