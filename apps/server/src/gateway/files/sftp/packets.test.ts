import { randomBytes, randomInt } from 'node:crypto'
import { PassThrough } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { nameBytes, nameOf } from './file-name.ts'
import { attributeField, PacketCutter, PacketSender, packet, uint64 } from './packets.ts'
import { Fields, MAX_PACKET, MalformedPacket } from './sftp-wire.ts'

test('packets come out whole and in order, however the stream is cut', () => {
  for (let round = 0; round < 300; round++) {
    const sent = Array.from({ length: randomInt(1, 30) }, () => randomBytes(randomInt(1, round % 10 ? 50 : 70_000)))
    const stream = Buffer.concat(
      sent.flatMap((bytes) => [
        Buffer.from([bytes.length >>> 24, bytes.length >>> 16, bytes.length >>> 8, bytes.length]),
        bytes,
      ]),
    )
    const cutter = new PacketCutter()
    const received: Buffer[] = []
    for (let at = 0; at < stream.length; ) {
      const length = randomInt(1, round % 2 ? 12 : 40_000)
      cutter.push(stream.subarray(at, at + length), (bytes) => received.push(bytes))
      at += length
    }
    expect(received.map((bytes) => bytes.toString('hex'))).toEqual(sent.map((bytes) => bytes.toString('hex')))
  }
})

test.for([0, MAX_PACKET + 1, 0xffffffff])('a packet of %i bytes ends the conversation', (length) => {
  const head = Buffer.alloc(5)
  head.writeUInt32BE(length)
  expect(() => new PacketCutter().push(head, () => {})).toThrow(MalformedPacket)
})

test('fields sent in one turn arrive as they were written, small and large', async () => {
  const channel = new PassThrough({ highWaterMark: 8 * 1024 * 1024 })
  const sender = new PacketSender(channel)
  const expected: Buffer[] = []
  for (let n = 0; n < 200; n++) {
    const fields = [n, randomBytes(randomInt(0, n % 7 ? 300 : 100_000)), 'name', uint64(2 ** 40 + n)]
    expected.push(...packet(103, fields))
    sender.send(103, fields)
  }
  sender.flush()
  channel.end()
  expect(Buffer.concat(await channel.toArray()).equals(Buffer.concat(expected))).toBe(true)
})

test('a packet that may wait leaves with the next one, in its order, or at the end', async () => {
  const channel = new PassThrough()
  const sender = new PacketSender(channel)
  const sent: Buffer[] = []
  channel.on('data', (bytes: Buffer) => sent.push(bytes))
  sender.send(101, [1], { soon: false })
  await setImmediate()
  expect(sent).toEqual([])
  sender.send(101, [2])
  await setImmediate()
  expect(sent).toEqual([Buffer.concat([...packet(101, [1]), ...packet(101, [2])])])
  sender.send(101, [3], { soon: false })
  sender.flush()
  expect(sent[1]).toEqual(Buffer.concat(packet(101, [3])))
})

test('attributes come back as they were given, with what nobody understands left out', () => {
  const attributes = { size: 2 ** 45, uid: 1, gid: 0xffffffff, mode: 0o100644, atime: 5, mtime: 2 ** 32 - 1 }
  expect(new Fields(attributeField(attributes).raw, 0).attributes()).toEqual(attributes)
  expect(new Fields(attributeField({}).raw, 0).attributes()).toEqual({})
  const extended = Buffer.concat([
    Buffer.from([0x80, 0, 0, 4, 0, 0, 1, 0xff]),
    Buffer.concat(packet(0, [1, 'a@b', 'c'])).subarray(5),
  ])
  expect(new Fields(extended, 0).attributes()).toEqual({ mode: 0o777 })
})

test.for([
  ['a text that is longer than the packet', Buffer.from([0, 0, 1, 0, 65]), (fields: Fields) => fields.bytes()],
  ['a number that is cut off', Buffer.from([0, 0]), (fields: Fields) => fields.uint32()],
  ['a place beyond all files', Buffer.alloc(8, 0xff), (fields: Fields) => fields.uint64()],
  [
    'millions of attributes that are not there',
    Buffer.from([0x80, 0, 0, 0, 0xff, 0xff, 0xff, 0xff]),
    (fields: Fields) => fields.attributes(),
  ],
] as const)('%s is refused', ([, bytes, read]) => {
  expect(() => read(new Fields(bytes, 0))).toThrow(MalformedPacket)
})

test('every name keeps its bytes, and one in UTF-8 reads as it should', () => {
  expect(nameOf(Buffer.from('报告 🎉 é'))).toBe('报告 🎉 é')
  for (let round = 0; round < 2000; round++) {
    const bytes = randomBytes(randomInt(0, 12))
    expect(nameBytes(nameOf(bytes)).equals(bytes)).toBe(true)
  }
  const mixed = Buffer.concat([Buffer.from('中'), Buffer.from([0xed, 0xb2, 0x80, 0xff, 0xc0, 0x80]), Buffer.from('🎉')])
  expect(nameBytes(nameOf(mixed)).equals(mixed)).toBe(true)
})
