/** The framing of every message of RDP: TPKT and X.224 (MS-RDPBCGR 5.4.1), or the short form of the fast path. */
import type { Duplex } from 'node:stream'
import { ProtocolViolation } from '../protocol-violation.ts'
import { StreamReader } from '../read-stream.ts'
import type { Steps } from '../steps.ts'

const TPKT = 3
/** X.224 Data: everything after the connection was agreed on. */
const DATA = Buffer.of(2, 0xf0, 0x80)

/** A message of X.224, framed. */
export function framed(...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts)
  const head = Buffer.of(TPKT, 0, 0, 0)
  head.writeUInt16BE(body.length + 4, 2)
  return Buffer.concat([head, body])
}

/** A message of MCS, framed. */
export const framedData = (...parts: Buffer[]): Buffer => framed(DATA, ...parts)

/** How long the message is that begins so, of which four bytes are there. Throws ProtocolViolation. */
export function messageLength(head: Buffer): number {
  const [first = 0, second = 0, third = 0] = head
  const length = first === TPKT ? head.readUInt16BE(2) : second & 0x80 ? ((second & 0x7f) << 8) | third : second
  if (length < 4) throw new ProtocolViolation('a message of RDP without contents')
  return length
}

/** Content of a message of MCS; undefined for one of the fast path. Throws ProtocolViolation. */
export function mcsOf(message: Buffer): Buffer | undefined {
  if (message[0] !== TPKT) return undefined
  if (message.length < 8 || !message.subarray(4, 7).equals(DATA)) throw new ProtocolViolation('no data of X.224')
  return message.subarray(7)
}

/** Hands on whole messages. */
export function* readMessages(take: (message: Buffer) => void): Steps {
  for (;;) {
    const head = yield 4
    const length = messageLength(head)
    take(Buffer.concat([head, yield length - 4]))
  }
}

/** The next message of a stream that nobody else reads yet. Throws ProtocolViolation, and what the stream throws. */
export function nextMessage(stream: Duplex): Promise<Buffer> {
  return new StreamReader(stream).until((read) => {
    if (read.length < 4) return undefined
    const length = messageLength(read)
    return read.length < length ? undefined : { value: read.subarray(0, length), end: length }
  })
}
