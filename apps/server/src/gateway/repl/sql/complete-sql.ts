import type { Ask } from '../ask.ts'
import type { Completion } from '../editor/statement-editor.ts'

/** A table that a statement names. */
export interface NamedTable {
  schema: string | undefined
  name: string
}

/** How a database is asked for names that begin so; each answer has them in its first column. */
export interface SqlNames {
  relations(prefix: string, schema?: string): string
  schemas(prefix: string): string
  columns(prefix: string, tables: readonly NamedTable[]): string
}

const KEYWORDS =
  'ALTER AND AS ASC BEGIN BETWEEN BY CASE COMMIT CREATE CROSS DELETE DESC DISTINCT DROP ELSE END EXISTS EXPLAIN FROM FULL GROUP HAVING IN INDEX INNER INSERT INTO IS JOIN LEFT LIKE LIMIT NOT NULL OFFSET ON OR ORDER OUTER RIGHT ROLLBACK SELECT SET SHOW TABLE THEN TRUNCATE UNION UPDATE USING VALUES VIEW WHEN WHERE WITH'.split(
    ' ',
  )
const NAME = '(?:[\\w$\\u0080-\\uffff]+|"[^"]*"|`[^`]*`)'
const OF_TOKEN = /[\w$."`\u0080-\uffff]/
/** Words before the name of a table. */
const BEFORE_TABLE = /(?:\b(?:from|join|into|update|table|describe|desc|truncate)|\\d\S*)\s+$/i
const BEFORE_SCHEMA = /(?:\b(?:use|database|schema)|\\c|\\u)\s+$/i
const TABLES = new RegExp(
  String.raw`\b(?:from|join|update|into)\s+(${NAME}(?:\.${NAME})?)(?:\s+(?:as\s+)?([a-z_]\w*))?`,
  'gi',
)
/** The end of a long statement is looked at. */
const LOOKED_AT = 16 * 1024

const unquoted = (name: string): string => name.replace(/^["`](.*)["`]$/s, '$1')

/**
 * Texts that could be at the end of a statement, from the names that the database knows and the
 * words of SQL.
 */
export async function completeSql(text: string, ask: Ask, names: SqlNames): Promise<Completion | undefined> {
  const before = text.slice(-LOOKED_AT)
  let at = before.length
  while (at > 0 && OF_TOKEN.test(before[at - 1] as string)) at--
  const [lead, token] = [before.slice(0, at), before.slice(at)]
  const from = async (question: string) => (await ask(question)).map(([name]) => String(name))
  const dot = token.lastIndexOf('.')
  const prefix = unquotedStart(token.slice(dot + 1))
  const tables = tablesIn(before)
  let candidates: string[]
  if (dot >= 0) {
    const owner = unquoted(token.slice(0, dot))
    const table = tables.find(({ alias, name }) => alias === owner || name === owner)
    candidates = await from(table ? names.columns(prefix, [table]) : names.relations(prefix, owner))
  } else if (BEFORE_SCHEMA.test(lead)) candidates = await from(names.schemas(prefix))
  else if (BEFORE_TABLE.test(lead))
    candidates = [...(await from(names.relations(prefix))), ...(prefix ? await from(names.schemas(prefix)) : [])]
  else {
    const columns = tables.length ? await from(names.columns(prefix, tables)) : []
    candidates = prefix ? [...columns, ...wordsOf(prefix)] : columns
  }
  const length = token.length - dot - 1
  return candidates.length ? { length, candidates: [...new Set(candidates)] } : undefined
}

/** In the case in which the word was begun. */
function wordsOf(prefix: string): string[] {
  const isSmall = prefix === prefix.toLowerCase()
  return KEYWORDS.filter((word) => word.startsWith(prefix.toUpperCase())).map((word) =>
    isSmall ? word.toLowerCase() : word,
  )
}

const unquotedStart = (text: string): string => text.replace(/^["`]/, '')

function tablesIn(text: string): (NamedTable & { alias: string | undefined })[] {
  return [...text.matchAll(TABLES)].map(([, whole = '', alias]) => {
    const parts = (whole.match(new RegExp(NAME, 'g')) ?? []).map(unquoted)
    return { name: parts.at(-1) ?? '', schema: parts.length > 1 ? parts[0] : undefined, alias }
  })
}
