/**
 * How much room the column of actions wants: known before any row is there, from the actions that
 * its rows can have, so that it neither moves nor is cut.
 */
import { t } from '../../../lib/i18n.ts'
import type { RowAction } from '../../view/actions.ts'

/** Actions that are there in words; of more, the first does and the others are behind a sign. */
export const MOST_IN_WORDS = 2

/** Padding around the column's words, and its head. */
const AROUND = 24
const LEAST = 88
/** Around the word of an action, and the gap before the next. */
const AROUND_WORD = 14
const SIGN = 30
/** In the widest of the fonts that systems have. */
const LETTER = 8.4
const CHINESE_LETTER = 14.2

const wordWidth = ({ title }: RowAction): number =>
  [...t(title)].reduce((sum, letter) => sum + (letter > '\u2e7f' ? CHINESE_LETTER : LETTER), AROUND_WORD)

/** The widest that a row can be, in pixels, whichever of these it has; they come in their order. */
export function actionsWidth(inOrder: readonly RowAction[]): number {
  return Math.max(LEAST, Math.ceil(AROUND + widest(inOrder, [])))
}

/** Rows that have `present` of the actions before these. */
function widest([next, ...rest]: readonly RowAction[], present: readonly RowAction[]): number {
  // Beyond the words it makes no difference which others there are.
  if (present.length > MOST_IN_WORDS) return shownWidth(present)
  if (!next) return shownWidth(present)
  const having = widest(rest, [...present, next])
  return next.has ? Math.max(having, widest(rest, present)) : having
}

function shownWidth(present: readonly RowAction[]): number {
  const isFolded = present.length > MOST_IN_WORDS
  const words = isFolded ? present.slice(0, 1) : present
  return words.reduce((sum, action) => sum + wordWidth(action), isFolded ? SIGN : 0)
}
