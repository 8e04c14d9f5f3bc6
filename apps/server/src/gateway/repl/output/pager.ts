import type { TerminalSize } from '../../kinds/terminal/streams.ts'
import { textWidth } from '../../prompt/plain-text.ts'

/** Surroundings of a pager. */
export interface PagerHost {
  write(text: string): void
  size(): TerminalSize
  /** Question when a page is full. */
  question(): string
  /** The person wants no more: what brings it is to be broken off. */
  quit(): void
  /** Lines wait for the person, or do not any more. */
  held(isHeld: boolean): void
}

/** Shows lines page by page, and waits for the person in between. */
export class Pager {
  readonly #host: PagerHost
  #waiting: string[] = []
  /** Rows of the terminal that may still be filled; all is shown when undefined. */
  #room: number | undefined
  #isAsking = false
  #hasQuit = false
  #onFree: (() => void) | undefined

  constructor(host: PagerHost) {
    this.#host = host
    this.#room = this.#page
  }

  get isAsking(): boolean {
    return this.#isAsking
  }

  get hasQuit(): boolean {
    return this.#hasQuit
  }

  show(lines: readonly string[]): void {
    if (this.#hasQuit) return
    for (const line of lines) this.#waiting.push(line)
    if (!this.#isAsking) this.#go()
  }

  /** Lines that the person has to see although they want no more. */
  tell(lines: readonly string[]): void {
    if (this.#hasQuit) this.#host.write(lines.map((line) => `${line}\r\n`).join(''))
    else this.show(lines)
  }

  /** Settles when all has been shown, or the person wants no more. */
  shown(): Promise<void> {
    if (!this.#isAsking) return Promise.resolve()
    return new Promise((resolve) => {
      this.#onFree = resolve
    })
  }

  /** A key while it asks. */
  press(key: string): void {
    if (key === 'q' || key === 'Q' || key === 'interrupt' || key === 'deleteOrEnd' || key === 'leave') this.quit()
    else if (key === 'a' || key === 'A' || key === 'end') this.#more(undefined)
    else if (key === 'enter' || key === 'next' || key === 'j') this.#more(1)
    else if (key === ' ' || key === 'pageDown' || key === 'f') this.#more(this.#page)
  }

  /** Shows no more. */
  quit(): void {
    if (this.#hasQuit) return
    this.#hasQuit = true
    this.#waiting = []
    this.#answered()
    this.#host.quit()
    this.#free()
  }

  /** A row is kept for the question, and one so that what went before is still seen. */
  get #page(): number {
    return Math.max(2, this.#host.size().rows - 2)
  }

  #more(rows: number | undefined): void {
    this.#answered()
    this.#room = rows
    this.#go()
    if (!this.#isAsking) this.#free()
  }

  #answered(): void {
    if (!this.#isAsking) return
    this.#isAsking = false
    this.#host.write('\r\x1b[K')
    this.#host.held(false)
  }

  #free(): void {
    const then = this.#onFree
    this.#onFree = undefined
    then?.()
  }

  #go(): void {
    let shown = 0
    for (const line of this.#waiting) {
      if (this.#room !== undefined) {
        const rows = Math.max(1, Math.ceil(textWidth(line) / Math.max(1, this.#host.size().cols)))
        if (this.#room <= 0) break
        this.#room -= rows
      }
      shown++
    }
    if (shown)
      this.#host.write(
        this.#waiting
          .slice(0, shown)
          .map((line) => `${line}\r\n`)
          .join(''),
      )
    this.#waiting = this.#waiting.slice(shown)
    if (!this.#waiting.length) return
    this.#isAsking = true
    this.#host.write(`\x1b[7m${this.#host.question()}\x1b[0m`)
    this.#host.held(true)
  }
}
