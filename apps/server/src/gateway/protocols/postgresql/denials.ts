import { randomBytes } from 'node:crypto'
import { CLIENT, type ErrorFields, int32, message } from './messages.ts'

/** More than a client can have under way. */
const MAX_WAITING = 100_000

/**
 * Statements that are refused here are refused by the server: in place of each it gets a text that
 * can't be parsed, and its error is given the words of the refusal. So what the server and its
 * client hold of the transaction stays the same, and a pipeline stays in step.
 */
export class Denials {
  readonly #marker = `sallyport_denied_${randomBytes(8).toString('hex')}_`
  readonly #waiting = new Map<string, ErrorFields>()
  #count = 0

  /** Message to the server in place of a query. */
  query(error: ErrorFields): Buffer {
    return message(CLIENT.query, this.#mark(error))
  }

  /** Message to the server in place of a step of a batch, whose rest it leaves out then. */
  step(error: ErrorFields): Buffer {
    const text = this.#mark(error)
    return message(CLIENT.parse, text, text, int32(0).subarray(0, 2))
  }

  /** Error that the client gets instead of the server's; undefined for any other error. */
  instead({ message: words }: ErrorFields): ErrorFields | undefined {
    const at = words.indexOf(this.#marker)
    if (at < 0) return undefined
    const text = /^\w+/.exec(words.slice(at))?.[0] ?? ''
    const error = this.#waiting.get(text)
    this.#waiting.delete(text)
    return error
  }

  #mark(error: ErrorFields): string {
    const text = `${this.#marker}${++this.#count}`
    this.#waiting.set(text, error)
    // The error of a batch that had failed before never comes.
    const oldest = this.#waiting.keys().next().value
    if (this.#waiting.size > MAX_WAITING && oldest !== undefined) this.#waiting.delete(oldest)
    return text
  }
}
