/** A line as it follows from the keys alone. */
export interface TypedLine {
  text: string
  /** Everything that was typed, also what was erased again; undefined where nothing was. */
  withErased: string | undefined
  /** Nothing but characters: `text` is all that is in the line. */
  isKnown: boolean
  /** The line before the first key with an unknown effect; empty until then. */
  known: string
  /** The characters since the last other key: the end of what a search looks for. */
  run: string
  /** The machine may have more in the line than its keys say. */
  isDoubted: boolean
  /** Keys may have fetched text of several rows: history, what was killed, what was recorded. */
  mayBeFetched: boolean
  /** Some of its characters are keys to shells that know English letters alone: what they did is to be seen. */
  mayBeKeys: boolean
  /** There was more than is kept. */
  isCut: boolean
  /** It has line ends, as of a paste. */
  hasRows: boolean
}

/** Characters that are kept. */
const LINE_MAX = 64 * 1024
const RUN_MAX = 256
const PASTE_BEGINS = '\x1b[200~'
const PASTE_ENDS = '\x1b[201~'
/** Keys that run a line: return, Ctrl-J, and Ctrl-O, which also fetches the next one. */
const LINE_ENDS: ReadonlySet<string> = new Set(['\r', '\n', '\x0f'])
/** To the line's beginning. Not to its end: some shells take up there what they suggest. */
const TO_BEGIN = '\x01'
const REDRAW = '\x0c'
/** Lists what the line may become, or completes it; zsh expands the history that it names as well. */
const COMPLETION = '\t'
const HISTORY = '!'

const emptyLine = (): TypedLine => ({
  text: '',
  withErased: undefined,
  isKnown: true,
  known: '',
  run: '',
  isDoubted: false,
  mayBeFetched: false,
  mayBeKeys: false,
  isCut: false,
  hasRows: false,
})

const FETCHED = { isKnown: false, mayBeFetched: true }

/** Follows the keys of the line that is being typed, not knowing what the machine makes of them. */
export class KeyedLine {
  line = emptyLine()
  /** The last keys, in which a paste may begin or end. */
  #keys = ''
  /** The line before an escape sequence that may be one of those. */
  #beforeSequence = emptyLine()
  #isPasting = false
  /** The cursor may be anywhere. */
  #hasMoved = false

  begin(): void {
    this.line = emptyLine()
    this.#isPasting = false
    this.#hasMoved = false
  }

  doubt(): void {
    this.line.isDoubted = true
  }

  /** Takes a key. True when it ends the line. `takesPastes`: a line editor takes a paste as text. */
  take(key: string, takesPastes: boolean): boolean {
    this.#keys = (this.#keys + key).slice(-PASTE_BEGINS.length)
    if (takesPastes && (this.#keys === PASTE_BEGINS || this.#keys === PASTE_ENDS)) {
      this.#isPasting = this.#keys === PASTE_BEGINS
      this.line = this.#beforeSequence
    } else if (LINE_ENDS.has(key)) return this.#lineEnd(key)
    else if (key === '\x03' || (key === '\x04' && !this.line.text)) this.begin()
    else this.#follow(key)
    return false
  }

  /** Takes a key that goes to a full-screen program, or to what comes after it. */
  takeUnseen(key: string): void {
    if (LINE_ENDS.has(key)) this.begin()
    else {
      this.#follow(key)
      Object.assign(this.line, FETCHED)
    }
  }

  #follow(key: string): void {
    const { isKnown, text } = this.line
    this.#add(key)
    if (isKnown && !this.line.isKnown) this.line.known = text
  }

  #lineEnd(key: string): boolean {
    if (this.#isPasting && key !== '\x0f') {
      this.#keep('\n')
      this.line.hasRows = true
      return false
    }
    this.begin()
    if (key === '\x0f') Object.assign(this.line, FETCHED)
    return true
  }

  #add(key: string): void {
    const { line } = this
    line.run = isCharacter(key) ? (line.run + key).slice(-RUN_MAX) : ''
    if (key === '\x7f' || key === '\b') this.#erase(line.text.replace(/.$/su, ''))
    else if (key === '\x15') this.#erase('')
    else if (isCharacter(key)) {
      if (this.#hasMoved) line.isKnown = false
      if (key > '\x7f') line.mayBeKeys = true
      this.#keep(key)
    } else {
      if (key === '\x1b') this.#beforeSequence = { ...line }
      if (key === TO_BEGIN) this.#hasMoved = true
      else if (key === COMPLETION) {
        line.isKnown = false
        line.mayBeFetched ||= line.text.includes(HISTORY)
      } else if (key !== REDRAW) Object.assign(line, FETCHED)
    }
  }

  #keep(key: string): void {
    const { line } = this
    if (line.text.length >= LINE_MAX || (line.withErased?.length ?? 0) >= LINE_MAX) line.isCut = true
    else {
      line.text += key
      if (line.withErased !== undefined) line.withErased += key
    }
  }

  /** Which key erases is the machine's affair: what is erased here may be there all the same. */
  #erase(rest: string): void {
    const { line } = this
    if (this.#hasMoved) line.isKnown = false
    line.withErased ??= line.text
    line.text = rest
  }
}

/** Neither a control character nor one of the upper controls (ECMA-48 §5.3). */
const isCharacter = (key: string) => key >= ' ' && !(key >= '\x7f' && key < '\xa0')
