import type { SecretKey } from './secret-key.ts'

/**
 * The keys that this process holds: all of them open, one of them seals. Which one stands in the
 * database (installation-key.ts).
 */
export class KeyRing {
  readonly #keys = new Map<string, SecretKey>()
  #current: SecretKey

  /** @param keys at least one; the first one seals until told otherwise */
  constructor(keys: readonly SecretKey[]) {
    const [first] = keys
    if (!first) throw new Error('a key ring holds at least one key')
    this.#current = first
    this.add(keys)
  }

  /** The key that seals. */
  get current(): SecretKey {
    return this.#current
  }

  /** All keys, the one that seals first. */
  get all(): SecretKey[] {
    return [this.#current, ...[...this.#keys.values()].filter(({ id }) => id !== this.#current.id)]
  }

  find(id: string): SecretKey | undefined {
    return this.#keys.get(id)
  }

  /**
   * Keys are never taken out: a value that was read a moment before its key was retired still
   * opens.
   */
  add(keys: readonly SecretKey[]): void {
    for (const key of keys) this.#keys.set(key.id, key)
  }

  /** From now on secrets are sealed under this key; throws when it is not on the ring. */
  sealUnder(id: string): void {
    const key = this.#keys.get(id)
    if (!key) throw new Error(`this process does not hold the key ${id}`)
    this.#current = key
  }
}
