import { ProtocolViolation } from './protocol-violation.ts'

/** Limit of one value that is kept, in bytes; the rest is not shown. */
export const VALUE_BYTES = 64 * 1024
/** Limit of a row that is kept, in bytes. */
export const ROW_BYTES = 1024 * 1024

/** A reader, which yields while it waits for more bytes. */
export type Reading<T> = Generator<void, T, void>

/**
 * Bytes that come in pieces, parsed by a generator that continues when more have come: no value, of
 * any length, is in memory whole.
 */
export class ByteSource {
  #bytes: Buffer = Buffer.alloc(0)
  #at = 0

  add(bytes: Buffer): void {
    this.#bytes = this.#at < this.#bytes.length ? Buffer.concat([this.#bytes.subarray(this.#at), bytes]) : bytes
    this.#at = 0
  }

  /** Exactly so many bytes, which are few. */
  *take(count: number): Reading<Buffer> {
    while (this.#bytes.length - this.#at < count) yield
    const taken = this.#bytes.subarray(this.#at, this.#at + count)
    this.#at += count
    return taken
  }

  /** The beginning of so many bytes; what is behind `keep` of them is let go. */
  *begin(count: number, keep: number): Reading<{ bytes: Buffer; isCut: boolean }> {
    const kept = Math.min(count, keep)
    const bytes = yield* this.take(kept)
    yield* this.skip(count - kept)
    return { bytes, isCut: kept < count }
  }

  *skip(count: number): Reading<void> {
    for (let left = count; left > 0; ) {
      if (this.#at >= this.#bytes.length) yield
      const taken = Math.min(left, this.#bytes.length - this.#at)
      this.#at += taken
      left -= taken
    }
  }

  /** A line without its end (CR LF), of at most so many bytes. Throws ProtocolViolation. */
  *line(most: number): Reading<Buffer> {
    for (;;) {
      const end = this.#bytes.indexOf('\r\n', this.#at)
      if (end >= 0) {
        const line = this.#bytes.subarray(this.#at, end)
        this.#at = end + 2
        return line
      }
      if (this.#bytes.length - this.#at > most) throw new ProtocolViolation('a line is too long')
      yield
    }
  }
}

/** Text that may end within a character. */
export function textOf({ bytes, isCut }: { bytes: Buffer; isCut: boolean }): { text: string; isCut: boolean } {
  const text = bytes.toString()
  return { text: isCut ? text.replace(/\ufffd+$/, '') : text, isCut }
}
