import type { StreamEnd } from '../../session/live-session.ts'
import type { Owner, TerminalSize } from './streams.ts'
import type { TerminalSession } from './terminal-session.ts'

/** One browser's end of a session. */
export interface Line {
  /** False when it is behind: `ownerDrained` of the session must follow. */
  write(bytes: Buffer): boolean
  /** See `Owner`. */
  transfer(running: boolean): void
  close(end: StreamEnd): void
  /** The same person works on elsewhere. */
  moved(): void
}

/**
 * The person's side of a session that outlives their connection: a line may break, and another take
 * its place. Output meanwhile is recorded and is on the screen that the next line is shown first,
 * so it arrives once and in order.
 */
export class DetachableOwner implements Owner {
  readonly #elapsed: () => number
  #line: Line | undefined
  #live: TerminalSession | undefined
  /** Output since the screen for a new line was asked for. The machine waits meanwhile. */
  #since: Buffer[] | undefined

  constructor(line: Line, elapsed: () => number) {
    this.#line = line
    this.#elapsed = elapsed
  }

  started(live: TerminalSession): void {
    this.#live = live
  }

  isOn(line: Line): boolean {
    return this.#line === line
  }

  write(bytes: Buffer): boolean {
    if (this.#since) {
      this.#since.push(bytes)
      return false
    }
    return this.#line?.write(bytes) ?? true
  }

  transfer(running: boolean): void {
    this.#line?.transfer(running)
  }

  close(end: StreamEnd): void {
    const line = this.#line
    if (this.#since) line?.write(this.#live?.newestOutput() ?? Buffer.alloc(0))
    this.#line = undefined
    this.#since = undefined
    line?.close(end)
  }

  /** The line broke. Answers whether it was the one in use. */
  lost(line: Line): boolean {
    if (this.#line !== line || !this.#live) return false
    this.#line = undefined
    this.#since = undefined
    this.#live.waitingSince = this.#elapsed()
    this.#live.ownerDrained()
    this.#live.abortTransfer()
    return true
  }

  /**
   * Continues with another line, which is shown the whole screen first; the one before is notified.
   */
  async resume(line: Line, size: TerminalSize): Promise<void> {
    const live = this.#live
    if (!live) return
    // Before the other line is notified: the transfer still goes through it.
    live.abortTransfer()
    this.#line?.moved()
    this.#line = line
    live.waitingSince = undefined
    // The screen is made for the window that shows it.
    live.resize(size)
    this.#since = []
    const screen = await live.screenNow()
    if (this.#line !== line || !this.#since) return
    const since = this.#since
    this.#since = undefined
    line.write(screen ? Buffer.concat([screen, ...since]) : live.newestOutput())
    live.ownerDrained()
  }
}
