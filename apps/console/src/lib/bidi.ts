/** Letters that are read from the right: Hebrew, Arabic, Syriac, Thaana, N’Ko and their forms. */
const FROM_RIGHT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/

/** Whether a text has letters that are read from the right. */
export const isFromRight = (text: string): boolean => FROM_RIGHT.test(text)

const FIRST_STRONG_ISOLATE = '\u2068'
const POP_ISOLATE = '\u2069'

/**
 * A value for the middle of a sentence: without this, one that is read from the right would take numbers and
 * signs beside it to its other end. Others are left as they are.
 */
export function isolated<T extends string | number>(value: T): T | string {
  return typeof value === 'string' && isFromRight(value) ? FIRST_STRONG_ISOLATE + value + POP_ISOLATE : value
}

/** Several names in a line, each where it would be among others. */
export const listed = (names: readonly string[]): string => names.map(isolated).join(', ')
