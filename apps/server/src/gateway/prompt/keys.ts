/** A pressed key: a character of text, or the name of a key. */
export type Key = { character: string } | { key: KeyName }

export type KeyName =
  | 'enter'
  | 'interrupt'
  | 'deleteOrEnd'
  | 'backspace'
  | 'delete'
  | 'left'
  | 'right'
  | 'wordLeft'
  | 'wordRight'
  | 'home'
  | 'end'
  | 'previous'
  | 'next'
  | 'killToStart'
  | 'killToEnd'
  | 'killWord'
  | 'killWordRight'
  | 'yank'
  | 'clearScreen'
  | 'complete'
  | 'search'
  | 'leave'
  | 'pasteBegins'
  | 'pasteEnds'
  | 'pageUp'
  | 'pageDown'

const CONTROLS: Readonly<Record<string, KeyName>> = {
  '\x01': 'home',
  '\x02': 'left',
  '\x03': 'interrupt',
  '\x04': 'deleteOrEnd',
  '\x05': 'end',
  '\x06': 'right',
  '\x07': 'leave',
  '\x09': 'complete',
  '\x08': 'backspace',
  '\x0b': 'killToEnd',
  '\x0c': 'clearScreen',
  '\x0e': 'next',
  '\x10': 'previous',
  '\x12': 'search',
  '\x15': 'killToStart',
  '\x17': 'killWord',
  '\x19': 'yank',
  '\x7f': 'backspace',
}
/** Bytes behind `ESC [` or `ESC O`, without the modifiers that terminals add to arrows. */
const SEQUENCES: Readonly<Record<string, KeyName>> = {
  A: 'previous',
  B: 'next',
  C: 'right',
  D: 'left',
  H: 'home',
  F: 'end',
  '1~': 'home',
  '7~': 'home',
  '3~': 'delete',
  '4~': 'end',
  '8~': 'end',
  '5~': 'pageUp',
  '6~': 'pageDown',
  '200~': 'pasteBegins',
  '201~': 'pasteEnds',
  '1;3C': 'wordRight',
  '1;3D': 'wordLeft',
  '1;5C': 'wordRight',
  '1;5D': 'wordLeft',
}
const WITH_ALT: Readonly<Record<string, KeyName>> = {
  b: 'wordLeft',
  f: 'wordRight',
  d: 'killWordRight',
  '\x7f': 'killWord',
  '\x08': 'killWord',
}
/** A longer sequence is invalid, and dropped. */
const MAX_SEQUENCE = 32
/**
 * Answers of a terminal to a query (OSC, DCS, APC, …) are skipped up to their end, but no further
 * than this.
 */
const MAX_STRING = 1024
/** Joiners are part of words in some scripts, and of emoji. */
const NOT_TEXT = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\ufffd]/u

type State = 'text' | 'escape' | 'sequence' | 'single' | 'string'

/**
 * Turns the bytes of a terminal into keys. Characters and sequences may be split anywhere; anything
 * that is neither key nor text is dropped.
 */
export class KeyReader {
  readonly #decoder = new TextDecoder('utf-8')
  #state: State = 'text'
  #sequence = ''
  #afterReturn = false

  read(bytes: Buffer): Key[] {
    const keys: Key[] = []
    for (const character of this.#decoder.decode(bytes, { stream: true })) {
      const key = this.#take(character)
      if (key) keys.push(key)
    }
    return keys
  }

  #take(character: string): Key | undefined {
    const wasReturn = this.#afterReturn
    this.#afterReturn = character === '\r'
    // Line ends and Ctrl-C always work: an unfinished sequence must not leave a person with a dead
    // keyboard.
    if (character === '\n' || character === '\r' || character === '\x03') {
      this.#state = 'text'
      if (character === '\x03') return { key: 'interrupt' }
      return character === '\n' && wasReturn ? undefined : { key: 'enter' }
    }
    switch (this.#state) {
      case 'text':
        return this.#text(character)
      case 'escape':
        return this.#afterEscape(character)
      case 'sequence':
        return this.#inSequence(character)
      case 'single':
        this.#state = 'text'
        return named(SEQUENCES[character])
      case 'string':
        return this.#inString(character)
    }
  }

  #text(character: string): Key | undefined {
    if (character === '\x1b') this.#state = 'escape'
    else if (CONTROLS[character]) return named(CONTROLS[character])
    else if (!NOT_TEXT.test(character)) return { character }
    return undefined
  }

  #afterEscape(character: string): Key | undefined {
    this.#sequence = ''
    this.#state =
      character === '[' ? 'sequence' : character === 'O' ? 'single' : ']PX^_'.includes(character) ? 'string' : 'text'
    if (character === '\x1b') this.#state = 'escape'
    return this.#state === 'text' ? named(WITH_ALT[character]) : undefined
  }

  /** ECMA-48 §5.4: parameters and intermediates, then one final byte. */
  #inSequence(character: string): Key | undefined {
    this.#sequence += character
    if (character >= '@' && character <= '~') {
      this.#state = 'text'
      return named(SEQUENCES[this.#sequence])
    }
    if (character < ' ' || character > '~' || this.#sequence.length > MAX_SEQUENCE)
      this.#state = character === '\x1b' ? 'escape' : 'text'
    return undefined
  }

  #inString(character: string): undefined {
    this.#sequence += character
    if (character === '\x07' || this.#sequence.length > MAX_STRING) this.#state = 'text'
    // ST is `ESC \\`, whose backslash the escape state swallows.
    else if (character === '\x1b') this.#state = 'escape'
  }
}

const named = (key: KeyName | undefined): Key | undefined => key && { key }
