/** So many pieces are kept apart: each costs more than its bytes. */
const MAX_PIECES = 256

/**
 * Pieces of something that is not whole. They are put together, and read, only once as much has
 * come as it can't do without: otherwise a long command in small pieces would be read from its
 * beginning with each of them.
 */
export class HeldPieces {
  #pieces: Buffer[] = []
  #bytes = 0
  #wanted = 0

  /** All that is held and these; undefined while they are too few, and are held too. */
  take(bytes: Buffer): Buffer | undefined {
    this.#pieces.push(bytes)
    this.#bytes += bytes.length
    const isEnough = this.#bytes >= this.#wanted
    if (!isEnough && this.#pieces.length < MAX_PIECES) return undefined
    const all = this.#pieces.length === 1 ? bytes : Buffer.concat(this.#pieces)
    this.#pieces = isEnough ? [] : [all]
    if (!isEnough) return undefined
    this.#bytes = 0
    this.#wanted = 0
    return all
  }

  /** Holds what begins here until `least` more have come. */
  keep(bytes: Buffer, least: number): void {
    this.#pieces = [bytes]
    this.#bytes = bytes.length
    this.#wanted = bytes.length + least
  }
}
