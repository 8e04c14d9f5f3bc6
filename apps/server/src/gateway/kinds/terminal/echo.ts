import { pause } from '../../../kernel/pause.ts'

/** After so long without output, what was typed has had all its effect on the screen. Milliseconds. */
const QUIET_MS = 30
/** What has no echo by then has none. */
const NO_ECHO_MS = 1000
const LONGEST_MS = 4000
/** How much longer than before an echo may take. */
const PATIENCE = 1.5
/** Of the longest echo that is remembered, per echo since. */
const FADING = 0.9

/** Knows how long a machine takes to show what is typed, so that its line can be read when it stands. */
export class Echo {
  readonly #now: () => number
  #sentAt = Number.NEGATIVE_INFINITY
  #shownAt = Number.NEGATIVE_INFINITY
  /** Since when an echo is awaited. */
  #awaitedSince: number | undefined
  /** How long echoes take here. */
  #delay = 0

  /** `now`: milliseconds of a clock that nobody sets. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** Keys go out that should be seen. */
  sent(): void {
    this.#sentAt = this.#now()
    this.#awaitedSince ??= this.#sentAt
  }

  /** Output came. */
  shown(): void {
    this.#shownAt = this.#now()
    if (this.#awaitedSince === undefined) return
    const took = this.#shownAt - this.#awaitedSince
    this.#awaitedSince = undefined
    this.#delay = Math.min(Math.max(took, this.#delay * FADING), LONGEST_MS / 2)
  }

  /**
   * Settles when what was typed is on the screen: true; or when it is not shown: false. At once when
   * nobody waits any more.
   */
  async settled(dropped: AbortSignal): Promise<boolean> {
    for (;;) {
      const left = this.#left()
      if (left <= 0 || dropped.aborted) return this.#shownAt > this.#sentAt
      await pause(Math.ceil(left), dropped)
    }
  }

  #left(): number {
    const isShown = this.#shownAt > this.#sentAt
    const until = isShown
      ? Math.max(this.#sentAt + this.#delay * PATIENCE, this.#shownAt) + QUIET_MS
      : this.#sentAt + Math.min(Math.max(NO_ECHO_MS, this.#delay * 4), LONGEST_MS)
    return until - this.#now()
  }
}
