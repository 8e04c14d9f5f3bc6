/** Limits how many do something at a time; others wait, and their owners take turns. */
export class FairSlots {
  #free: number
  /** What waits, of each owner in the order in which it came; the owner whose turn is next is first. */
  readonly #waiting = new Map<string, (() => void)[]>()

  constructor(size: number) {
    this.#free = size
  }

  /** Throws what `work` throws. */
  async use<T>(owner: string, work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--
    else await new Promise<void>((begin) => this.#wait(owner, begin))
    try {
      return await work()
    } finally {
      const next = this.#next()
      if (next) next()
      else this.#free++
    }
  }

  #wait(owner: string, begin: () => void): void {
    const own = this.#waiting.get(owner)
    if (own) own.push(begin)
    else this.#waiting.set(owner, [begin])
  }

  #next(): (() => void) | undefined {
    const [turn] = this.#waiting
    if (!turn) return undefined
    const [owner, own] = turn
    const begin = own.shift()
    // Behind everybody else, also with what is still to come.
    this.#waiting.delete(owner)
    if (own.length) this.#waiting.set(owner, own)
    return begin
  }
}
