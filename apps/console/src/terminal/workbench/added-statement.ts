/** Nothing of it goes on into what follows. */
const ENDED = /(?:;|(?:^|\n)[ \t]*(?:go|\/))$/i
/** Its last row may end with a comment, which would take in what stands behind. */
const REMARKED = /(?:--|#).*$/

/**
 * A statement behind all that a text has, in rows of its own: what takes the place of the text from
 * `from` on, and where in the whole the statement then begins. One that is all of the text stays as it is.
 */
export function addedStatement(text: string, statement: string): { from: number; insert: string; begins: number } {
  const before = text.trimEnd()
  if (!before.trim() || before.trim() === statement.trim()) return { from: 0, insert: statement, begins: 0 }
  const end = ENDED.test(before) ? '' : REMARKED.test(before) ? '\n;' : ';'
  const joint = `${end}\n\n`
  return { from: before.length, insert: joint + statement, begins: before.length + joint.length }
}
