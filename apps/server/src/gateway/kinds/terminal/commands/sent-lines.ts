import type { BegunCommand } from '../../../session/command-log.ts'
import type { Typist } from '../../../session/typist.ts'

export type Grounds = BegunCommand['grounds']

/** A line as it was typed, for recognizing it on the screen; never kept longer than that. */
export interface SentLine {
  text: string
  /** Nothing but characters and backspace, so that its look is known. */
  isPlain: boolean
  /** A paste had line ends: the line editor shows several rows and accepts them together. */
  hasRows: boolean
  /** The person who pressed return. */
  by?: Typist | undefined
  grounds?: Grounds
}

/** A key, and what is known of it. */
export interface TypedKey {
  key: string
  /** It runs the line. */
  endsLine: boolean
  /** A line editor takes a paste as text, line ends included. */
  takesPastes: boolean
  by: Typist | undefined
  grounds: Grounds
}

const TYPED_MAX = 1024
const SENT_MAX = 1000
/** Bracketed paste: what terminals send around a paste. */
const PASTE_BEGINS = '\x1b[200~'
const PASTE_ENDS = '\x1b[201~'
/** Keys of zsh that set the line aside: push-line, run-help, which-command. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are keys
const SETS_ASIDE = /(?:\x1b[qQhH?]|\x11)$/

const emptyLine = (): SentLine => ({ text: '', isPlain: true, hasRows: false })

/** The line that is being typed, and those whose return was typed and that the cursor has not left yet. */
export class SentLines {
  #sent: SentLine[] = []
  #typing = emptyLine()
  /** The last keys, in which a paste may begin or end. */
  #keys = ''
  #pasting = false

  /** The one that the cursor leaves next. */
  get first(): SentLine | undefined {
    return this.#sent[0]
  }

  get isPasting(): boolean {
    return this.#pasting
  }

  /** The last keys have set a line aside. */
  get isSetAside(): boolean {
    return SETS_ASIDE.test(this.#keys)
  }

  /** Takes a key, and tells what it does to the line. */
  take({ key, endsLine, takesPastes, by, grounds }: TypedKey): 'sent' | 'abandoned' | undefined {
    const line = this.#typing
    this.#keys = (this.#keys + key).slice(-PASTE_BEGINS.length)
    if (this.#keys === PASTE_BEGINS) this.#pasting = takesPastes
    else if (this.#keys === PASTE_ENDS) this.#pasting = false
    if (this.#pasting && (key === '\r' || key === '\n')) {
      line.isPlain = false
      line.hasRows = true
    } else if (endsLine) {
      if (this.#sent.length < SENT_MAX) this.#sent.push(Object.assign(line, { by, grounds }))
      this.#typing = emptyLine()
      return 'sent'
    } else if (key === '\x03' || (key === '\x04' && !line.text)) {
      this.abandon()
      return 'abandoned'
    } else if (key === '\x7f') line.text = line.text.slice(0, -1)
    else if (key < ' ') line.isPlain = false
    else if (line.text.length < TYPED_MAX) line.text += key
    return undefined
  }

  /** The line that is being typed is given up. */
  abandon(): void {
    this.#pasting = false
    this.#typing = emptyLine()
  }

  /** The cursor leaves the first one. */
  leave(): SentLine | undefined {
    return this.#sent.shift()
  }

  /** None is waited for any more. */
  forget(): void {
    this.#sent = []
  }
}
