/** Replacement of a secret in an output. */
const MASK = '******'
/** Shorter ones would be found in everything. */
const SHORTEST = 4

/** Takes the secrets that a program was handed out of what it writes, also where they come in two pieces. */
export class Masking {
  readonly #secrets: readonly string[]
  /** Any of them, at each place the longest. */
  readonly #any: RegExp
  #held = ''

  constructor(secrets: Iterable<string>) {
    this.#secrets = [...secrets]
      .filter((secret) => secret.length >= SHORTEST)
      .map((secret) => Buffer.from(secret).toString('latin1'))
      .sort((one, other) => other.length - one.length)
    this.#any = new RegExp(this.#secrets.map((secret) => secret.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|'), 'g')
  }

  /**
   * Output that may be shown by now. The beginning of a secret is held until it is known whether it
   * goes on, also where a shorter secret is there already.
   */
  take(bytes: Buffer): Buffer {
    if (!this.#secrets.length) return bytes
    const text = this.#held + bytes.toString('latin1')
    let shown = ''
    let from = 0
    let held = this.#beginsIn(text, from)
    for (const { 0: secret, index } of text.matchAll(this.#any)) {
      if (index >= held) break
      shown += text.slice(from, index) + MASK
      from = index + secret.length
      // A masked text is the beginning of no other.
      if (from > held) held = this.#beginsIn(text, from)
    }
    this.#held = text.slice(held)
    return Buffer.from(shown + text.slice(from, held), 'latin1')
  }

  /** Output that was held to the end, which goes on as no secret. */
  rest(): Buffer {
    const rest = this.#secrets.length ? this.#held.replace(this.#any, MASK) : ''
    this.#held = ''
    return Buffer.from(rest, 'latin1')
  }

  /**
   * Place in a text, at or behind `from`, where the first secret begins that may go on behind its
   * end.
   */
  #beginsIn(text: string, from: number): number {
    const left = text.slice(from)
    return text.length - Math.max(...this.#secrets.map((secret) => begunAt(left, secret)))
  }
}

/** How many characters at the end of a text are the beginning of a secret. */
function begunAt(text: string, secret: string): number {
  for (let length = Math.min(secret.length - 1, text.length); length > 0; length--)
    if (text.endsWith(secret.slice(0, length))) return length
  return 0
}
