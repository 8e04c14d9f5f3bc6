/** What the client's texts are encoded in; what is unknown is read as UTF-8. */
export class ClientEncoding {
  readonly #names: Readonly<Record<string, string>>
  #decoder = new TextDecoder()
  #isUtf8 = true

  /** `names`: what the protocol calls encodings, with their names among the web's. */
  constructor(names: Readonly<Record<string, string>>) {
    this.#names = names
  }

  /** The server's name for it. */
  set(name: string): void {
    this.#isUtf8 = !(name in this.#names)
    this.#decoder = new TextDecoder(this.#names[name] ?? 'utf-8')
  }

  readonly decode = (bytes: Buffer): string => (this.#isUtf8 ? bytes.toString() : this.#decoder.decode(bytes))

  /** Words of our own: there is no encoder for the others, but all of them have ASCII. */
  readonly encodable = (words: string): string => (this.#isUtf8 ? words : words.replaceAll(/[^\x20-\x7e]/g, '?'))
}
