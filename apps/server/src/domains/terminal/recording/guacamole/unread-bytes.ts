/**
 * Bytes of which the last instruction has no end yet. They are read again only once they are twice
 * as many: a long one that comes in small parts would otherwise be copied for each of them.
 */
export class UnreadBytes {
  #chunks: Buffer[] = []
  #readAt = 0
  length = 0

  /** Takes the bytes that follow, and answers whether it is time to read. */
  add(chunk: Buffer): boolean {
    this.#chunks.push(chunk)
    this.length += chunk.length
    return this.length >= this.#readAt
  }

  /** All of them; they are not here any more. */
  take(): Buffer {
    const [only] = this.#chunks
    const bytes = only && this.#chunks.length === 1 ? only : Buffer.concat(this.#chunks)
    this.#chunks = []
    this.#readAt = this.length = 0
    return bytes
  }

  /** The bytes left after reading, to be read with more. */
  putBack(rest: Buffer): void {
    // Its own bytes, since those that were read belong to a large buffer.
    this.#chunks = rest.length ? [Buffer.from(rest)] : []
    this.length = rest.length
    this.#readAt = 2 * rest.length
  }
}
