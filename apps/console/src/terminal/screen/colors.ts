import type { ITheme } from '@xterm/xterm'

/**
 * The colors of terminals, live and played. The emulator's own red, blue, magenta and grey can hardly be
 * read on this ground; these have a contrast of 4.5 at least. Black stays what programs draw grounds with.
 */
export const TERMINAL_COLORS = {
  background: '#1f1b1b',
  red: '#ef5350',
  blue: '#5b8dd6',
  magenta: '#a87bb0',
  brightBlack: '#858883',
  brightRed: '#ff7b72',
  brightMagenta: '#c79cc4',
} as const satisfies ITheme
