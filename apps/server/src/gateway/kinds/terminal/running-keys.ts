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

/** What a key has run behind the one before: the line, or something else; undefined: nothing. */
export function runBy(byte: number, before: number): 'line' | 'others' | undefined {
  if (RUNS_OTHERS.some(([first, second]) => before === first && byte === second)) return 'others'
  return LINE_ENDS.has(byte) || (before === ESCAPE && META_A.has(byte)) ? 'line' : undefined
}
