/**
 * Pieces on their way to a stream: those that stand one after the other in one chunk go out as one,
 * as they came.
 */
export class Contiguous {
  #pieces: Buffer[] = []

  add(piece: Buffer): void {
    const last = this.#pieces.at(-1)
    if (last && last.buffer === piece.buffer && last.byteOffset + last.length === piece.byteOffset)
      this.#pieces[this.#pieces.length - 1] = Buffer.from(
        last.buffer as ArrayBuffer,
        last.byteOffset,
        last.length + piece.length,
      )
    else if (piece.length) this.#pieces.push(piece)
  }

  /** All of it, and begins anew. */
  take(): Buffer {
    const [only, another] = this.#pieces
    const all = only && !another ? only : Buffer.concat(this.#pieces)
    this.#pieces = []
    return all
  }
}
