const NOTHING = Buffer.alloc(0)

/**
 * Pieces on their way to a stream: those that stand one after the other in one chunk go out as one,
 * as they came.
 */
export class Contiguous {
  #pieces: Buffer[] = []
  /** The last piece: what it begins with, and how much longer it is by now. */
  #last: Buffer = NOTHING
  #length = 0

  add(piece: Buffer): void {
    const last = this.#last
    if (!piece.length) return
    if (last.buffer === piece.buffer && last.byteOffset + this.#length === piece.byteOffset) {
      this.#length += piece.length
      return
    }
    this.#cut()
    this.#last = piece
    this.#length = piece.length
  }

  /** All of it; starts again empty. */
  take(): Buffer {
    const last = this.#whole()
    this.#last = NOTHING
    this.#length = 0
    if (!this.#pieces.length) return last
    const all = Buffer.concat([...this.#pieces, last])
    this.#pieces = []
    return all
  }

  #cut(): void {
    if (this.#length) this.#pieces.push(this.#whole())
  }

  #whole(): Buffer {
    const { buffer, byteOffset, length } = this.#last
    return length === this.#length ? this.#last : Buffer.from(buffer as ArrayBuffer, byteOffset, this.#length)
  }
}
