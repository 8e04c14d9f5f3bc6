/** As much as a command may have that comes by SSH (`kernel/ssh/ssh2/`), in characters. */
export const MAX_TEXT = 256 * 1024
/** Scripts within scripts, and commands that run commands. */
const MAX_DEPTH = 24
/**
 * A line takes a fiftieth of a millisecond. Scripts within scripts are parsed as they are reached. Of
 * the processor's time: on a busy machine others' work must not make a line too long to be read.
 */
const READING_MS = 50
/**
 * So many characters of a longer text have another millisecond. Plain text takes a quarter of that,
 * read for the first time: a slow machine reads what a quick one does.
 */
const MORE_CHARACTERS = 256
/** Characters of which words are put together. */
const MAX_MADE = 4 * MAX_TEXT
/** Nodes looked at and words expanded. */
const MAX_STEPS = 400_000

/**
 * Here documents that one line may begin: each is looked for behind all the others, which takes time
 * by the square of their number. Operators of other languages count as well, in a body on one line.
 */
const MAX_HERE_DOCUMENTS = 1000

/** Whether a line begins more here documents than anybody writes. */
export function beginsTooMany(text: string): boolean {
  let count = 0
  let end = -1
  for (let at = text.indexOf('<<'); at >= 0; at = text.indexOf('<<', at + 2)) {
    if (at > end) {
      count = 0
      end = text.indexOf('\n', at)
      if (end < 0) end = text.length
    }
    if (++count > MAX_HERE_DOCUMENTS) return true
  }
  return false
}

/** How long a text of that many characters may be read. Milliseconds. */
export const readingTime = (length: number): number => READING_MS + Math.ceil(length / MORE_CHARACTERS)

/** A text is too large, or too intricate, to be read. */
export class TooMuch extends Error {}

/** The time was up, which may have gone elsewhere: what collects this thread's garbage counts as well. */
export class TooLong extends TooMuch {}

/** Limits of reading one text. Every method but `shallower` throws TooMuch. */
export class ReadingLimits {
  readonly #time: number
  #depth = 0
  #steps = 0
  readonly #begun = process.threadCpuUsage()
  /** No earlier than this the time can be up. */
  #deadline: number
  /** Characters of scripts and commands that may still be seen. */
  #budget = 8 * MAX_TEXT
  #made = 0

  /** Limits of a text of that many characters. */
  constructor(length: number) {
    this.#time = readingTime(length)
    this.#deadline = performance.now() + this.#time
  }

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

  /** Words are put together, of so many characters. */
  spend(characters: number): void {
    this.#made += characters
    if (this.#made > MAX_MADE) throw new TooMuch()
  }

  see(text: string): void {
    this.#budget -= text.length
    if (this.#budget < 0) throw new TooMuch()
  }

  /** Milliseconds of the processor that may still be spent. */
  #left(): number {
    const { user, system } = process.threadCpuUsage(this.#begun)
    const left = this.#time - (user + system) / 1000
    this.#deadline = performance.now() + left
    return left
  }
}
