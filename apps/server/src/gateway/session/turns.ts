/** Work of the same key runs one after the other, in the order in which it came. */
export class Turns {
  /** The last work of each key. */
  readonly #last = new Map<string, Promise<unknown>>()

  /** Answers or throws what the work does, once it has had its turn. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const mine = (this.#last.get(key) ?? Promise.resolve()).then(work)
    const settled = mine.then(
      () => {},
      () => {},
    )
    this.#last.set(key, settled)
    try {
      return await mine
    } finally {
      if (this.#last.get(key) === settled) this.#last.delete(key)
    }
  }
}
