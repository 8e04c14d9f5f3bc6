/**
 * Messages of a server about its screen, by the fast path or the slow one (MS-RDPBCGR 2.2.9.1.1.3,
 * 2.2.9.1.2.1).
 */
import { ProtocolViolation } from '../protocol-violation.ts'
import { addPiece } from '../small-pieces.ts'
import { Cursor } from './cursor.ts'
import { type PointerUpdate, readPointer, readSlowPointer } from './pointers.ts'
import { MAX_UPDATE } from './share.ts'

export interface UpdateListener {
  /** Bitmaps follow; see `readBitmaps`. */
  bitmaps(read: Cursor): void
  pointer(update: PointerUpdate): void
}

const BITMAPS = 1
const PALETTE = 2
const SYNCHRONIZE = 3
const FIRST_POINTER = 5
const LAST_POINTER = 12
/** Pieces of an update: the last, the first, one in between. */
const PIECE = { single: 0, last: 1, first: 2, next: 3 } as const
const ENCRYPTED = 0xc0
const COMPRESSED = 0x80

/** Reads updates of the fast path, and puts those together that come in pieces. */
export class FastPath {
  readonly #listener: UpdateListener
  #pieces: Buffer[] | undefined
  #length = 0

  constructor(listener: UpdateListener) {
    this.#listener = listener
  }

  /** Throws ProtocolViolation. */
  receive(message: Buffer): void {
    if ((message[0] as number) & ENCRYPTED) throw new ProtocolViolation('an encryption that nobody agreed on')
    const read = new Cursor(message, (message[1] as number) & 0x80 ? 3 : 2)
    while (read.left) {
      const head = read.u8()
      if (head & COMPRESSED) throw new ProtocolViolation('a compressed update, which nobody asked for')
      const whole = this.#put((head >> 4) & 3, read.take(read.u16()))
      if (whole) this.#update(head & 0xf, whole)
    }
  }

  /** Answers the whole update with its last piece. */
  #put(piece: number, data: Buffer): Buffer | undefined {
    if (piece === PIECE.single) return data
    if (piece === PIECE.first) {
      this.#pieces = []
      this.#length = 0
    }
    if (!this.#pieces) throw new ProtocolViolation('an update without its beginning')
    this.#length += data.length
    if (this.#length > MAX_UPDATE) throw new ProtocolViolation('an update larger than was agreed on')
    addPiece(this.#pieces, Buffer.from(data))
    if (piece !== PIECE.last) return undefined
    const whole = Buffer.concat(this.#pieces)
    this.#pieces = undefined
    return whole
  }

  #update(code: number, data: Buffer): void {
    if (code === BITMAPS) this.#listener.bitmaps(new Cursor(data))
    else if (code >= FIRST_POINTER && code <= LAST_POINTER) {
      const pointer = readPointer(code, new Cursor(data))
      if (pointer) this.#listener.pointer(pointer)
    } else if (code !== SYNCHRONIZE && code !== PALETTE)
      throw new ProtocolViolation(`an update of kind ${code}, which nobody asked for`)
  }
}

/** A pointer of the slow path. Throws ProtocolViolation. */
export const slowPointer = (contents: Buffer): PointerUpdate | undefined => readSlowPointer(new Cursor(contents))
