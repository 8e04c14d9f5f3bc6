/** Names of colors and fonts that a person may choose for terminals; `themes.ts` has the values. */

export const THEME_NAMES = ['dark', 'light', 'black', 'paper', 'night'] as const
export type ThemeName = (typeof THEME_NAMES)[number]

/**
 * Families that a person may choose; a browser draws the first that the computer has. The usual ones stand
 * behind each, and those of Chinese behind all.
 */
export const FONT_NAMES = [
  'JetBrains Mono',
  'Cascadia Mono',
  'Consolas',
  'Menlo',
  'Fira Code',
  'Source Code Pro',
  'DejaVu Sans Mono',
  'Liberation Mono',
  'Courier New',
] as const
export type FontName = 'auto' | (typeof FONT_NAMES)[number]
