/** Viewers that are not pages of ours: other encodings, other pixels, a clipboard in the same line. */
import { constants, deflateSync, inflateSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Picture } from '../../kinds/desktop/picture/picture.ts'
import { View } from '../../kinds/desktop/picture/view.ts'
import { ProtocolViolation } from '../protocol-violation.ts'
import { Encoders } from './encoders.ts'
import { ENCODING, FROM_CLIENT, PIXEL_FORMAT } from './messages.ts'
import { readPixelFormat } from './pixel-format.ts'
import { Viewer } from './viewer.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Bits, depth, big end first, and of red, green and blue the highest value and its place. */
const formatOf = (bits: number, depth: number, big: number, max: number[], shift: number[]) =>
  Buffer.concat([
    Buffer.of(bits, depth, big, 1),
    Buffer.from(max.flatMap((one) => [one >> 8, one & 0xff])),
    Buffer.from([...shift, 0, 0, 0]),
  ])

const FORMATS: [string, Buffer][] = [
  ['as X servers have them', formatOf(32, 24, 0, [255, 255, 255], [16, 8, 0])],
  ['the other way round', formatOf(32, 24, 1, [255, 255, 255], [0, 8, 16])],
  ['in the upper bytes', formatOf(32, 24, 0, [255, 255, 255], [24, 16, 8])],
  ['of 30 bits', formatOf(32, 30, 0, [1023, 1023, 1023], [20, 10, 0])],
  ['of 16 bits', formatOf(16, 16, 0, [31, 63, 31], [11, 5, 0])],
  ['of 16 bits, the other way round', formatOf(16, 16, 1, [31, 63, 31], [11, 5, 0])],
  ['of 8 bits', formatOf(8, 8, 0, [7, 7, 3], [0, 3, 6])],
]

/** One color, two, a few, and many, over several tiles with edges. */
function aPicture(): Picture {
  const picture = new Picture(200, 70)
  for (let at = 0; at < picture.pixels.length; at++) {
    const [x, y] = [at % 200, Math.floor(at / 200)]
    const pixel =
      x < 64 ? 0x80ff40 : x < 128 ? (y % 3 ? 0xffffff : 0) : x < 150 ? ((x * y) % 5) * 0x112233 : x * 0x10203 + y
    picture.pixels[at] = pixel & 0xffffff
  }
  return picture
}

/** The color left of a pixel in that format, read out of its bytes. */
function pixelAt(bytes: Buffer, at: number, length: number, format: Buffer): number[] {
  const [isBig] = [format[2]]
  let value = 0
  for (let n = 0; n < length; n++) value += (bytes[at + n] as number) * 2 ** (8 * (isBig ? length - 1 - n : n))
  return [0, 1, 2].map(
    (n) => Math.floor(value / 2 ** (format[10 + n] as number)) % (format.readUInt16BE(4 + n * 2) + 1),
  )
}

const expected = (pixel: number, format: Buffer) =>
  [0, 8, 16].map((shift, n) => Math.round((((pixel >> shift) & 0xff) * format.readUInt16BE(4 + n * 2)) / 255))

/** Rectangles of an update: where, and what follows. */
function* rectangles(bytes: Buffer, encoding: number, step: number) {
  for (let at = 0; at < bytes.length; ) {
    const [x, y, width, height] = [0, 2, 4, 6].map((n) => bytes.readUInt16BE(at + n)) as [
      number,
      number,
      number,
      number,
    ]
    expect(bytes.readInt32BE(at + 8)).toBe(encoding)
    const isLong = encoding === ENCODING.zrle
    const length = isLong ? bytes.readUInt32BE(at + 12) : width * height * step
    at += isLong ? 16 : 12
    yield { x, y, width, height, body: bytes.subarray(at, at + length) }
    at += length
  }
}

