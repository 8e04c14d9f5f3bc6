import type { Duplex } from 'node:stream'
import { ProtocolViolation } from '../protocol-violation.ts'
import { StreamReader } from '../read-stream.ts'
import { HEADER_BYTES } from './packets.ts'

/** Limit of messages until somebody is signed in, in bytes. */
const MAX_BYTES = 64 * 1024

/** Whole packets of a sign-in, one after the other; what is behind them is left to others. */
export class PacketStream {
  readonly #reader: StreamReader

  constructor(stream: Duplex) {
    this.#reader = new StreamReader(stream)
  }

  /** Throws ProtocolViolation when it can't become one, and what the stream throws. */
  next(): Promise<{ sequence: number; body: Buffer }> {
    return this.#reader.until((bytes) => {
      if (bytes.length < HEADER_BYTES) return undefined
      const end = HEADER_BYTES + bytes.readUIntLE(0, 3)
      if (end === HEADER_BYTES && bytes[3] === 0) throw new ProtocolViolation('empty packet')
      if (end > MAX_BYTES) throw new ProtocolViolation('invalid packet length')
      if (bytes.length < end) return undefined
      return { value: { sequence: bytes[3] as number, body: bytes.subarray(HEADER_BYTES, end) }, end }
    })
  }
}
