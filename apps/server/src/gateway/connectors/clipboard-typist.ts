import type { Typed } from '../kinds/desktop/streams.ts'

/** A machine that has not answered by then will not. */
const KNOWN_MS = 1000
/** Nor will a program; a busy one that asks later would be given what is typed next. */
const FETCHED_MS = 3000
/** Limit where nothing has fetched the last one: the person's next input waits meanwhile. */
const FETCHED_AGAIN_MS = 300
/** Programs may fetch a text more than once: so long after the last it is not needed any more. */
const GIVE_BACK_MS = 1000
/** A text that was fetched is on its way to the program: keys behind it would be there first. */
const ARRIVE_MS = 100

interface Parts {
  /** Fills the machine's clipboard. */
  offer(text: string): void
  /** The offered text is not given out any more. */
  withdraw(): void
  /** Presses the keys that paste. Answers whether there are such: else the person does that. */
  press(): boolean
  /** So many answers to an offer say that whatever is pressed next finds it. */
  answers: number
}

/** How to restore the content of a clipboard: a text by itself. */
type Before = string | (() => void) | undefined

/** Ends of lines are each system's own. */
const plain = (text: string) => text.replace(/\r\n?/g, '\n')

/**
 * Fills a machine's clipboard, and types by it what the machine has no keys for: then it is pasted
 * from, and has what it had before once the text has been fetched and nothing more is typed.
 */
export class ClipboardTypist {
  readonly #parts: Parts
  /**
   * The content that a person or a program has put there; undefined where none is known, or it
   * can't be restored.
   */
  #before: Before
  #givingBack: NodeJS.Timeout | undefined
  #isKnown = false
  #isFetched = false
  #patience = FETCHED_MS
  /** The content of the clipboard was typed … */
  #lent: string | undefined
  /** … and nothing has fetched it in time. */
  #isLeft = false
  #isTyping = false
  #isClosed = false
  /** The machine has something new, of which the text is on its way. */
  #isExpected = false
  /**
   * The text that was lent and given back last: a program there may take it over, by which nobody
   * has copied it.
   */
  #own: readonly string[] = []
  #waiting: { isOver: () => boolean; stop: () => void } | undefined

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Something is on the clipboard that was not typed. */
  stands(what: Before): void {
    clearTimeout(this.#givingBack)
    this.#lent = undefined
    this.#isLeft = false
    this.#isExpected = false
    this.#own = []
    this.#before = what
    this.#goOn()
  }

  /** The machine has put something there; `copied` says what, where it is a text that comes. */
  replaced(isExpected: boolean): void {
    if (!isExpected) this.stands(undefined)
    clearTimeout(this.#givingBack)
    this.#isExpected = isExpected
  }

  /** The text that the machine has there. Answers whether somebody copied it. */
  copied(text: string): boolean {
    if (!this.#own.includes(plain(text))) {
      this.stands(text)
      return true
    }
    this.#isExpected = false
    if (!this.#isTyping) this.#giveBack()
    this.#goOn()
    return false
  }

  /** The person does something by which they may copy there, be it what was typed. */
  mayCopy(): void {
    this.#own = []
  }

  /** The machine knows of what was offered last. */
  known(): void {
    this.#isKnown = true
    this.#goOn()
  }

  /** It has fetched that. */
  fetched(): void {
    this.#isFetched = true
    this.#patience = FETCHED_MS
    this.#goOn()
    if (this.#isLeft) this.#giveBack()
  }

  /** Fills it; settles when whatever is pressed next finds that there. */
  async paste(text: string): Promise<void> {
    this.stands(text)
    await this.#place(text)
  }

  /** One text after the other; `mayPress` is asked once it is there. */
  async type(text: string, mayPress: () => boolean): Promise<Typed> {
    this.#isTyping = true
    // A later copy would be taken for newer than the typed text.
    await this.#until(() => !this.#isExpected, KNOWN_MS)
    if (this.#isExpected) this.stands(undefined)
    clearTimeout(this.#givingBack)
    this.#lent = text
    this.#own = [plain(text)]
    this.#isFetched = false
    this.#isLeft = false
    const typed = await this.#paste(text, mayPress)
    this.#isTyping = false
    if (typed === 'taken' || typed === 'unseen') this.#giveBack()
    else if (typed !== 'left') this.#putBack()
    this.#isLeft = typed === 'left'
    return typed
  }

  async #paste(text: string, mayPress: () => boolean): Promise<Typed> {
    const isPlaced = await this.#place(text)
    await this.#until(() => !this.#isExpected, KNOWN_MS)
    if (!mayPress()) return 'stopped'
    if (!isPlaced || this.#lent === undefined) return 'lost'
    // Something on the machine watches the clipboard and keeps what is there: whether a program fetches
    // it from there is not seen.
    const isWatched = this.#isFetched
    this.#isFetched = false
    if (!this.#parts.press()) return 'left'
    await this.#until(() => this.#isFetched || this.#lent === undefined, isWatched ? ARRIVE_MS : this.#patience)
    if (this.#isFetched || (isWatched && this.#lent !== undefined)) {
      await this.#until(() => false, ARRIVE_MS)
      return isWatched ? 'unseen' : 'taken'
    }
    // Something else is there by now.
    if (this.#lent === undefined) return 'lost'
    this.#patience = FETCHED_AGAIN_MS
    return 'left'
  }

  #giveBack(): void {
    clearTimeout(this.#givingBack)
    this.#isLeft = false
    if (this.#lent !== undefined) this.#givingBack = setTimeout(() => this.#putBack(), GIVE_BACK_MS)
  }

  /** An empty clipboard is empty again afterwards: the typed text may be a secret. */
  #putBack(): void {
    if (this.#lent === undefined) return
    const lent = plain(this.#lent)
    const before = this.#before
    this.#lent = undefined
    this.#own = typeof before === 'string' ? [lent, plain(before)] : [lent]
    if (typeof before === 'string') this.#parts.offer(before)
    else if (before) before()
    else this.#parts.withdraw()
  }

  /**
   * A server may answer before it has the clipboard, and the earlier content would be pasted: by
   * its second answer it has done what the first request asked.
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
    this.#isClosed = true
    this.stands(undefined)
    this.#waiting?.stop()
  }

  #goOn(): void {
    if (this.#waiting?.isOver()) this.#waiting.stop()
  }

  async #until(isOver: () => boolean, ms: number): Promise<void> {
    if (isOver() || this.#isClosed) return
    let tooLong: NodeJS.Timeout | undefined
    await new Promise<void>((stop) => {
      tooLong = setTimeout(stop, ms)
      this.#waiting = { isOver, stop }
    })
    clearTimeout(tooLong)
    this.#waiting = undefined
  }
}
