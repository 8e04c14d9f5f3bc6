/** What stands in an output instead of a secret. */
const MASK = '******'
/** Shorter ones would be found in everything. */
const SHORTEST = 4

/** Takes the secrets that a program was handed out of what it writes, also where they come in two pieces. */
export class Masking {
  readonly #secrets: readonly string[]
  #held = ''

  constructor(secrets: Iterable<string>) {
    this.#secrets = [...secrets]
      .filter((secret) => secret.length >= SHORTEST)
      .map((secret) => Buffer.from(secret).toString('latin1'))
      .sort((one, other) => other.length - one.length)
  }

  /** What may be shown by now. The beginning of a secret is held until it is known whether it goes on. */
  take(bytes: Buffer): Buffer {
    if (!this.#secrets.length) return bytes
    const text = this.#secrets.reduce(
      (so, secret) => so.replaceAll(secret, MASK),
      this.#held + bytes.toString('latin1'),
    )
    const held = Math.max(...this.#secrets.map((secret) => begunAt(text, secret)))
    this.#held = held ? text.slice(-held) : ''
    return Buffer.from(text.slice(0, text.length - held), 'latin1')
  }

  /** What was held to the end, which is no secret. */
  rest(): Buffer {
    const rest = Buffer.from(this.#held, 'latin1')
    this.#held = ''
    return rest
  }
}

/** How many characters at the end of a text are the beginning of a secret. */
function begunAt(text: string, secret: string): number {
  for (let length = Math.min(secret.length - 1, text.length); length > 0; length--)
    if (text.endsWith(secret.slice(0, length))) return length
  return 0
}