test.each(FORMATS)('pixels %s arrive as they are, and by ZRLE in one stream', (_what, format) => {
  const picture = aPicture()
  const view = new View(picture)
  const take = (encoding: number, encoders: Encoders) => {
    view.everything()
    const encode = encoders.of([encoding], readPixelFormat(format))
    const all: Buffer[] = []
    for (let taken = view.take(encode); taken; taken = view.take(encode)) all.push(taken.bytes)
    return Buffer.concat(all)
  }
  const step = (format[0] as number) / 8
  const same = (x: number, y: number, color: number[]) => {
    const wanted = expected(picture.pixels[y * 200 + x] as number, format)
    if (String(color) !== String(wanted)) expect({ x, y, color }).toEqual({ x, y, color: wanted })
  }
  for (const { x, y, width, height, body } of rectangles(take(ENCODING.raw, new Encoders()), ENCODING.raw, step))
    for (let n = 0; n < width * height; n++)
      same(x + (n % width), y + Math.floor(n / width), pixelAt(body, n * step, step, format))

  const encoders = new Encoders()
  const twice = Buffer.concat([take(ENCODING.zrle, encoders), take(ENCODING.zrle, encoders)])
  const parts = [...rectangles(twice, ENCODING.zrle, step)]
  const data = inflateSync(Buffer.concat(parts.map(({ body }) => body)), { finishFlush: constants.Z_SYNC_FLUSH })
  const used = format.readUInt8(1) <= 24 && step === 4
  const isHigh = used && Math.min(...format.subarray(10, 13)) >= 8
  const short = used ? 3 : step
  // The byte that is left out carries nothing.
  const compact = isHigh
    ? Buffer.concat([format.subarray(0, 10), Buffer.from(format.subarray(10, 13).map((n) => n - 8))])
    : format
  let at = 0
  for (const { x, y, width, height } of parts)
    for (let left = 0; left < width; left += 64) {
      const wide = Math.min(64, width - left)
      const count = data[at++] as number
      const palette = Array.from({ length: count }, (_, n) => pixelAt(data, at + n * short, short, compact))
      at += count * short
      const bits = count === 1 ? 0 : count === 2 ? 1 : count <= 4 ? 2 : 4
      const row = Math.ceil((wide * bits) / 8)
      for (let n = 0; n < wide * height; n++) {
        const [column, line] = [n % wide, Math.floor(n / wide)]
        const index = bits
          ? ((data[at + line * row + ((column * bits) >> 3)] as number) >> (8 - bits - ((column * bits) & 7))) &
            ((1 << bits) - 1)
          : 0
        same(
          x + left + column,
          y + line,
          count ? (palette[index] as number[]) : pixelAt(data, at + n * short, short, compact),
        )
      }
      at += count ? row * height : wide * height * short
    }
  expect(at).toBe(data.length)
})

test.each([
  ['by number', Buffer.concat([Buffer.of(8, 8, 0, 0), Buffer.alloc(12)])],
  ['of 24 bits', formatOf(24, 24, 0, [255, 255, 255], [16, 8, 0])],
  ['beside their bits', formatOf(8, 8, 0, [255, 255, 255], [16, 8, 0])],
  ['without a color', formatOf(32, 24, 0, [255, 0, 255], [16, 8, 0])],
])('pixels %s are refused', (_what, format) => {
  expect(() => readPixelFormat(format)).toThrow(ProtocolViolation)
})

function aViewer(encodings: number[], hasRoom = () => true) {
  const sent: Buffer[] = []
  const pasted: string[] = []
  const input = { key() {}, pointer() {}, resize() {} }
  const viewer = new Viewer({
    picture: new Picture(64, 64),
    name: 'x',
    input,
    canResize: () => true,
    write: (bytes) => void sent.push(bytes),
    hasRoom,
    program: { pasted: (text) => void pasted.push(text) },
  })
  const list = Buffer.alloc(4 + encodings.length * 4)
  list[0] = FROM_CLIENT.encodings
  list.writeUInt16BE(encodings.length, 2)
  for (const [n, encoding] of encodings.entries()) list.writeInt32BE(encoding, 4 + n * 4)
  viewer.receive(Buffer.concat([Buffer.of(1), list]))
  return { viewer, sent, pasted }
}

const clipboardMessage = (flags: number, body = Buffer.alloc(0)) => {
  const head = Buffer.alloc(12)
  head[0] = FROM_CLIENT.cutText
  head.writeInt32BE(-(4 + body.length), 4)
  head.writeUInt32BE(flags, 8)
  return Buffer.concat([head, body])
}
const [REQUEST, NOTIFY, PROVIDE] = [2 ** 25 + 1, 2 ** 27 + 1, 2 ** 28 + 1]

test('every script goes over the clipboard of viewers that know how, each way, when it is asked for', () => {
  const { viewer, sent, pasted } = aViewer([ENCODING.desktopSize, ENCODING.extendedClipboard])
  viewer.copied('账单\n2')
  expect(sent.at(-1)).toEqual(Buffer.concat([Buffer.of(3), clipboardMessage(NOTIFY).subarray(1)]))
  viewer.receive(clipboardMessage(REQUEST))
  const given = inflateSync((sent.at(-1) as Buffer).subarray(12))
  expect(given.toString('utf8', 4, given.length - 1)).toBe('账单\r\n2')

  viewer.receive(clipboardMessage(NOTIFY))
  expect(sent.at(-1)?.readUInt32BE(8)).toBe(REQUEST)
  const text = Buffer.from('付\r\n3\0')
  const body = Buffer.concat([Buffer.of(0, 0, 0, text.length), text])
  viewer.receive(clipboardMessage(PROVIDE, deflateSync(body, { finishFlush: constants.Z_SYNC_FLUSH })))
  expect(pasted).toEqual(['付\n3'])
  // One for each that was asked for, which is not at once again.
  viewer.receive(clipboardMessage(PROVIDE, deflateSync(body)))
  viewer.receive(clipboardMessage(NOTIFY))
  viewer.receive(clipboardMessage(PROVIDE, deflateSync(body)))
  expect(pasted).toHaveLength(1)
  const asked = () => sent.filter((one) => one[0] === 3 && one.readUInt32BE(8) === REQUEST).length
  expect(asked()).toBe(1)
  vi.runAllTimers()
  expect(asked()).toBe(2)
  viewer.receive(clipboardMessage(PROVIDE, deflateSync(body)))
  expect(pasted.splice(1)).toEqual(['付\n3'])
  // Data that is none, or that swells beyond measure, is ignored.
  const bomb = Buffer.alloc(16 * 1024 * 1024)
  bomb.writeUInt32BE(bomb.length - 4)
  for (const wrong of [Buffer.of(1, 2, 3), deflateSync(Buffer.of(0, 0, 1, 0, 65)), deflateSync(bomb)]) {
    vi.runAllTimers()
    viewer.receive(clipboardMessage(NOTIFY))
    viewer.receive(clipboardMessage(PROVIDE, wrong))
  }
  expect([asked(), pasted]).toEqual([5, ['付\n3']])
})

