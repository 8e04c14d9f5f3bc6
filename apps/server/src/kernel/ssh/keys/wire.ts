/** Strings of SSH's binary packets (RFC 4251 §5): four bytes of length, then that many. */
export function field(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return Buffer.concat([length, bytes])
}

/** Reads such strings one after the other. Each throws a RangeError where the bytes end before. */
export class FieldReader {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  number(): number {
    const value = this.#bytes.readUInt32BE(this.#at)
    this.#at += 4
    return value
  }

  bytes(): Buffer {
    const length = this.number()
    if (this.#at + length > this.#bytes.length) throw new RangeError('a field is longer than its packet')
    return this.raw(length)
  }

  text(): string {
    return this.bytes().toString('latin1')
  }

  /** A whole number that is not negative, without the zeros in front of it. */
  integer(): Buffer {
    const bytes = this.bytes()
    return bytes.subarray(bytes.findIndex((byte) => byte !== 0))
  }

  raw(length: number): Buffer {
    const bytes = this.#bytes.subarray(this.#at, this.#at + length)
    this.#at += length
    return bytes
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length
  }
}
