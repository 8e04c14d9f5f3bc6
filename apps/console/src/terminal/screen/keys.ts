/**
 * The meaning of a key press before the terminal itself sees it (contract web-terminal,
 * terminal_page.copy_paste).
 */

export type KeyMeaning = 'copy' | 'browser' | 'leave' | 'find' | 'terminal'

type Press = Pick<KeyboardEvent, 'type' | 'key' | 'ctrlKey' | 'altKey' | 'metaKey' | 'isComposing'> & {
  shiftKey?: boolean
}

/**
 * Ctrl+C copies where something is selected and is sent otherwise; Ctrl+V is left to the browser,
 * which pastes. Ctrl+Shift+F, or Cmd+F, opens the search. Tab is the machine's, so that Ctrl+F6 is the way out for who has no mouse (WCAG
 * 2.1.2); a screen that only shows keeps no key.
 */
export function keyMeaning(press: Press, hasSelection: boolean, readOnly = false): KeyMeaning {
  // While an input method composes, every key is its own: taking one would lose or double a
  // character.
  if (press.isComposing || press.type !== 'keydown') return 'terminal'
  if (readOnly && press.key === 'Tab') return 'browser'
  if (isFind(press)) return 'find'
  if (!press.ctrlKey || press.altKey || press.metaKey) return 'terminal'
  const key = press.key.toLowerCase()
  if (key === 'f6') return 'leave'
  if (key === 'c' && hasSelection) return 'copy'
  return key === 'v' ? 'browser' : 'terminal'
}

/** Ctrl+F alone is a key of many programs: it stays theirs. */
const isFind = ({ key, ctrlKey, shiftKey, altKey, metaKey }: Press): boolean =>
  key.toLowerCase() === 'f' && !altKey && (metaKey ? !ctrlKey && !shiftKey : ctrlKey && shiftKey === true)

/** The bytes sent for input: Backspace as Ctrl+H for hosts that want it so. */
export function inputBytes(input: string, backspaceAsCtrlH: boolean): Uint8Array {
  return new TextEncoder().encode(backspaceAsCtrlH && input === '\x7f' ? '\b' : input)
}

/** Bytes of input that is not text (old mouse reports): one character, one byte. */
export function rawBytes(input: string): Uint8Array {
  return Uint8Array.from(input, (character) => character.charCodeAt(0) & 0xff)
}
