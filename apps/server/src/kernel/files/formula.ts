import type { Cell } from './spreadsheet.ts'

/**
 * The beginning of a formula (also in full-width and small characters, as Chinese keyboards produce
 * them), after anything that a program may ignore: blanks and characters that nobody sees, of which
 * some count as letters or marks (fillers of Hangul, selectors of variants).
 */
const FORMULA = /^[\s\p{Cf}\p{Cc}\p{DI}]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20\uFE66\uFE62\uFE63\uFE6B]|^[\t\r\n]/u
const BEGINS_PLAIN = /^[A-Za-z0-9]/
const NUMBER = /^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i

/**
 * Puts a quote before a cell that spreadsheet programs would run as a formula: it may be a name
 * that a user once typed.
 */
export function defuseFormula(cell: Cell): Cell {
  return typeof cell === 'string' && needsQuote(cell) ? `'${cell}` : cell
}

/** Removes such a quote; any other text stays as it is. */
export function restoreFormula(text: string): string {
  return text.startsWith("'") && needsQuote(text.slice(1)) ? text.slice(1) : text
}

/**
 * Also for a text with quotes of its own before the formula: otherwise reading it back would remove
 * one of them.
 */
function needsQuote(text: string): boolean {
  // As nearly all texts do.
  if (BEGINS_PLAIN.test(text)) return false
  const bare = text.replace(/^'+/, '')
  return FORMULA.test(bare) && !NUMBER.test(bare)
}
