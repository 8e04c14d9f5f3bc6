import { readOtherwise } from './read-otherwise.ts'

/** A sign behind what is no letter here: elsewhere it may be the second byte of one. */
const DOUBTFUL = /\ufffd[`\\]/

/** Encoding of the client's texts; an unknown one is read as UTF-8. */
export class ClientEncoding {
  readonly #names: Readonly<Record<string, string>>
  #decoder = new TextDecoder()
  #isUtf8 = true
  #doubts = 0
  /** The server reads them in no other way: false once a client may have changed it in words that are not understood. */
  #isSure = true

  /** `names`: what the protocol calls encodings, with their names among the web's. */
  constructor(names: Readonly<Record<string, string>>) {
    this.#names = names
  }

  /** The server's name for it. */
  set(name: string): void {
    this.#isUtf8 = !Object.hasOwn(this.#names, name)
    this.#decoder = new TextDecoder(this.#isUtf8 ? 'utf-8' : this.#names[name])
  }

  get isSure(): boolean {
    return this.#isSure
  }

  /** Something is sent that may change it. Answers what is to be called once it has surely been changed by that. */
  doubt(): () => void {
    this.#isSure = false
    const doubt = ++this.#doubts
    return () => {
      // Something was sent behind it that may change it again.
      if (doubt === this.#doubts) this.#isSure = true
    }
  }

  readonly decode = (bytes: Buffer): string => (this.#isUtf8 ? bytes.toString() : this.#decoder.decode(bytes))

  /**
   * Other readings of the server, where its encoding is not sure (`isSure`); see
   * `Statement.others`.
   */
  othersOf(bytes: Buffer, decoded: string, isSure = this.isSure): string[] | undefined {
    return isSure && !DOUBTFUL.test(decoded) ? undefined : readOtherwise(bytes)
  }

  /** Likewise of a text of our own, which is always written in UTF-8. */
  othersOfOwn(text: string): string[] | undefined {
    return this.isSure && this.#isUtf8 ? undefined : readOtherwise(Buffer.from(text))
  }

  /** Words of our own: there is no encoder for the others, but all of them have ASCII. */
  readonly encodable = (words: string): string => (this.#isUtf8 ? words : words.replaceAll(/[^\x20-\x7e]/g, '?'))
}
