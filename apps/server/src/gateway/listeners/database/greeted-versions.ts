/** Addresses that are remembered; who has not come for longest goes first. */
const MAX_ADDRESSES = 10_000
const MAX_CHARACTERS = 100
/** Version for addresses that nobody has come from yet. */
const STANDARD = '5.5.5-10.11.0-MariaDB'

/**
 * A server of MySQL speaks first, and clients go by its version, when nobody knows yet which server
 * a client will be connected to: it gets the version of the one to which the last client from its
 * address was connected.
 */
export class GreetedVersions {
  readonly #byAddress = new Map<string, string>()

  of(address: string): string {
    return this.#byAddress.get(address) ?? STANDARD
  }

  seen(address: string, version: string): void {
    this.#byAddress.delete(address)
    this.#byAddress.set(address, version.slice(0, MAX_CHARACTERS))
    const oldest = this.#byAddress.keys().next().value
    if (this.#byAddress.size > MAX_ADDRESSES && oldest !== undefined) this.#byAddress.delete(oldest)
  }
}
