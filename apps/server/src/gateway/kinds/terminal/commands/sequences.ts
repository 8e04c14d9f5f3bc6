/** Longest escape sequence; an unfinished one of this length is dropped. */
const MAX_SEQUENCE = 256

// biome-ignore lint/suspicious/noControlCharactersInRegex: ESC starts them
const STRING_START = /^\x1b[\]PX^_]$/

/** Takes the escape sequences out of a terminal's output (ECMA-48 §5.4), character by character. */
export class Sequences {
  #sequence = ''
  /** Within a title or another string for the terminal, which no line shows. */
  #inString = false

  get inString(): boolean {
    return this.#inString
  }

  /** The sequence that a character completes; empty where it belongs to one; undefined for all others. */
  take(character: string): string | undefined {
    if (this.#inString && character >= ' ') return ''
    // No such string contains control characters: the line's end must not be lost in an unfinished
    // one.
    this.#inString = false
    if (character === '\x1b' || character === '\x18' || character === '\x1a') {
      // ESC begins another sequence, CAN and SUB cancel one: all three end an unfinished one.
      this.#sequence = character === '\x1b' ? character : ''
      return ''
    }
    // Other controls work inside a sequence as anywhere else.
    if (!this.#sequence || character < ' ') return undefined
    const sequence = this.#sequence + character
    this.#inString = STRING_START.test(sequence)
    const isOver = this.#inString || isComplete(sequence) || sequence.length > MAX_SEQUENCE
    this.#sequence = isOver ? '' : sequence
    return !this.#inString && isComplete(sequence) ? sequence : ''
  }
}

/**
 * Whether an escape sequence is complete: CSI with its final letter, others with one or two
 * characters.
 */
function isComplete(sequence: string): boolean {
  const second = sequence[1] ?? ''
  if (second === '[') return sequence.length > 2 && /[@-~]$/.test(sequence)
  if ('()*+-./#%'.includes(second)) return sequence.length === 3
  return true
}
