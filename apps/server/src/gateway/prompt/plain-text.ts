import { cellWidth } from '../kinds/terminal/cell-width.ts'

/**
 * Characters that would control the terminal or are invisible: controls, format characters (such as
 * those that change the direction of writing), private ones, and lone surrogates.
 */
const NOT_TEXT = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\ufffd]/gu
const CUT_MARK = '..'

/**
 * Text that others wrote (names, comments, input), made safe for somebody's terminal: one line
 * without control characters.
 */
export function plainText(text: string): string {
  return text.replace(/\s+/g, ' ').replace(NOT_TEXT, '')
}

/** Columns that a plain text takes. */
export function textWidth(text: string): number {
  let width = 0
  for (const character of text) width += cellWidth(character)
  return width
}

/**
 * The text in exactly so many columns: padded with blanks, or cut with two dots (ASCII, since `…`
 * takes two columns in some Chinese terminals).
 */
export function fitText(text: string, columns: number): string {
  const width = textWidth(text)
  if (width <= columns) return text + ' '.repeat(columns - width)
  const mark = CUT_MARK.slice(0, Math.max(0, columns - 1))
  const start = firstColumns(text, columns - mark.length)
  return start + mark + ' '.repeat(columns - mark.length - textWidth(start))
}

/**
 * As much of the text as fits; a wide character that does not is left out, combining marks of the
 * last character stay.
 */
export function firstColumns(text: string, columns: number): string {
  let width = 0
  let end = 0
  for (const character of text) {
    width += cellWidth(character)
    if (width > columns) break
    end += character.length
  }
  return text.slice(0, end)
}
