/**
 * Times in a recording, counted from the start of its session, so that commands can be found in it.
 */
export class RecordingClock {
  /** On a monotonic clock, which no change of the system's time can turn back. */
  readonly #startedAt: number
  readonly #now: () => number

  /** `now`: a monotonic clock in milliseconds. */
  constructor(startedAt: Date, now: () => number = () => performance.now()) {
    this.#now = now
    this.#startedAt = now() - Math.max(0, Date.now() - startedAt.getTime())
  }

  /** Seconds with six decimals. */
  get seconds(): string {
    return secondsText(this.milliseconds)
  }

  get milliseconds(): number {
    return this.#now() - this.#startedAt
  }
}

/** As recordings have times. */
export const secondsText = (milliseconds: number): string => (milliseconds / 1000).toFixed(6)
