import { pause } from '../../../kernel/pause.ts'

/**
 * After so long without output, what was typed has had all its effect on the screen. Milliseconds. Nobody waits for
 * that who looks at a line before they run it; a busy machine may take it between two keys that came together.
 */
export const QUIET_MS = 100
/** A line without an echo by then has none. */
export const NO_ECHO_MS = 1000
/** The same, where nothing hangs on it. */
export const BRIEF_MS = 150
const LONGEST_MS = 4000
/** A key that does not show by then, though other output came, has no effect. */
const NO_EFFECT_MS = 1000
/** How much longer than before an echo may take. */
const PATIENCE = 1.5
/** So many times as long as before is no echo at all. */
const LOST = 4
/** Factor of the longest echo that is remembered, for each echo since. */
const FADING = 0.9

/** Knows how long a machine takes to show what is typed, so that its line can be read when it is complete. */
export class Echo {
  readonly #now: () => number
  #sentAt = Number.NEGATIVE_INFINITY
  /** When keys went out, since then, that may show nothing. */
  #silentAt = Number.NEGATIVE_INFINITY
  #shownAt = Number.NEGATIVE_INFINITY
  /** When keys went out that may bring another line. */
  #fetchedAt = Number.NEGATIVE_INFINITY
  /** Such keys went out together, or before there was an answer to those before: which of them it answers is not known. */
  #isTogether = false
  /** When the person had the machine hold its output back (Ctrl-S), unless it came on since. */
  #stoppedAt: number | undefined
  /** Since when an echo is awaited. */
  #awaitedSince: number | undefined
  /** How long echoes take here. */
  #delay = 0
  /** Aborted by the first output since anything was typed. */
  #firstOutput = new AbortController()

  /** `now`: milliseconds of a clock that nobody sets. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** Keys go out that should be seen. `fetching`: how many of them may bring another line. */
  sent(fetching = 0): void {
    if (fetching) this.#isTogether = fetching > 1 || this.#shownAt < this.#fetchedAt || !this.isOfLast
    this.#sentAt = this.#now()
    this.#awaitedSince ??= this.#sentAt
    if (fetching) this.#fetchedAt = this.#sentAt
  }

  /** Keys go out that may have no effect, and then show nothing. */
  sentSilently(): void {
    this.#silentAt = this.#now()
  }

  /** The machine holds its output back from now on. */
  stopped(): void {
    this.#stoppedAt = this.#now()
  }

  /** It holds nothing back any more. */
  resumed(): void {
    this.#stoppedAt = undefined
  }

  /** Output came. */
  shown(): void {
    const isFirst = !this.isShown || this.isSilent
    this.#shownAt = this.#now()
    if (isFirst) this.#wake()
    // Output that comes so late was not on its way when it was stopped.
    if (this.#stoppedAt !== undefined && this.#shownAt - this.#stoppedAt > LONGEST_MS) this.resumed()
    if (this.#awaitedSince === undefined) return
    const took = this.#shownAt - this.#awaitedSince
    this.#awaitedSince = undefined
    this.#delay = Math.min(Math.max(took, this.#delay * FADING), LONGEST_MS / 2)
  }

  /** That nothing comes does not mean that nothing would be shown. */
  get isStopped(): boolean {
    return this.#stoppedAt !== undefined
  }

  /** Output has come since keys went out that should be seen. */
  get isShown(): boolean {
    return this.#shownAt > this.#sentAt
  }

  /** None has come since those that may show nothing: they had no effect, if they went in time. */
  get isSilent(): boolean {
    return this.#silentAt > this.#shownAt
  }

  /** Nothing has come for so long that what was typed last can't be on its way any more. */
  get isStill(): boolean {
    return this.#now() - this.#newest >= this.#longest(NO_EFFECT_MS)
  }

  /**
   * The output answers the last key; where it may answer one before, it has been quiet for long.
   */
  get isOfLast(): boolean {
    return !this.#isTogether || this.#now() - this.#newest >= Math.max(NO_EFFECT_MS, this.#delay * PATIENCE)
  }

  get #newest(): number {
    return Math.max(this.#sentAt, this.#silentAt, this.#shownAt)
  }

  /**
   * Settles when what was typed is on the screen: true; or when it is not shown: false. At once when
   * nobody waits any more. `noEchoMs`: how long is waited for the first sign of it.
   */
  async settled(dropped: AbortSignal, noEchoMs = NO_ECHO_MS): Promise<boolean> {
    for (;;) {
      const left = this.#until(noEchoMs) - this.#now()
      if (left <= 0 || dropped.aborted) return this.isShown
      await pause(Math.ceil(left), AbortSignal.any([dropped, this.#firstOutput.signal]))
    }
  }

  /** A waiter for a first sign waits only for the rest from now on. */
  #wake(): void {
    this.#firstOutput.abort()
    this.#firstOutput = new AbortController()
  }

  #until(noEchoMs: number): number {
    if (!this.isShown) return this.#sentAt + this.#longest(noEchoMs)
    if (this.isSilent) return this.#silentAt + this.#longest(BRIEF_MS)
    return Math.max(Math.max(this.#sentAt, this.#silentAt) + this.#delay * PATIENCE, this.#shownAt) + QUIET_MS
  }

  #longest(atLeast: number): number {
    return Math.min(Math.max(atLeast, this.#delay * LOST), LONGEST_MS)
  }
}
