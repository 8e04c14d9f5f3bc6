import { setTimeout as pause } from 'node:timers/promises'
import type { Typed } from '../kinds/desktop/streams.ts'

/** A machine that has not answered by then will not. */
const KNOWN_MS = 1000
/** Nor will a program; a busy one that asks later would be given what is typed next. */
const FETCHED_MS = 3000
/** Programs may fetch a text more than once: so long after the last it is not needed any more. */
const GIVE_BACK_MS = 1000
/** What was fetched is on its way to the program: keys behind it would be there first. */
const ARRIVE_MS = 100

interface Parts {
  /** Fills the machine's clipboard. */
  offer(text: string): void
  /** Presses the keys that paste. */
  press(): void
  /** So many answers to an offer say that whatever is pressed next finds it. */
  answers: number
}

/**
 * Fills a machine's clipboard, and types by it what the machine has no keys for: then it is pasted
 * from, and has what it had before once the text has been fetched and nothing more is typed.
 */
export class ClipboardTypist {
  readonly #parts: Parts
  /** Puts back what a person or a program has put there; undefined where that can't be. */
  #putBack: (() => void) | undefined
  #givingBack: NodeJS.Timeout | undefined
  #isKnown = false
  #isFetched = false
  /** What is on the clipboard was typed … */
  #isLent = false
  /** … and nothing has fetched it in time. */
  #isLeft = false
  #waiting: { isOver: () => boolean; stop: () => void } | undefined

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Something is on the clipboard that was not typed. */
  stands(putBack: (() => void) | undefined): void {
    clearTimeout(this.#givingBack)
    this.#isLent = false
    this.#isLeft = false
    this.#putBack = putBack
  }

  /** The machine knows of what was offered last. */
  known(): void {
    this.#isKnown = true
    this.#goOn()
  }

  /** It has fetched that. */
  fetched(): void {
    this.#isFetched = true
    this.#goOn()
    if (this.#isLeft) this.#giveBack()
  }

  /** Fills it; settles when whatever is pressed next finds that there. */
  async paste(text: string): Promise<void> {
    this.stands(() => this.#parts.offer(text))
    await this.#place(text)
  }

  /** One text after the other. */
  async type(text: string): Promise<Typed> {
    clearTimeout(this.#givingBack)
    this.#isLent = true
    this.#isFetched = false
    this.#isLeft = false
    if (!(await this.#place(text))) return 'unsure'
    this.#parts.press()
    await this.#until(() => this.#isFetched, FETCHED_MS)
    if (this.#isFetched) {
      await pause(ARRIVE_MS)
      this.#giveBack()
      return 'taken'
    }
    this.#isLeft = this.#isLent
    return 'left'
  }

  #giveBack(): void {
    clearTimeout(this.#givingBack)
    this.#isLeft = false
    if (this.#isLent && this.#putBack) this.#givingBack = setTimeout(this.#putBack, GIVE_BACK_MS)
  }

  /**
   * A server may answer before it has the clipboard, and what stood there before would be pasted: by
   * its second answer it has done what it was told first.
   */
  async #place(text: string): Promise<boolean> {
    const { offer, answers } = this.#parts
    if (!answers) offer(text)
    for (let n = 0; n < answers; n++) {
      this.#isKnown = false
      offer(text)
      await this.#until(() => this.#isKnown, KNOWN_MS)
      if (!this.#isKnown) return false
    }
    return true
  }

  close(): void {
    this.stands(undefined)
    this.#waiting?.stop()
  }

  #goOn(): void {
    if (this.#waiting?.isOver()) this.#waiting.stop()
  }

  async #until(isOver: () => boolean, ms: number): Promise<void> {
    if (isOver()) return
    let tooLong: NodeJS.Timeout | undefined
    await new Promise<void>((stop) => {
      tooLong = setTimeout(stop, ms)
      this.#waiting = { isOver, stop }
    })
    clearTimeout(tooLong)
    this.#waiting = undefined
  }
}
