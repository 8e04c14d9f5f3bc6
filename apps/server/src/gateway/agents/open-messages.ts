import { AppError } from '../../kernel/errors/app-error.ts'

/** Messages that are being answered at a time, on this node and of one person: many of them only wait. */
const MESSAGES_MAX = 500
const MESSAGES_OF_ONE = 20

/** Counts messages of agents while they are answered. */
export class OpenMessages {
  readonly #ofOne = new Map<string, number>()
  #all = 0

  /** @throws AppError 429 where too many are being answered */
  async during<T>(userId: string, work: () => Promise<T>): Promise<T> {
    const own = this.#ofOne.get(userId) ?? 0
    if (own >= MESSAGES_OF_ONE || this.#all >= MESSAGES_MAX)
      throw new AppError(
        429,
        'too_many_requests',
        'Too many messages of agents are being answered: wait for one of them',
      )
    this.#ofOne.set(userId, own + 1)
    this.#all++
    try {
      return await work()
    } finally {
      this.#all--
      const left = (this.#ofOne.get(userId) ?? 1) - 1
      if (left) this.#ofOne.set(userId, left)
      else this.#ofOne.delete(userId)
    }
  }
}
