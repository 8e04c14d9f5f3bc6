/** Counts what each person holds, so that one person's programs leave room for others. */
export class HeldByPeople {
  readonly #limit: number
  readonly #held = new Map<string, number>()

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Answers how to give it back; undefined when the person has reached the limit. */
  take(userId: string): (() => void) | undefined {
    const held = this.#held.get(userId) ?? 0
    if (held >= this.#limit) return undefined
    this.#held.set(userId, held + 1)
    return () => {
      const rest = (this.#held.get(userId) ?? 1) - 1
      if (rest) this.#held.set(userId, rest)
      else this.#held.delete(userId)
    }
  }
}
