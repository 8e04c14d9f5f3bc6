import { type SQL, sql } from 'drizzle-orm'
import { escapeLike } from '../../../kernel/resource/conditions.ts'

/** A text that is looked for anywhere in another, whatever the case. */
export interface TextSearch {
  /** For ILIKE. */
  pattern: string
  /** An index of trigrams can find it. */
  isIndexed: boolean
  /** Whether a column has it, by the column's index of trigrams. */
  in(column: SQL): SQL
}

/** Three letters in a row, the end of a word or its beginning: an index of trigrams has nothing else. */
const TRIGRAM = /[\p{L}\p{N}]{3}|[\p{L}\p{N}]{2}[^\p{L}\p{N}]|[^\p{L}\p{N}][\p{L}\p{N}]/u
/**
 * The index is asked for so many trigrams, and the rows that it finds for the whole text. It reads
 * all rows of every one: with a command of 45 characters (ten million rows) that took 30 times as
 * long as with the eight of its words that say most.
 */
const TRIGRAMS = 8

export function textSearch(text: string): TextSearch {
  const pattern = `%${escapeLike(text)}%`
  const words = tellingWords(text).map((word) => `%${word}%`)
  return {
    pattern,
    isIndexed: TRIGRAM.test(text),
    in: (column) =>
      words.length
        ? // The whole text is no business of the index: it looks at no expression.
          sql`(${column} || '' ILIKE ${pattern} AND ${sql.join(
            words.map((word) => sql`${column} ILIKE ${word}`),
            sql` AND `,
          )})`
        : sql`${column} ILIKE ${pattern}`,
  }
}

/** Numbers and names with digits, then the longest words, or the beginnings of very long ones; none where the text is short enough as a whole. */
function tellingWords(text: string): string[] {
  if (text.length <= TRIGRAMS + 2) return []
  const words = [...new Set<string>(text.match(/[\p{L}\p{N}]{3,10}/gu))]
  words.sort((one, other) => Number(/\d/.test(other)) - Number(/\d/.test(one)) || other.length - one.length)
  const chosen: string[] = []
  let trigrams = 0
  for (const word of words) {
    if (trigrams >= TRIGRAMS) break
    chosen.push(word)
    trigrams += word.length - 2
  }
  return chosen
}
