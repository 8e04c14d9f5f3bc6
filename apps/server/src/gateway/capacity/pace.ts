import { monitorEventLoopDelay } from 'node:perf_hooks'
import { GaveWay } from '../../domains/monitor/index.ts'
import { pause } from '../../kernel/pause.ts'

const LOOK_MS = 10
const NANOSECONDS = 1e6
/** How often it is looked whether people have to wait. */
const WINDOW_MS = 2_000
/** The node is late for so long: it has other work. */
const MAX_LATE_WINDOWS = 3
/** At most this part of the time is measured in; the rest is for people. */
const SHARE = 0.5
const SHORTEST_PAUSE_MS = 2

/**
 * The pace of a measurement: between any two pieces of it people have their turn. It waits while the
 * node is late at its work, and gives way where that lasts.
 */
export class Pace {
  readonly #signal: AbortSignal
  readonly #lateMs: number
  readonly #delay = monitorEventLoopDelay({ resolution: LOOK_MS })
  #windowSince = performance.now()
  #lateWindows = 0

  /** @param lateMs by so much the node may be late: 99 of 100 times it is less */
  constructor(signal: AbortSignal, lateMs: number) {
    this.#signal = signal
    this.#lateMs = lateMs
    this.#delay.enable()
  }

  /**
   * Does a piece of work, and leaves the node alone for as long as that took. Throws what it throws,
   * GaveWay, and the reason of the signal.
   */
  async turn<T>(work: () => Promise<T>): Promise<T> {
    this.#signal.throwIfAborted()
    const since = performance.now()
    const done = await work()
    const took = performance.now() - since
    await this.rest(Math.max(SHORTEST_PAUSE_MS, took * (1 / SHARE - 1)))
    return done
  }

  /** Throws GaveWay, and the reason of the signal. */
  async rest(milliseconds: number): Promise<void> {
    await pause(milliseconds, this.#signal)
    this.#signal.throwIfAborted()
    while (this.#isLate()) {
      if (this.#lateWindows >= MAX_LATE_WINDOWS) throw new GaveWay('the node is late at its work')
      await pause(WINDOW_MS, this.#signal)
      this.#signal.throwIfAborted()
    }
  }

  close(): void {
    this.#delay.disable()
  }

  /** Whether the node was late in the last window, once that is over. */
  #isLate(): boolean {
    const now = performance.now()
    if (now - this.#windowSince < WINDOW_MS) return false
    this.#windowSince = now
    const late = this.#delay.count ? this.#delay.percentile(99) / NANOSECONDS - LOOK_MS : 0
    this.#delay.reset()
    this.#lateWindows = late > this.#lateMs ? this.#lateWindows + 1 : 0
    return this.#lateWindows > 0
  }
}
