/** The beginning of a message that may come in pieces, until so much of it is there. */
export class Gathering {
  readonly #parts: Buffer[] = []
  #missing: number

  constructor(bytes: number) {
    this.#missing = bytes
  }

  /** Takes what is missing from that place on; answers where that ends. */
  take(chunk: Buffer, at: number): number {
    const part = chunk.subarray(at, at + this.#missing)
    this.#parts.push(part)
    this.#missing -= part.length
    return at + part.length
  }

  /** All of it; undefined while something is missing. */
  get whole(): Buffer | undefined {
    if (this.#missing) return undefined
    return this.#parts.length === 1 ? this.#parts[0] : Buffer.concat(this.#parts)
  }
}
