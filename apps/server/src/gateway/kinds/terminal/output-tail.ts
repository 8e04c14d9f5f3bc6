/** The last bytes of a stream, in a buffer of fixed size. */
export class Tail {
  readonly #ring: Buffer
  #total = 0

  constructor(bytes: number) {
    this.#ring = Buffer.allocUnsafeSlow(bytes)
  }

  push(bytes: Buffer): void {
    const size = this.#ring.length
    const kept = bytes.length > size ? bytes.subarray(-size) : bytes
    const at = (this.#total + bytes.length - kept.length) % size
    const fitting = Math.min(kept.length, size - at)
    kept.copy(this.#ring, at, 0, fitting)
    kept.copy(this.#ring, 0, fitting)
    this.#total += bytes.length
  }

  /**
   * The kept output. If something before it was lost, it starts after a line end, so that no
   * character or escape sequence is cut.
   */
  read(): Buffer {
    const size = this.#ring.length
    if (this.#total <= size) return Buffer.from(this.#ring.subarray(0, this.#total))
    const at = this.#total % size
    const all = Buffer.concat([this.#ring.subarray(at), this.#ring.subarray(0, at)])
    return all.subarray(all.indexOf(0x0a) + 1)
  }

  /**
   * The bytes of an incomplete UTF-8 character at the end of the stream; empty if there is none.
   */
  cutCharacter(): Buffer {
    const last = this.#last(3)
    for (let length = 1; length <= last.length; length++) {
      const byte = last[last.length - length] ?? 0
      if ((byte & 0xc0) === 0x80) continue
      const whole = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
      return whole > length ? last.subarray(-length) : Buffer.alloc(0)
    }
    return Buffer.alloc(0)
  }

  #last(bytes: number): Buffer {
    const length = Math.min(bytes, this.#total, this.#ring.length)
    return Buffer.from(
      Array.from({ length }, (_, n) => this.#ring[(this.#total - length + n) % this.#ring.length] ?? 0),
    )
  }
}
