const TAB = 0x09
const RETURN = 0x0d
const LINE_FEED = 0x0a
/** In line editors it runs the line, and fetches the next one of the history. */
const CONTROL_O = 0x0f
/** Hands over what is typed, where no line editor is on. */
export const CONTROL_D = 0x04
const CONTROL_E = 0x05
const CONTROL_X = 0x18
const ESCAPE = 0x1b
const LINE_ENDS: ReadonlySet<number> = new Set([RETURN, LINE_FEED, CONTROL_O, CONTROL_D])
/** Behind an escape: runs the line and keeps it (zsh). */
const META_A: ReadonlySet<number> = new Set([0x61, 0x41])
/**
 * Keys of line editors that run something else than the line that is shown, behind the key before:
 * the text of an editor (Ctrl-X Ctrl-E), recorded keys (Ctrl-X e), the line without its mark of a
 * comment (M-#).
 */
const RUNS_OTHERS = [
  [CONTROL_X, CONTROL_E],
  [CONTROL_X, 0x65],
  [ESCAPE, 0x23],
] as const

/**
 * Keys by which shells expand the line, and so run its substitutions: M-Ctrl-E (bash), Ctrl-X *,
 * Ctrl-X g (zsh), Esc Esc, Esc * and Esc = (ksh); and by itself Tab (zsh, ksh).
 */
const EXPANDS = [
  [ESCAPE, CONTROL_E],
  [CONTROL_X, 0x2a],
  [CONTROL_X, 0x67],
  [CONTROL_X, 0x47],
  [ESCAPE, ESCAPE],
  [ESCAPE, 0x2a],
  [ESCAPE, 0x3d],
] as const
/** Without these there is no substitution. */
const SUBSTITUTES: ReadonlySet<number> = new Set([0x28, 0x60])
const ERASES: ReadonlySet<number> = new Set([0x08, 0x7f])

/**
 * The same keys, and such that run the line, in the form that some programs have terminals send (CSI u, modifyOtherKeys,
 * the keypad): fish reads it whether it asked for it or not
 * (https://sw.kovidgoyal.net/kitty/keyboard-protocol, xterm's modifyOtherKeys).
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are keys
const ENCODED = /^\x1b\[[<=>]?([\d:;]*)([u~])$/
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are keys
const KEYPAD_RETURN = /^\x1bO\d*M$/
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are keys
const UNDER_WAY = /^\x1b(?:\[[\x20-\x3f]*|O\d*)?$/
/** A longer one is not read; it may be one of those. */
const ENCODED_MAX = 64
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are keys
const MAY_BE_ENCODED = /^\x1b(?:\[.*[u~]|O.*M)$/
/** Return, Ctrl-J, Return of the keypad. */
const RETURNS: ReadonlySet<number> = new Set([RETURN, LINE_FEED, 57414])
/** j, m and o with Ctrl; with Shift some terminals name the capital letter. */
const WITH_CONTROL: ReadonlySet<number> = new Set([106, 109, 111, 74, 77, 79])
const CONTROL = 4
/** The first number of a sequence by modifyOtherKeys, whose key comes last. */
const OTHER_KEYS = 27
/**
 * M-# once more, as one byte: so does bash read it where it knows no other letters than English ones. In Chinese and
 * many other texts it is a part of a letter.
 */
const META_COMMENT = 0xa3

const BEGINS: ReadonlySet<number> = new Set([ESCAPE, CONTROL_X, 0x16, 0x11])
/** Whether a key is the first of two, such as those that quote: what comes behind it is no key of its own. */
export const isBegun = (byte: number): boolean => BEGINS.has(byte)

/**
 * Effect of a key that runs something: the line, something else, the substitutions in the line, or,
 * where the line is a comment, the line without its mark; undefined: nothing.
 */
export type Runs = 'line' | 'others' | 'substitutions' | 'comment' | undefined

/** Tells which keys run something, by those before them. */
export class RunningKeys {
  #before = 0
  /** The keys of a sequence that has not ended. */
  #sequence = ''
  /** The line has other keys than characters, which may have brought anything. */
  #isEdited = false
  #maySubstitute = false

  take(byte: number): Runs {
    const before = this.#before
    this.#before = byte
    const isPair = ([first, second]: readonly [number, number]) => before === first && byte === second
    if (this.#endsEncoded(byte) || RUNS_OTHERS.some(isPair)) return 'others'
    if (byte === META_COMMENT) return 'comment'
    if (LINE_ENDS.has(byte) || (before === ESCAPE && META_A.has(byte))) {
      this.#endLine()
      return 'line'
    }
    const isExpanding = byte === TAB || EXPANDS.some(isPair)
    if (isExpanding && this.#maySubstitute) return 'substitutions'
    if (byte < 0x20 && byte !== TAB && !ERASES.has(byte)) this.#isEdited = true
    if (this.#isEdited || SUBSTITUTES.has(byte)) this.#maySubstitute = true
    return undefined
  }

  /**
   * The effect of keys that are no characters may still be in the line: its return may have ended a
   * search alone.
   */
  #endLine(): void {
    this.#maySubstitute = this.#isEdited
    this.#isEdited = false
  }

  #endsEncoded(byte: number): boolean {
    if (byte !== ESCAPE && !this.#sequence) return false
    const sequence = (byte === ESCAPE ? '' : this.#sequence) + String.fromCharCode(byte)
    const isLong = sequence.length > ENCODED_MAX
    if (!UNDER_WAY.test(sequence)) this.#sequence = ''
    else if (!isLong) this.#sequence = sequence
    return isLong ? MAY_BE_ENCODED.test(sequence) : runsEncoded(sequence)
  }
}

/** Numbers may begin with zeros, each may have others behind a colon, and locks are modifiers as well. */
function runsEncoded(sequence: string): boolean {
  const [, numbers, end] = ENCODED.exec(sequence) ?? []
  if (numbers === undefined) return KEYPAD_RETURN.test(sequence)
  const [first = [], [modifiers = 0] = [], third = []] = numbers.split(';').map((one) => one.split(':').map(Number))
  if (end === '~' && first[0] !== OTHER_KEYS) return false
  const isWithControl = ((Math.max(modifiers, 1) - 1) & CONTROL) > 0
  const keys = end === '~' ? third : first
  return keys.some((key) => RETURNS.has(key) || (isWithControl && WITH_CONTROL.has(key)))
}
