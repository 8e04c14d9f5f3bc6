/** Limits how many do something at a time; others wait their turn. */
export class Slots {
  #free: number
  readonly #waiting: (() => void)[] = []

  constructor(size: number) {
    this.#free = size
  }

  /** Those who wait for their turn. */
  get waiting(): number {
    return this.#waiting.length
  }

  /** Throws what `work` throws. */
  async use<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#free++
    }
  }
}
