import type { Cell } from './spreadsheet.ts'

/**
 * What begins a formula, also written wide as Chinese keyboards do, behind whatever a program may
 * pass over: blanks and signs without a width.
 */
const FORMULA = /^[\s\p{Cf}\p{Cc}]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]|^[\t\r\n]/u
const NUMBER = /^[+-]?\d+(\.\d+)?$/

/**
 * A cell that starts like a formula is run by spreadsheet programs, with whatever a user once typed
 * as a name: a quote goes before it.
 */
export function defuseFormula(cell: Cell): Cell {
  return typeof cell === 'string' && needsQuote(cell) ? `'${cell}` : cell
}

/** The text that was defused; any other stays as it is. */
export function restoreFormula(text: string): string {
  return text.startsWith("'") && needsQuote(text.slice(1)) ? text.slice(1) : text
}

/**
 * Also of a text that has quotes of its own before the formula: else reading it back would take one
 * of them for ours.
 */
function needsQuote(text: string): boolean {
  const bare = text.replace(/^'+/, '')
  return FORMULA.test(bare) && !NUMBER.test(bare)
}
