/** Names that must differ within a place, such as an organization; by its letters as they are. */
export class Names {
  readonly #longest: number
  readonly #same: (name: string) => string
  readonly #taken = new Map<string, string>()

  /** `same`: what two names have in common where only one of them may be taken. */
  constructor(longest: number, same: (name: string) => string = (name) => name) {
    this.#longest = longest
    this.#same = same
  }

  /** Takes a name that is in use, by a row of that id. */
  take(place: string, name: string, id: string): void {
    this.#taken.set(this.#key(place, name), id)
  }

  /** The row that has the name. */
  holder(place: string, name: string): string | undefined {
    return this.#taken.get(this.#key(place, name))
  }

  /** The name, or the first one with a number that is free; taken from now on. A row may keep its own. */
  free(place: string, wanted: string, id: string): string {
    for (let number = 1; ; number++) {
      const end = number === 1 ? '' : `-${number}`
      const name = `${[...wanted].slice(0, this.#longest - end.length).join('')}${end}`
      const holder = this.holder(place, name)
      if (holder !== undefined && holder !== id) continue
      this.take(place, name, id)
      return name
    }
  }

  #key(place: string, name: string): string {
    return `${place}\n${this.#same(name)}`
  }
}
