import { ByteSource, type Reading } from '../../protocols/byte-source.ts'
import { FULL_BODY, HEADER_BYTES } from '../../protocols/mysql/packets.ts'
import { ProtocolViolation } from '../../protocols/protocol-violation.ts'

/** Packets taken apart as they come; one that goes on in the next is one here. */
export class PacketSource {
  readonly #source = new ByteSource()
  /** Bytes of the packet that are still to come, */
  #left = 0
  /** and whether another goes on with it. */
  #goesOn = false

  add(bytes: Buffer): void {
    this.#source.add(bytes)
  }

  /** Goes to the next packet; answers how long it is, as far as its own header says. */
  *next(): Reading<number> {
    yield* this.#rest()
    return yield* this.#header()
  }

  get isAtEnd(): boolean {
    return !this.#left && !this.#goesOn
  }

  /** Exactly so many bytes of the packet, which are few. Throws ProtocolViolation when it has not so many. */
  *take(count: number): Reading<Buffer> {
    if (count <= this.#left) {
      this.#left -= count
      return yield* this.#source.take(count)
    }
    const pieces: Buffer[] = []
    for (let missing = count; missing > 0; ) {
      yield* this.#more()
      const taken = Math.min(missing, this.#left)
      pieces.push(Buffer.from(yield* this.#source.take(taken)))
      this.#left -= taken
      missing -= taken
    }
    return Buffer.concat(pieces)
  }

  /** See `ByteSource.begin`. */
  *begin(count: number, keep: number): Reading<{ bytes: Buffer; isCut: boolean }> {
    const kept = Math.min(count, keep)
    const bytes = yield* this.take(kept)
    for (let over = count - kept; over > 0; ) {
      yield* this.#more()
      const skipped = Math.min(over, this.#left)
      yield* this.#source.skip(skipped)
      this.#left -= skipped
      over -= skipped
    }
    return { bytes, isCut: kept < count }
  }

  /** All that is left of the packet, of which so much is kept. */
  *body(keep: number): Reading<Buffer> {
    const bytes = yield* this.take(Math.min(this.#left, keep))
    yield* this.#rest()
    return bytes
  }

  *#more(): Reading<void> {
    while (!this.#left) {
      if (!this.#goesOn) throw new ProtocolViolation('packet is too short')
      yield* this.#header()
    }
  }

  *#rest(): Reading<void> {
    for (;;) {
      yield* this.#source.skip(this.#left)
      this.#left = 0
      if (!this.#goesOn) return
      yield* this.#header()
    }
  }

  *#header(): Reading<number> {
    const length = (yield* this.#source.take(HEADER_BYTES)).readUIntLE(0, 3)
    this.#left = length
    this.#goesOn = length === FULL_BODY
    return length
  }
}
