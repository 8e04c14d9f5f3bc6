/** The packets of Microsoft SQL Server ([MS-TDS] §2.2.3). */
import type { Duplex } from 'node:stream'
import { ProtocolViolation } from '../protocol-violation.ts'
import { StreamReader } from '../read-stream.ts'

/** Types of a message (§2.2.3.1.1). */
export const MESSAGE = { batch: 0x01, answer: 0x04, attention: 0x06, login: 0x10, preLogin: 0x12 } as const

export const HEADER_BYTES = 8
/** A packet of any server is at most so long (§2.2.6.4); until one has said otherwise, as long as this. */
const PACKET_MAX = 32_767
export const PACKET_BYTES = 4096
/** In a packet's status: it is the last of its message. */
const LAST = 0x01
/** Limit of messages until somebody is signed in, in bytes. */
const SIGN_IN_BYTES = 64 * 1024

/** A message in as many packets as it needs. */
export function message(type: number, body: Buffer, packetBytes = PACKET_BYTES): Buffer {
  const room = packetBytes - HEADER_BYTES
  const count = Math.max(1, Math.ceil(body.length / room))
  const bytes = Buffer.alloc(count * HEADER_BYTES + body.length)
  let at = 0
  for (let number = 1; number <= count; number++) {
    const piece = body.subarray((number - 1) * room, number * room)
    bytes[at] = type
    bytes[at + 1] = number === count ? LAST : 0
    bytes.writeUInt16BE(HEADER_BYTES + piece.length, at + 2)
    bytes[at + 6] = number & 0xff
    at += HEADER_BYTES
    at += piece.copy(bytes, at)
  }
  return bytes
}

/** The content of packets, parsed as it comes. */
export class PacketReader {
  readonly #onBody: (bytes: Buffer) => void
  readonly #onEnd: () => void
  #header: Buffer = Buffer.alloc(0)
  /** Bytes of the packet's body that are still to come. */
  #left = 0
  #isLast = false

  /** `onEnd`: called behind each message. */
  constructor(onBody: (bytes: Buffer) => void, onEnd: () => void) {
    this.#onBody = onBody
    this.#onEnd = onEnd
  }

  /** Throws ProtocolViolation. */
  read(bytes: Buffer): void {
    for (let rest = bytes; rest.length; ) {
      if (this.#left) {
        const body = rest.subarray(0, this.#left)
        this.#left -= body.length
        rest = rest.subarray(body.length)
        this.#onBody(body)
      } else {
        const wanted = rest.subarray(0, HEADER_BYTES - this.#header.length)
        this.#header = Buffer.concat([this.#header, wanted])
        rest = rest.subarray(wanted.length)
        if (this.#header.length < HEADER_BYTES) return
        const header = readHeader(this.#header)
        this.#left = header.length - HEADER_BYTES
        this.#isLast = header.isLast
        this.#header = Buffer.alloc(0)
      }
      if (!this.#left && !this.#header.length && this.#isLast) {
        this.#isLast = false
        this.#onEnd()
      }
    }
  }
}

/** A packet's header. Throws ProtocolViolation. */
export function readHeader(bytes: Buffer): { type: number; length: number; isLast: boolean } {
  const length = bytes.readUInt16BE(2)
  if (length < HEADER_BYTES || length > PACKET_MAX) throw new ProtocolViolation('invalid packet length')
  return { type: bytes[0] as number, length, isLast: ((bytes[1] as number) & LAST) !== 0 }
}

/**
 * The next message of a sign-in, whole; what is behind it is left to others. Throws ProtocolViolation
 * when it can't become one, and what the stream throws.
 */
export function nextMessage(stream: Duplex): Promise<{ type: number; body: Buffer; bytes: Buffer }> {
  return new StreamReader(stream).until((bytes) => {
    const bodies: Buffer[] = []
    for (let at = 0; bytes.length - at >= HEADER_BYTES; ) {
      const { type, length, isLast } = readHeader(bytes.subarray(at))
      if (at + length > SIGN_IN_BYTES) throw new ProtocolViolation('message is too long')
      if (bytes.length - at < length) return undefined
      bodies.push(bytes.subarray(at + HEADER_BYTES, at + length))
      at += length
      if (isLast) return { value: { type, body: Buffer.concat(bodies), bytes: bytes.subarray(0, at) }, end: at }
    }
    return undefined
  })
}
