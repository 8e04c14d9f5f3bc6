/**
 * A function that a lower layer calls and a higher one provides at start, since the lower one must
 * not import it: domains do not know the domains after them, nor the gateway.
 */
export class Provided<T extends object> {
  readonly #name: string
  #value: T | undefined

  /**
   * `name`: for the error where nothing was provided; `standard`: used until then, for programs and
   * tests that start without the higher layer.
   */
  constructor(name: string, standard?: T) {
    this.#name = name
    this.#value = standard
  }

  /** Called at start; the last one counts. */
  provide(value: T): void {
    this.#value = value
  }

  /** Throws where nothing was provided. */
  get value(): T {
    if (!this.#value) throw new Error(`nothing provides ${this.#name}`)
    return this.#value
  }
}
