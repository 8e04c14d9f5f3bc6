import { randomBytes, randomInt } from 'node:crypto'
import { expect, test } from 'vitest'
import { ProtocolViolation } from '../protocol-violation.ts'
import { MessageWalker, wantedTypes } from './message-walker.ts'
import { message } from './messages.ts'

const [SEEN, UNSEEN] = ['Q'.charCodeAt(0), 'D'.charCodeAt(0)]
const WANTED = 64

/** The bytes passed on, and those seen, for bytes that come in these pieces. */
function walked(pieces: readonly Buffer[]) {
  const out: Buffer[] = []
  const seen: [Buffer, number][] = []
  const walker = new MessageWalker({
    wanted: wantedTypes([[SEEN, WANTED]]),
    message(_type, bytes, length) {
      seen.push([bytes, length])
      out.push(bytes)
    },
    rest: (bytes) => void out.push(bytes),
    pass: (bytes) => void out.push(bytes),
  })
  for (const piece of pieces) walker.walk(piece)
  return { out: Buffer.concat(out), seen, isBetween: walker.isBetweenMessages }
}

test('messages pass in order in pieces of any size, and those that are wanted are seen whole', () => {
  for (let run = 0; run < 300; run++) {
    const messages = Array.from({ length: 20 }, () =>
      message(randomInt(2) ? SEEN : UNSEEN, randomBytes(randomInt(3) ? randomInt(20) : randomInt(300))),
    )
    const bytes = Buffer.concat(messages)
    const pieces: Buffer[] = []
    for (let at = 0; at < bytes.length; ) {
      const end = at + 1 + randomInt(40)
      pieces.push(bytes.subarray(at, end))
      at = end
    }
    const { out, seen, isBetween } = walked(pieces)
    expect(out.equals(bytes)).toBe(true)
    expect(isBetween).toBe(true)
    const wanted = messages.filter(([type]) => type === SEEN)
    expect(seen).toEqual(wanted.map((one) => [one.subarray(0, WANTED), one.length]))
  }
})

test('a length that no message has ends it', () => {
  for (const length of [-1, 0, 3, 0x7fff_ffff]) {
    const bytes = Buffer.alloc(5, 'Q')
    bytes.writeInt32BE(length, 1)
    expect(() => walked([bytes])).toThrow(ProtocolViolation)
  }
})
