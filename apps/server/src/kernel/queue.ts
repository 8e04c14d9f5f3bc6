/** When so many places at the beginning are empty, they go. */
const SURPLUS = 1024

/**
 * First in, first out, at the same cost however many wait: an array would move all others for each that goes. What has
 * gone is not held.
 */
export class Queue<Item> {
  #items: (Item | undefined)[] = []
  #first = 0

  get length(): number {
    return this.#items.length - this.#first
  }

  /** The one that goes next. */
  get head(): Item | undefined {
    return this.#items[this.#first]
  }

  /** The one that goes last. */
  get last(): Item | undefined {
    return this.length ? this.#items.at(-1) : undefined
  }

  push(item: Item): void {
    this.#items.push(item)
  }

  /** It has gone, and goes next once more. */
  putBack(item: Item): void {
    if (this.#first) this.#items[--this.#first] = item
    else this.#items.unshift(item)
  }

  shift(): Item | undefined {
    const item = this.head
    if (!this.length) return undefined
    this.#items[this.#first++] = undefined
    if (!this.length) this.clear()
    else if (this.#first > SURPLUS) {
      this.#items.splice(0, this.#first)
      this.#first = 0
    }
    return item
  }

  /** All that are left, in their order. */
  all(): Item[] {
    return this.#items.slice(this.#first) as Item[]
  }

  clear(): void {
    this.#items = []
    this.#first = 0
  }
}
