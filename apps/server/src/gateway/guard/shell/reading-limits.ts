import { TooMuch } from './words.ts'

/** Longer texts are not read: nobody types them, and reading must not hold up other sessions. */
export const MAX_TEXT = 16 * 1024
/** Scripts within scripts, and commands that run commands. */
const MAX_DEPTH = 24
/**
 * A line takes a fiftieth of a millisecond. Scripts within scripts are parsed as they are reached. Of
 * the processor's time: on a busy machine others' work must not make a line too long to be read.
 */
const READING_MS = 50
/** Nodes looked at and words expanded. */
const MAX_STEPS = 20_000

/** The time was up, which may have gone elsewhere: what collects this thread's garbage counts as well. */
export class TooLong extends TooMuch {}

/** What reading one text may take. Every method but `shallower` throws TooMuch. */
export class ReadingLimits {
  #depth = 0
  #steps = 0
  readonly #begun = process.threadCpuUsage()
  /** No earlier than this the time can be up. */
  #deadline = performance.now() + READING_MS
  /** Characters of scripts and commands that may still be seen. */
  #budget = 8 * MAX_TEXT

  step(): void {
    if (++this.#steps > MAX_STEPS) throw new TooMuch()
    if (performance.now() > this.#deadline && this.#left() <= 0) throw new TooLong()
  }

  deeper(): void {
    if (++this.#depth > MAX_DEPTH) throw new TooMuch()
  }

  shallower(): void {
    this.#depth--
  }

  see(text: string): void {
    this.#budget -= text.length
    if (this.#budget < 0) throw new TooMuch()
  }

  /** Milliseconds of the processor that may still be spent. */
  #left(): number {
    const { user, system } = process.threadCpuUsage(this.#begun)
    const left = READING_MS - (user + system) / 1000
    this.#deadline = performance.now() + left
    return left
  }
}
