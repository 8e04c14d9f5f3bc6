import { RegExpParser } from '@eslint-community/regexpp'
import { type Growth, matchingSteps, WITHOUT_BOUND } from './matching-steps.ts'
import { neededLiterals } from './needed-literals.ts'

/** An administrator's regular expression, with what can be said of it before it is tried. */
export interface Expression {
  regexp: RegExp
  /** See `neededLiterals`. */
  literals: readonly string[] | undefined
  /** See `matchingSteps`. */
  steps: Growth
}

/** Many people are under the same rules: each expression is read once, so many are kept. */
const MAX_KEPT = 2000
const kept = new Map<string, Expression | undefined>()
const parser = new RegExpParser()

/** Undefined for what can't be compiled. */
export function expressionOf(pattern: string, ignoreCase: boolean): Expression | undefined {
  const flags = ignoreCase ? 'i' : ''
  const key = `${flags}/${pattern}`
  if (!kept.has(key)) {
    if (kept.size >= MAX_KEPT) kept.clear()
    kept.set(key, compiled(pattern, flags))
  }
  return kept.get(key)
}

function compiled(pattern: string, flags: string): Expression | undefined {
  try {
    return { regexp: new RegExp(pattern, flags), ...readOff(pattern) }
  } catch {
    return undefined
  }
}

/** Undefined for an expression that the parser does not understand, or that is too deep for it. */
function readOff(pattern: string): Omit<Expression, 'regexp'> {
  try {
    const parsed = parser.parsePattern(pattern)
    return { literals: neededLiterals(parsed), steps: matchingSteps(parsed) }
  } catch {
    return { literals: undefined, steps: WITHOUT_BOUND }
  }
}
