import { Gathering } from '../gathering.ts'
import { FULL_BODY, HEADER_BYTES } from './packets.ts'

const NOTHING = Buffer.alloc(0)

/** Visitor of the packets of one direction. */
export interface PacketVisitor {
  /**
   * How many bytes of the body `packet` gets of a packet at most; 0: it passes unseen. `first` is
   * the first byte of the body, -1 where it has none. Not asked of a packet that continues another.
   */
  wanted(first: number, length: number, sequence: number): number
  /** A packet with its header; `length` is that of its whole body, which may be cut here. */
  packet(bytes: Buffer, length: number): void
  /** The rest of a packet that is longer than was wanted of it, and packets that continue it. */
  rest(bytes: Buffer): void
  /** Packets, and parts of such, that nobody wanted to see. */
  pass(bytes: Buffer): void
}

/**
 * Finds the packets in one direction of a connection
 * (https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_basic_packets.html): walks their
 * headers and hands on what nobody wants to see in the pieces in which it came.
 */
export class PacketWalker {
  readonly #visitor: PacketVisitor
  /** The beginning of a packet of which it can't be said yet whether it is wanted. */
  #start: Buffer = NOTHING
  #gathering: { length: number; beginning: Gathering } | undefined
  /** Bytes to come of a packet that passes, or of the rest of one. */
  #left = 0
  #isRest = false
  /** The packet that comes next continues the last. */
  #isContinued = false

  constructor(visitor: PacketVisitor) {
    this.#visitor = visitor
  }

  /** Whether all bytes so far are whole packets, of which none is to be continued. */
  get isBetweenPackets(): boolean {
    return !this.#left && !this.#gathering && !this.#start.length && !this.#isContinued
  }

  walk(bytes: Buffer): void {
    const chunk = this.#start.length ? Buffer.concat([this.#start, bytes]) : bytes
    this.#start = NOTHING
    let at = this.#gathering ? this.#gather(chunk, 0) : 0
    /** Begin of the bytes that nobody wants to see. */
    let from = at
    at = this.#skip(chunk, at)
    if (this.#isRest) from = this.#restTo(chunk, from, at)
    while (at < chunk.length) {
      if (chunk.length - at < HEADER_BYTES) break
      const length = chunk.readUIntLE(at, 3)
      if (length && !this.#isContinued && chunk.length - at === HEADER_BYTES) break
      const wanted = this.#wantedAt(chunk, at, length)
      const seen = HEADER_BYTES + Math.min(wanted, length)
      if (wanted && chunk.length - at >= seen) {
        this.#pass(chunk, from, at)
        this.#see(chunk.subarray(at, at + seen), length)
        at += seen
        from = at
        at = this.#skip(chunk, at)
      } else if (wanted) {
        this.#pass(chunk, from, at)
        this.#gathering = { length, beginning: new Gathering(seen) }
        at = this.#gather(chunk, at)
        from = at
        at = this.#skip(chunk, at)
      } else {
        this.#isContinued = length === FULL_BODY
        this.#left = HEADER_BYTES + length
        at = this.#skip(chunk, at)
      }
      if (this.#isRest) from = this.#restTo(chunk, from, at)
    }
    if (!this.#left && !this.#gathering) {
      this.#start = chunk.subarray(at)
      this.#pass(chunk, from, at)
    } else this.#pass(chunk, from, chunk.length)
  }

  #wantedAt(chunk: Buffer, at: number, length: number): number {
    if (this.#isContinued) return 0
    const first = length ? (chunk[at + HEADER_BYTES] as number) : -1
    const wanted = this.#visitor.wanted(first, length, chunk[at + 3] as number)
    return length ? wanted : Math.min(wanted, 1)
  }

  #skip(chunk: Buffer, at: number): number {
    const taken = Math.min(this.#left, chunk.length - at)
    this.#left -= taken
    return at + taken
  }

  #gather(chunk: Buffer, at: number): number {
    const gathering = this.#gathering
    if (!gathering) return at
    const { length, beginning } = gathering
    const end = beginning.take(chunk, at)
    const { whole } = beginning
    if (!whole) return end
    this.#gathering = undefined
    this.#see(whole, length)
    return end
  }

  #see(beginning: Buffer, length: number): void {
    this.#left = HEADER_BYTES + length - beginning.length
    this.#isContinued = length === FULL_BODY
    this.#isRest = this.#left > 0 || this.#isContinued
    this.#visitor.packet(beginning, length)
  }

  /** The bytes between are the rest of what was gathered; returns where it ends. */
  #restTo(chunk: Buffer, from: number, to: number): number {
    if (to > from) this.#visitor.rest(chunk.subarray(from, to))
    if (!this.#left && !this.#isContinued) this.#isRest = false
    return to
  }

  #pass(chunk: Buffer, from: number, to: number): void {
    if (to > from) this.#visitor.pass(chunk.subarray(from, to))
  }
}
