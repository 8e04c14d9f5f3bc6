import { Gathering } from '../gathering.ts'
import { ProtocolViolation } from '../protocol-violation.ts'
import { HEADER_BYTES } from './messages.ts'

/** PostgreSQL's own limit (`PQ_LARGE_MESSAGE_LIMIT`). */
const MAX_MESSAGE = 0x3fff_ffff
const NOTHING = Buffer.alloc(0)

/** Visitor of the messages of one direction. */
export interface MessageVisitor {
  /**
   * By type, the bytes of a message that `message` gets at most, header included; 0: it passes
   * unseen.
   */
  readonly wanted: Readonly<Uint32Array>
  /** A message; `length` is that of the whole, of which `bytes` may be the beginning. */
  message(type: number, bytes: Buffer, length: number): void
  /** The rest of a message that is longer than was wanted of it. */
  rest(bytes: Buffer): void
  /** Messages, and parts of such, that nobody wanted to see. */
  pass(bytes: Buffer): void
}

/**
 * Finds the messages in one direction of a connection after its start
 * (https://www.postgresql.org/docs/18/protocol-message-formats.html): walks their headers and hands
 * on what nobody wants to see in the pieces in which it came.
 */
export class MessageWalker {
  readonly #visitor: MessageVisitor
  /** The beginning of a header whose end has not come. */
  #header: Buffer = NOTHING
  /** A message that is being gathered. */
  #gathering: { type: number; length: number; beginning: Gathering } | undefined
  /** Bytes to come of a message that passes, or of the rest of one. */
  #left = 0
  #isRest = false

  constructor(visitor: MessageVisitor) {
    this.#visitor = visitor
  }

  /** Whether all bytes so far are whole messages. */
  get isBetweenMessages(): boolean {
    return !this.#left && !this.#gathering && !this.#header.length
  }

  /** Throws ProtocolViolation for what can't be a message. */
  walk(bytes: Buffer): void {
    const chunk = this.#header.length ? Buffer.concat([this.#header, bytes]) : bytes
    this.#header = NOTHING
    let at = this.#gathering ? this.#gather(chunk, 0) : 0
    if (this.#isRest) at = this.#passRest(chunk, at)
    /** Begin of the bytes that nobody wants to see. */
    let from = at
    const wantedOf = this.#visitor.wanted
    at = this.#skip(chunk, at)
    while (at < chunk.length) {
      if (chunk.length - at < HEADER_BYTES) {
        this.#header = chunk.subarray(at)
        break
      }
      const type = chunk[at] as number
      const length = lengthAt(chunk, at)
      const wanted = wantedOf[type] as number
      const seen = Math.min(wanted, length)
      if (wanted && chunk.length - at >= seen) {
        this.#pass(chunk, from, at)
        this.#left = length - seen
        this.#isRest = this.#left > 0
        this.#visitor.message(type, chunk.subarray(at, at + seen), length)
        at += seen
        if (this.#isRest) at = this.#passRest(chunk, at)
        from = at
      } else if (wanted) {
        this.#pass(chunk, from, at)
        this.#gathering = { type, length, beginning: new Gathering(seen) }
        at = this.#gather(chunk, at)
        if (this.#isRest) at = this.#passRest(chunk, at)
        from = at
      } else {
        this.#left = length
        at = this.#skip(chunk, at)
      }
    }
    this.#pass(chunk, from, at)
  }

  #skip(chunk: Buffer, at: number): number {
    const taken = Math.min(this.#left, chunk.length - at)
    this.#left -= taken
    return at + taken
  }

  #gather(chunk: Buffer, at: number): number {
    const gathering = this.#gathering
    if (!gathering) return at
    const { type, length, beginning } = gathering
    const end = beginning.take(chunk, at)
    const { whole } = beginning
    if (!whole) return end
    this.#gathering = undefined
    this.#left = length - whole.length
    this.#isRest = this.#left > 0
    this.#visitor.message(type, whole, length)
    return end
  }

  #passRest(chunk: Buffer, at: number): number {
    const end = this.#skip(chunk, at)
    this.#isRest = this.#left > 0
    if (end > at) this.#visitor.rest(chunk.subarray(at, end))
    return end
  }

  #pass(chunk: Buffer, from: number, to: number): void {
    if (to > from) this.#visitor.pass(chunk.subarray(from, to))
  }
}

/** See `MessageVisitor.wanted`. */
export function wantedTypes(bytesOf: readonly (readonly [type: number, bytes: number])[]): Uint32Array {
  const wanted = new Uint32Array(256)
  for (const [type, bytes] of bytesOf) wanted[type] = bytes
  return wanted
}

/** Length of a whole message, its type included. */
function lengthAt(chunk: Buffer, at: number): number {
  const length = chunk.readInt32BE(at + 1)
  if (length < 4 || length > MAX_MESSAGE) throw new ProtocolViolation('invalid message length')
  return length + 1
}
