import { expect, test } from 'vitest'
import { PacketParser } from './parser.ts'
import {
  ABORT_SEQUENCE,
  binaryHeader,
  FRAME,
  fileFacts,
  hexHeader,
  positionBytes,
  readFileFacts,
  SUBPACKET,
  subpacket,
} from './wire.ts'

const latin1 = (bytes: Uint8Array) => String.fromCharCode(...bytes)
const bytesOf = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0))

/** The parser's output for the pieces, as one list. */
function read(pieces: Uint8Array[]): unknown[] {
  const seen: unknown[] = []
  let stray = ''
  const flush = () => {
    if (stray) seen.push(['stray', stray])
    stray = ''
  }
  const note = (one: unknown[]) => {
    flush()
    seen.push(one)
  }
  const parser = new PacketParser({
    header: ({ kind, position }) => note(['header', kind, position]),
    data: (bytes, end) => note(['data', end, [...bytes]]),
    damaged: () => note(['damaged']),
    cancelled: () => note(['cancelled']),
    stray: (bytes) => {
      stray += latin1(bytes)
    },
  })
  for (const piece of pieces) parser.push(piece)
  flush()
  return seen
}

const joined = (...parts: Uint8Array[]) => Uint8Array.from(parts.flatMap((part) => [...part]))
const everyByte = Uint8Array.from({ length: 1024 }, (_, n) => (n * 7) & 0xff)

test('what follows a packet that its sender left in the middle arrives as it came, no matter where it was left', () => {
  const encoding = { crc32: true, escapeAll: false }
  const whole = joined(
    binaryHeader(FRAME.ZDATA, positionBytes(0), encoding),
    subpacket(everyByte, SUBPACKET.GO, encoding),
    subpacket(everyByte.subarray(3), SUBPACKET.GO, encoding),
  )
  const prompt = '[root@web ~]$ '
  for (let length = 0; length < whole.length; length++) {
    let reported = ''
    const parser = new PacketParser({
      header: () => {},
      data: () => {},
      damaged: () => {},
      cancelled: () => {},
      stray: (bytes) => (reported += latin1(bytes)),
      torn: (bytes) => (reported += latin1(bytes)),
    })
    for (const piece of [whole.subarray(0, length), bytesOf(prompt)]) parser.push(piece)
    reported += latin1(parser.unfinished)
    expect([length, reported.endsWith(prompt)]).toEqual([length, true])
  }
})

test('headers are those that lrzsz sends and reads', () => {
  expect(latin1(hexHeader(FRAME.ZRQINIT))).toBe('**\x18B00000000000000\r\x8a\x11')
  expect(latin1(hexHeader(FRAME.ZRINIT, Uint8Array.of(0, 0, 0, 0x23)))).toBe('**\x18B0100000023be50\r\x8a\x11')
  expect(latin1(hexHeader(FRAME.ZFIN))).toBe('**\x18B0800000000022d\r\x8a')
  expect(latin1(binaryHeader(FRAME.ZFILE, new Uint8Array(4), { crc32: true, escapeAll: false }))).toBe(
    '*\x18C\x04\0\0\0\0\xddQ\xa23',
  )
})

test.each([
  { crc32: true, escapeAll: false },
  { crc32: true, escapeAll: true },
  { crc32: false, escapeAll: false },
  { crc32: false, escapeAll: true },
])('every byte arrives as it was, wherever the pieces are cut: %o', (encoding) => {
  const sent = joined(
    binaryHeader(FRAME.ZDATA, positionBytes(0x18111318), encoding),
    subpacket(everyByte, SUBPACKET.GO, encoding),
    subpacket(everyByte.subarray(3), SUBPACKET.ASK, encoding),
    subpacket(new Uint8Array(), SUBPACKET.END, encoding),
    binaryHeader(FRAME.ZEOF, positionBytes(2045), encoding),
  )
  const expected = [
    ['header', FRAME.ZDATA, 0x18111318],
    ['data', SUBPACKET.GO, [...everyByte]],
    ['data', SUBPACKET.ASK, [...everyByte.subarray(3)]],
    ['data', SUBPACKET.END, []],
    ['header', FRAME.ZEOF, 2045],
  ]
  for (const step of [1, 2, 7, 100, sent.length]) {
    const pieces = Array.from({ length: Math.ceil(sent.length / step) }, (_, n) =>
      sent.subarray(n * step, (n + 1) * step),
    )
    expect(read(pieces)).toEqual(expected)
  }
})

test('no flow control and no escape of ours goes over the line as data', () => {
  const data = subpacket(everyByte, SUBPACKET.GO, { crc32: true, escapeAll: false })
  for (const byte of [0x11, 0x13, 0x91, 0x93, 0x10, 0x90]) expect(data).not.toContain(byte)
  const all = subpacket(everyByte, SUBPACKET.GO, { crc32: true, escapeAll: true })
  expect([...all].filter((byte) => (byte & 0x60) === 0 && byte !== 0x18)).toEqual([])
})

test('bytes outside of packets are told apart, and a wrong check makes no packet', () => {
  const wrong = subpacket(bytesOf('secret'), SUBPACKET.END, { crc32: true, escapeAll: false })
  wrong[0] = (wrong[0] as number) ^ 1
  const sent = joined(
    bytesOf('hello '),
    hexHeader(FRAME.ZRINIT),
    bytesOf('there'),
    bytesOf('**\x18B0100000023be51'),
    binaryHeader(FRAME.ZDATA, positionBytes(0), { crc32: true, escapeAll: false }),
    wrong,
    hexHeader(FRAME.ZACK, positionBytes(9)),
  )
  expect(read([sent])).toEqual([
    ['stray', 'hello '],
    ['header', FRAME.ZRINIT, 0],
    ['stray', 'there'],
    ['damaged'],
    ['header', FRAME.ZDATA, 0],
    ['damaged'],
    ['header', FRAME.ZACK, 9],
  ])
})

test('a data subpacket without an end is none: its bytes are not kept, and what follows is stray', () => {
  const endless = joined(
    binaryHeader(FRAME.ZDATA, positionBytes(0), { crc32: true, escapeAll: false }),
    new Uint8Array(40_000).fill(0x61),
  )
  const seen = read([endless])
  expect(seen.slice(0, 2)).toEqual([['header', FRAME.ZDATA, 0], ['damaged']])
  expect(seen[2]).toEqual(['stray', 'a'.repeat(40_000 - 32 * 1024)])
})

test('the abort sequence is understood between packets and in the middle of data', () => {
  expect(read([ABORT_SEQUENCE])).toEqual([['cancelled']])
  const cut = joined(
    binaryHeader(FRAME.ZDATA, positionBytes(0), { crc32: true, escapeAll: false }),
    bytesOf('half'),
    ABORT_SEQUENCE,
  )
  expect(read([cut])).toEqual([['header', FRAME.ZDATA, 0], ['cancelled']])
})

test('the facts of a file are read as lrzsz writes them, with whatever is missing', () => {
  expect(readFileFacts(bytesOf('a.bin\x005 15300316414 100644 0 3 900\0'))).toEqual({ name: 'a.bin', size: 5, left: 2 })
  expect(readFileFacts(bytesOf('a.bin\0'))).toEqual({ name: 'a.bin', size: undefined, left: 0 })
  expect(readFileFacts(bytesOf('a.bin'))).toEqual({ name: 'a.bin', size: undefined, left: 0 })
  const facts = fileFacts({ name: '报表.pdf', size: 12, modified: 8, left: 0 })
  expect(readFileFacts(facts)).toEqual({ name: '报表.pdf', size: 12, left: 0 })
})
