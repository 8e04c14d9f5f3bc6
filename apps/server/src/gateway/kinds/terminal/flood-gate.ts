/** Bytes of a plain stream that are recorded at once … */
const BURST_BYTES = 4 * 1024 * 1024
/**
 * … and further ones each second: far more than anybody reads, far less than a file transfer moves.
 */
const REFILL_BYTES_PER_SECOND = 64 * 1024
const MINUTE_MS = 60_000

/**
 * Decides what is recorded of a stream without a terminal. Such streams carry backups and disk
 * images as well as the output of commands: of a flood the size is recorded instead of its bytes,
 * and what follows is recorded again, so that nobody can hide behind one.
 */
export class FloodGate {
  readonly #now: () => number
  #room = BURST_BYTES
  #since: number
  #skipped = 0
  #noted = 0

  /** `now` in milliseconds. */
  constructor(now: () => number) {
    this.#now = now
    this.#since = now()
  }

  /**
   * Bytes to record for these, with line ends for a terminal; a long flood is noted from time to
   * time.
   */
  pass(bytes: Buffer): Buffer {
    const now = this.#now()
    this.#room = Math.min(BURST_BYTES, this.#room + ((now - this.#since) / 1000) * REFILL_BYTES_PER_SECOND)
    this.#since = now
    if (bytes.length > this.#room) {
      this.#skipped += bytes.length
      if (now - this.#noted < MINUTE_MS) return Buffer.alloc(0)
      this.#noted = now
      return this.rest()
    }
    this.#room -= bytes.length
    return Buffer.concat([this.rest(), onTerminal(bytes)])
  }

  /** A note about what was left out since the last note; empty when nothing was. */
  rest(): Buffer {
    if (!this.#skipped) return Buffer.alloc(0)
    const note = Buffer.from(`\r\n[${this.#skipped} bytes of data not recorded]\r\n`)
    this.#skipped = 0
    return note
  }
}

/**
 * Adds carriage returns to line feeds. Works on bytes, since the stream may be cut inside a
 * character, and need not be text.
 */
function onTerminal(bytes: Buffer): Buffer {
  return Buffer.from(bytes.toString('latin1').replace(/\r?\n/g, '\r\n'), 'latin1')
}
