import { statementsIn } from '../statements-in.ts'
import { statementsWithin } from '../statements-within.ts'
import { endOfQuoted, withoutComments } from './without-comments.ts'

/**
 * A statement as Oracle reads it besides what was sent: without comments, and of a block each statement that is in it, or
 * in a text that it runs. Undefined when there are more than are looked at.
 */
export function readStatement(text: string): string[] | undefined {
  const own = statementsOf(text)
  const within = statementsWithin(own.alone, { endOfQuoted, statementsOf })
  if (!within) return undefined
  const found = new Set([...own.texts, ...within])
  found.delete(text)
  return [...found]
}

function statementsOf(text: string) {
  const read = withoutComments(text) ?? text
  const several = statementsIn(read, endOfQuoted)
  return { texts: [read, ...several], alone: several.length ? several : [read] }
}
