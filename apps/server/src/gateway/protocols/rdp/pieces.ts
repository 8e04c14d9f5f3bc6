/** Messages of channels beside the screen's, which go in pieces (MS-RDPBCGR 3.1.5.2). */
import { ProtocolViolation } from '../protocol-violation.ts'
import { addPiece } from '../small-pieces.ts'
import { Cursor, u32 } from './cursor.ts'

const FIRST = 1
const LAST = 2
/** As both sides take them. */
const PIECE_BYTES = 1600

/** Cuts a message. */
export function* cut(message: Buffer): Generator<Buffer> {
  for (let at = 0; at < message.length; at += PIECE_BYTES) {
    const place = (at === 0 ? FIRST : 0) | (at + PIECE_BYTES >= message.length ? LAST : 0)
    yield Buffer.concat([u32(message.length, place), message.subarray(at, at + PIECE_BYTES)])
  }
}

/** Puts messages together again; one that is too long is passed over. */
export class Pieces {
  readonly #maxBytes: number
  #pieces: Buffer[] | undefined
  #gathered = 0
  #total = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Answers a message with its last piece. Throws ProtocolViolation. */
  add(piece: Buffer): Buffer | undefined {
    const read = new Cursor(piece)
    const total = read.u32()
    const flags = read.u32()
    if (flags & FIRST) {
      this.#pieces = []
      this.#gathered = 0
      this.#total = total
    }
    if (!this.#pieces) throw new ProtocolViolation('a piece without its beginning')
    const rest = read.rest()
    this.#gathered += rest.length
    if (this.#gathered > this.#total) throw new ProtocolViolation('a message longer than it says')
    const isPassedOver = this.#total > this.#maxBytes
    if (!isPassedOver) addPiece(this.#pieces, Buffer.from(rest))
    if (!(flags & LAST)) return undefined
    const message = Buffer.concat(this.#pieces)
    this.#pieces = undefined
    return isPassedOver ? undefined : message
  }
}
