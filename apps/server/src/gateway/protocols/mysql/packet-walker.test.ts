import { expect, test } from 'vitest'
import { PacketWalker } from './packet-walker.ts'
import { FULL_BODY, packet } from './packets.ts'

/**
 * Result for packets that come in these pieces; bodies that begin with `s` are wanted, three bytes
 * of them.
 */
function walked(pieces: readonly Buffer[]) {
  const seen: string[] = []
  const note = (what: string) => (bytes: Buffer) => {
    const last = seen.at(-1)
    if (last?.startsWith(`${what} `)) seen[seen.length - 1] = last + bytes.toString('latin1')
    else seen.push(`${what} ${bytes.toString('latin1')}`)
  }
  const walker = new PacketWalker({
    wanted: (first) => (first === 's'.charCodeAt(0) ? 3 : 0),
    packet: (bytes, length) => void seen.push(`packet ${bytes.toString('latin1', 4)} of ${length}`),
    rest: note('rest'),
    pass: note('pass'),
  })
  for (const piece of pieces) walker.walk(piece)
  return { seen, isBetween: walker.isBetweenPackets }
}

const PACKETS = Buffer.concat([
  packet(0, Buffer.from('abc')),
  packet(0),
  packet(0, Buffer.from('s')),
  packet(0, Buffer.from('select')),
  packet(0, Buffer.from('sel')),
  packet(0, Buffer.from('x')),
])
const SEEN = [
  'pass \x03\0\0\0abc\0\0\0\0',
  'packet s of 1',
  'packet sel of 6',
  'rest ect',
  'packet sel of 3',
  'pass \x01\0\0\0x',
]

test('packets are found in whatever pieces they come', () => {
  expect(walked([PACKETS])).toEqual({ seen: SEEN, isBetween: true })
  for (const size of [1, 2, 3, 5, 7]) {
    const pieces = Array.from({ length: Math.ceil(PACKETS.length / size) }, (_, at) =>
      PACKETS.subarray(at * size, (at + 1) * size),
    )
    expect(walked(pieces), `pieces of ${size}`).toEqual({ seen: SEEN, isBetween: true })
  }
  expect(walked([PACKETS.subarray(0, -1)]).isBetween).toBe(false)
})

test('a packet that continues a full one belongs to it, and is not taken for another', () => {
  const header = Buffer.from([0xff, 0xff, 0xff, 0])
  const full = Buffer.concat([header, Buffer.alloc(FULL_BODY, 's')])
  const { seen, isBetween } = walked([full, packet(1, Buffer.from('select')), packet(0, Buffer.from('s'))])
  expect(seen).toHaveLength(3)
  expect(seen[0]).toBe(`packet sss of ${FULL_BODY}`)
  expect(seen[1]?.endsWith('\x06\0\0\x01select')).toBe(true)
  expect(seen[2]).toBe('packet s of 1')
  expect(isBetween).toBe(true)
})
