/** Statements that are kept, and characters of all of them. */
const MAX_ENTRIES = 500
const MAX_CHARACTERS = 4 * 1024 * 1024

/** Statements that were run, newest last, and where in them somebody looks. */
export class History {
  readonly #entries: string[] = []
  #characters = 0
  /** Counted from the end; 0 is what the person is typing. */
  #back = 0
  #draft = ''

  add(text: string): void {
    this.#back = 0
    if (!text.trim() || this.#entries.at(-1) === text) return
    this.#entries.push(text)
    this.#characters += text.length
    while (this.#entries.length > MAX_ENTRIES || this.#characters > MAX_CHARACTERS)
      this.#characters -= this.#entries.shift()?.length ?? 0
  }

  /** The next older one, or newer; undefined where there is none. `typed`: the current text. */
  step(direction: 1 | -1, typed: string): string | undefined {
    const back = this.#back + direction
    if (back < 0 || back > this.#entries.length) return undefined
    if (this.#back === 0) this.#draft = typed
    this.#back = back
    return back === 0 ? this.#draft : this.#entries.at(-back)
  }

  /** The newest one that holds the text, among those older than `before` many. */
  search(text: string, before: number): { entry: string; back: number } | undefined {
    for (let back = before + 1; back <= this.#entries.length; back++) {
      const entry = this.#entries.at(-back) as string
      if (entry.includes(text)) return { entry, back }
    }
    return undefined
  }
}
