import type { SqlDialect } from './sql-dialect.ts'

/** Ends a batch of SQL Server, of which a semicolon ends none. */
const GO = /^\s*go(?:\s+\d+)?\s*;?\s*(?:--.*)?$/i
/** The last row of a block of Oracle, whose semicolons are its own. */
const BLOCK_END = /\bend\s*\w*\s*;$/i

/**
 * A statement behind all that a text has, in rows of its own: what takes the place of the text from
 * `from` on, and where in the whole the statement then begins. One that is all of the text stays as it is.
 */
export function addedStatement(
  text: string,
  statement: string,
  dialect: SqlDialect,
): { from: number; insert: string; begins: number } {
  const before = text.trimEnd()
  if (!before.trim() || before.trim() === statement.trim()) return { from: 0, insert: statement, begins: 0 }
  const joint = `${endBehind(before.slice(before.lastIndexOf('\n') + 1), dialect)}\n\n`
  return { from: before.length, insert: joint + statement, begins: before.length + joint.length }
}

/** Ends the last row of a text, so that nothing of it goes on into the next. */
function endBehind(row: string, dialect: SqlDialect): string {
  if (dialect === 'sqlserver') return GO.test(row) ? '' : '\nGO'
  if (dialect === 'oracle' && BLOCK_END.test(row)) return '\n/'
  if (dialect === 'oracle' && row.trim() === '/') return ''
  // It may end with a comment, which would take in the text after it.
  if (/--|#/.test(row)) return '\n;'
  return row.endsWith(';') ? '' : ';'
}
