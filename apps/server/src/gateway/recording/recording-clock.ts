/**
 * Moments of a recording, counted from the start of its session, so that commands can be found in
 * it by their time.
 */
export class RecordingClock {
  /** Of a clock that no change of the system's time can turn back. */
  readonly #startedAt: number
  readonly #now: () => number

  /** `now`: milliseconds that only go forward. */
  constructor(startedAt: Date, now: () => number = () => performance.now()) {
    this.#now = now
    this.#startedAt = now() - Math.max(0, Date.now() - startedAt.getTime())
  }

  /** Seconds with six decimals. */
  get seconds(): string {
    return ((this.#now() - this.#startedAt) / 1000).toFixed(6)
  }
}
