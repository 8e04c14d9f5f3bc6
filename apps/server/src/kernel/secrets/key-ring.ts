import type { SecretKey } from './secret-key.ts'

/**
 * The keys that this process holds. Any of them can open; one of them seals, and the database says
 * which (installation-key.ts).
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

  /** All keys, beginning with the one that seals. */
  get all(): SecretKey[] {
    return [this.#current, ...[...this.#keys.values()].filter(({ id }) => id !== this.#current.id)]
  }

  find(id: string): SecretKey | undefined {
    return this.#keys.get(id)
  }

  /**
   * Keys are never removed: a value read just before its key was retired must still open.
   */
  add(keys: readonly SecretKey[]): void {
    for (const key of keys) this.#keys.set(key.id, key)
  }

  /** Seals under this key from now on; throws if it is not on the ring. */
  sealUnder(id: string): void {
    const key = this.#keys.get(id)
    if (!key) throw new Error(`this process does not hold the key ${id}`)
    this.#current = key
  }
}
