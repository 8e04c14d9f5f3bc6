import { addPiece } from './small-pieces.ts'

/** A reader that says how many bytes it needs next, and gets them in one piece. */
export type Steps<T = void> = Generator<number, T, Buffer>

/** Needed at once; a reader takes what is longer in pieces. */
const MAX_STEP = 1024 * 1024

/** Feeds a reader with bytes as they come, in whatever pieces. */
export class StepReader {
  readonly #steps: Steps<unknown>
  #waiting: Buffer[] = []
  #length = 0
  #need: number
  #isReading = false

  constructor(steps: Steps<unknown>) {
    this.#steps = steps
    this.#need = this.#step(steps.next())
  }

  /** Bytes that came and were not read yet. */
  get waiting(): number {
    return this.#length
  }

  add(bytes: Buffer): void {
    addPiece(this.#waiting, bytes)
    this.#length += bytes.length
  }

  /**
   * Reads on as far as it can, or until `isEnough`. Throws what the reader throws. Asked for while the
   * reader is at work, by something that its work sets off, it leaves the rest to the call under way.
   */
  read(isEnough: () => boolean = () => false): void {
    if (this.#isReading) return
    this.#isReading = true
    try {
      while (this.#length >= this.#need && !isEnough())
        this.#need = this.#step(this.#steps.next(this.#take(this.#need)))
    } finally {
      this.#isReading = false
    }
  }

  #step({ value, done }: IteratorResult<number, unknown>): number {
    if (done) return Number.POSITIVE_INFINITY
    if (!(value >= 0 && value <= MAX_STEP)) throw new RangeError(`a step of ${value} bytes`)
    return value
  }

  #take(bytes: number): Buffer {
    this.#length -= bytes
    const first = this.#waiting[0]
    if (first && first.length > bytes) {
      this.#waiting[0] = first.subarray(bytes)
      return first.subarray(0, bytes)
    }
    if (first && first.length === bytes) {
      this.#waiting.shift()
      return first
    }
    if (!bytes) return Buffer.alloc(0)
    const all = Buffer.concat(this.#waiting)
    this.#waiting = all.length > bytes ? [all.subarray(bytes)] : []
    return all.subarray(0, bytes)
  }
}

/** Passes over so many bytes. */
export function* skip(bytes: number): Steps {
  for (let left = bytes; left > 0; left -= MAX_STEP) yield Math.min(left, MAX_STEP)
}
