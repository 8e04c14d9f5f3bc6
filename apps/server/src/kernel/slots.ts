/** Limits how many do something at a time; others wait, and their owners take turns. */
export class Slots {
  #free: number
  /** What waits, of each owner in the order in which it came; the owner whose turn is next is first. */
  readonly #queues = new Map<string, (() => void)[]>()

  constructor(size: number) {
    this.#free = size
  }

  /** Those who wait for their turn. */
  get waiting(): number {
    return this.#queues.values().reduce((sum, { length }) => sum + length, 0)
  }

  waitingOf(owner: string): number {
    return this.#queues.get(owner)?.length ?? 0
  }

  /** First come, first served, where nobody says whose the work is. Throws what `work` throws. */
  async use<T>(work: () => Promise<T>, owner = ''): Promise<T> {
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
    const own = this.#queues.get(owner)
    if (own) own.push(begin)
    else this.#queues.set(owner, [begin])
  }

  #next(): (() => void) | undefined {
    const [turn] = this.#queues
    if (!turn) return undefined
    const [owner, own] = turn
    const begin = own.shift()
    // Behind everybody else, also with what is still to come.
    this.#queues.delete(owner)
    if (own.length) this.#queues.set(owner, own)
    return begin
  }
}
