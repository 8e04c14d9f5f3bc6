/**
 * Limit of inputs that wait for something before them; beyond it only releases of keys and buttons
 * are taken.
 */
const MAX_WAITING = 2000

/** Something a person does; what comes behind one that takes its time waits for it. */
export type Turn = () => Promise<void> | undefined

/** Input of a person to a desktop, in its order, also while a right is checked for a part of it. */
export class InputTurns {
  /** Undefined while nothing takes its time. */
  #waiting: Turn[] | undefined
  readonly #fault: (error: unknown) => void

  /** `fault` hears of what fails behind something else; what comes then has its turn all the same. */
  constructor(fault: (error: unknown) => void) {
    this.#fault = fault
  }

  /** Now, or once all before it is done. Answers whether it has its turn. */
  take(turn: Turn, letsGo = false): boolean {
    if (!this.#waiting) this.#begin(turn)
    else if (this.#waiting.length >= MAX_WAITING && !letsGo) return false
    else this.#waiting.push(turn)
    return true
  }

  /** Whether what comes now waits. */
  get isBusy(): boolean {
    return this.#waiting !== undefined
  }

  /** Waiting input is dropped. */
  forget(): void {
    if (this.#waiting) this.#waiting = []
  }

  #begin(turn: Turn): void {
    const work = turn()
    if (!work) return
    this.#waiting = []
    void work.catch(this.#fault).finally(() => this.#goOn())
  }

  #goOn(): void {
    const waiting = this.#waiting ?? []
    this.#waiting = undefined
    for (const [n, turn] of waiting.entries()) {
      try {
        this.#begin(turn)
      } catch (error) {
        this.#fault(error)
      }
      if (!this.#waiting) continue
      this.#waiting = waiting.slice(n + 1)
      return
    }
  }
}
