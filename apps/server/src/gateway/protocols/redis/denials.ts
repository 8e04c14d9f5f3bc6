import { randomBytes } from 'node:crypto'
import { commandBytes } from './command-walker.ts'

/** More than a client can have under way. */
const MAX_WAITING = 100_000

/**
 * Commands that are refused here are refused by the server: in place of each it gets a command that
 * nobody knows, and its error is given the words of the refusal. So a pipeline stays in step, and a
 * transaction is aborted as by any error.
 */
export class Denials {
  readonly #marker = `sallyport_denied_${randomBytes(8).toString('hex')}_`
  readonly #waiting = new Map<string, string>()
  #count = 0

  /** Command to the server instead. `code`: the beginning of an error. */
  command(code: 'NOPERM' | 'ERR', words: string): Buffer {
    const name = `${this.#marker}${++this.#count}`
    this.#waiting.set(name, `${code} ${words.replaceAll(/[\r\n]+/g, ' ')}`)
    const oldest = this.#waiting.keys().next().value
    if (this.#waiting.size > MAX_WAITING && oldest !== undefined) this.#waiting.delete(oldest)
    return commandBytes([name])
  }

  /** Error that replaces the server's; undefined for any other. */
  instead(error: string): string | undefined {
    const at = error.indexOf(this.#marker)
    if (at < 0) return undefined
    const name = /^\w+/.exec(error.slice(at))?.[0] ?? ''
    const words = this.#waiting.get(name)
    this.#waiting.delete(name)
    return words
  }
}

/** An error as a server says it. */
export const errorReply = (words: string): Buffer => Buffer.from(`-${words.replaceAll(/[\r\n]+/g, ' ')}\r\n`)
