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
 * what an editor writes (Ctrl-X Ctrl-E), what was recorded (Ctrl-X e), the line without its mark of a
 * comment (M-#).
 */
const RUNS_OTHERS = [
  [CONTROL_X, CONTROL_E],
  [CONTROL_X, 0x65],
  [ESCAPE, 0x23],
] as const

/**
 * The same keys, and such that run the line, in the form that some programs have terminals send (CSI u, modifyOtherKeys,
 * the keypad): fish reads it whether it asked for it or not.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are keys
const ENCODED = /\x1b(?:\[(?:1[03]|57414|(?:10[69]|111);5)(?:[:;][\d:;]*)?u|\[27;\d+;(?:1[03]|10[69]|111)~|OM)$/
const ENCODED_MAX = 24
/**
 * M-# once more, as one byte: so does bash read it where it knows no other letters than English ones. In Chinese and
 * many other texts it is a part of a letter.
 */
const META_COMMENT = 0xa3

/**
 * What a key runs: the line, something else, or, where the line is a comment, the line without its mark;
 * undefined: nothing.
 */
export type Runs = 'line' | 'others' | 'comment' | undefined

/** Tells which keys run something, by those before them. */
export class RunningKeys {
  #before = 0
  /** The keys of a sequence that has not ended. */
  #sequence = ''

  take(byte: number): Runs {
    const before = this.#before
    this.#before = byte
    if (byte === ESCAPE) this.#sequence = ''
    if (byte === ESCAPE || (this.#sequence && this.#sequence.length < ENCODED_MAX))
      this.#sequence += String.fromCharCode(byte)
    else this.#sequence = ''
    if (ENCODED.test(this.#sequence)) return 'others'
    if (RUNS_OTHERS.some(([first, second]) => before === first && byte === second)) return 'others'
    if (byte === META_COMMENT) return 'comment'
    return LINE_ENDS.has(byte) || (before === ESCAPE && META_A.has(byte)) ? 'line' : undefined
  }
}
