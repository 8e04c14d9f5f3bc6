import { CloudError } from './cloud-error.ts'

/** A new token is requested so long before the old one ends. */
const EARLY_MS = 60_000

/** Holds the token of a cloud as long as it is good, and asks for the next one. */
export class TokenKeeper {
  readonly #ask: () => Promise<{ token: string; seconds: number }>
  #token = ''
  #until = 0

  constructor(ask: () => Promise<{ token: string; seconds: number }>) {
    this.#ask = ask
  }

  async now(): Promise<string> {
    if (Date.now() < this.#until - EARLY_MS) return this.#token
    const { token, seconds } = await this.#ask()
    if (!/^[\x21-\x7e]+$/.test(token)) throw new CloudError('unreadable', 'no token')
    this.#token = token
    this.#until = Date.now() + seconds * 1000
    return token
  }
}