test('a text that may not be copied any more is not given out, whatever was offered before', () => {
  const { viewer, sent } = aViewer([ENCODING.desktopSize, ENCODING.extendedClipboard])
  viewer.copied('the bill')
  viewer.copied(undefined)
  const before = sent.length
  viewer.receive(clipboardMessage(REQUEST))
  expect(sent).toHaveLength(before)
})

test('many requests at once are answered one after the other, between which others have their turn', () => {
  const { viewer, sent } = aViewer([ENCODING.tight, ENCODING.desktopSize])
  const updates = () => sent.slice(1).filter(([type]) => type === 0).length
  const ask = Buffer.from([FROM_CLIENT.updateRequest, 0, 0, 0, 0, 0, 0, 64, 0, 64])
  viewer.receive(Buffer.concat(Array.from({ length: 600 }, () => ask)))
  expect(updates()).toBe(1)
  vi.runAllTimers()
  expect(updates()).toBe(2)
  viewer.close()
})

test('a viewer that reads nothing is sent nothing more, whatever it asks for', () => {
  let hasRoom = true
  const { viewer, sent } = aViewer([ENCODING.raw, ENCODING.desktopSize, ENCODING.extendedClipboard], () => hasRoom)
  viewer.copied('text')
  hasRoom = false
  const before = sent.length
  const ask = Buffer.from([FROM_CLIENT.updateRequest, 0, 0, 0, 0, 0, 0, 64, 0, 64])
  for (let n = 0; n < 100; n++) viewer.receive(Buffer.concat([ask, clipboardMessage(REQUEST)]))
  viewer.copied('more')
  viewer.bell()
  expect(sent).toHaveLength(before)
  hasRoom = true
  viewer.changed()
  expect(sent.length).toBeGreaterThan(before)
})

test('a program gets one update for each that it asks for, since it may want other pixels from then on', () => {
  const { viewer, sent } = aViewer([ENCODING.tight, ENCODING.desktopSize])
  // The first is the greeting.
  const updates = () => sent.slice(1).filter(([type]) => type === 0).length
  const ask = Buffer.from([FROM_CLIENT.updateRequest, 0, 0, 0, 0, 0, 0, 64, 0, 64])
  viewer.receive(ask)
  viewer.changed()
  vi.runAllTimers()
  expect(updates()).toBe(1)
  viewer.receive(Buffer.concat([Buffer.from([FROM_CLIENT.pixelFormat, 0, 0, 0]), PIXEL_FORMAT, ask]))
  expect(updates()).toBe(2)
  expect(() => aViewer([]).viewer.receive(ask)).toThrow(ProtocolViolation)
})

test('any bytes of a program as a viewer are a fault of that program or nothing', () => {
  let state = 11
  const random = (below: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
  const valid = Buffer.concat([
    Buffer.from([FROM_CLIENT.pixelFormat, 0, 0, 0]),
    PIXEL_FORMAT,
    Buffer.from([FROM_CLIENT.updateRequest, 0, 0, 0, 0, 0, 0, 64, 0, 64]),
    clipboardMessage(PROVIDE, deflateSync(Buffer.of(0, 0, 0, 2, 65, 0))),
    Buffer.from([FROM_CLIENT.desktopSize, 0, 0, 64, 0, 64, 0, 0]),
    clipboardMessage(REQUEST),
  ])
  let refused = 0
  for (let round = 0; round < 500; round++) {
    const { viewer } = aViewer([ENCODING.zrle, ENCODING.desktopSize, ENCODING.extendedClipboard])
    const bytes = Buffer.from(valid)
    for (let n = 0; n <= random(4); n++) bytes[random(bytes.length)] = random(256)
    try {
      viewer.receive(bytes)
    } catch (error) {
      expect(error).toBeInstanceOf(ProtocolViolation)
      refused++
    }
    viewer.close()
  }
  expect(refused).toBeGreaterThan(50)
})
