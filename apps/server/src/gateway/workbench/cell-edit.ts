import type { CellEdit } from '@sallyport/contract/socket/workbench.ts'
import type { Link } from '../repl/link.ts'
import type { ColumnSource } from '../repl/output/result.ts'
import type { EditDialect } from './edit-dialects.ts'

/** Origin of a result. */
export interface ResultOrigin {
  /** Its statement. */
  text: string
  sources: readonly (ColumnSource | undefined)[]
}

export interface EditParts {
  edits: EditDialect
  link: Link
  /** Rows of `EditDialect.table`; undefined where too much is asked. */
  askTable(table: readonly string[]): Promise<string[][]> | undefined
}

/** The statement of an edit, or in words why there is none. */
export type EditPlan = { text: string; why?: undefined } | { text?: undefined; why: string }

/** Refusal of rows for which there is no statement that would change one value. */
export const OF_SEVERAL = 'Values can be changed where the rows are those of one table, and no others.'
const NO_KEY = 'Values can be changed where the whole primary key of their table is among the columns.'

/**
 * Writes the statement that changes one value: of one row, found by its primary key, and only while it has
 * the value that was shown.
 */
export async function planEdit(edit: CellEdit, origin: ResultOrigin, parts: EditParts): Promise<EditPlan> {
  const { edits, link } = parts
  const source = origin.sources[edit.column]
  const read = link.wire.readAs(origin.text)
  const readings = read?.length === 0 ? [origin.text] : read
  if (!source || edit.row.length !== origin.sources.length || !readings?.every(isOfOneTable)) return { why: OF_SEVERAL }
  const rows = await parts.askTable(source.table)
  if (!rows) return { why: 'This can not be asked now' }
  const [[schema = '', table = ''] = []] = rows
  const columns = rows.map(([, , key = '', name = '', type = '', primary]) => ({
    ...{ name: edits.quoted(name), type, isPrimary: primary === 'PRI' },
    // Twice the same column is the same value twice.
    at: origin.sources.findIndex((one) => one?.column === key && isSameTable(one, source)),
    isEdited: key === source.column,
  }))
  const edited = columns.find(({ isEdited }) => isEdited)
  const keys = columns.filter(({ isPrimary }) => isPrimary)
  if (!edited || !keys.length || keys.some(({ at }) => typeof edit.row[at] !== 'string')) return { why: NO_KEY }
  const old = edit.row[edit.column]
  if (Array.isArray(old)) return { why: 'Only a value that is shown whole can be changed.' }
  const literal = (value: string | null | undefined, type: string) =>
    typeof value === 'string' ? edits.literal(value, type) : 'NULL'
  const set = literal(edit.value, edited.type)
  const conditions = keys.map(({ name, type, at }) => {
    const value = literal(edit.row[at] as string, type)
    return value && edits.isKey(name, type, value)
  })
  const still = literal(old, edited.type)
  conditions.push(old === null ? `${edited.name} IS NULL` : still && edits.isStill(edited.name, edited.type, still))
  if (set === undefined || conditions.includes(undefined))
    return { why: 'Values like this one can not be written here.' }
  const name = [schema, table].map(edits.quoted).join('.')
  return { text: `UPDATE ${name}\nSET ${edited.name} = ${set}\nWHERE ${conditions.join('\n  AND ')}` }
}

const isSameTable = (one: ColumnSource, other: ColumnSource) => one.table.join('\0') === other.table.join('\0')

const QUOTED = /'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`/g
const NAME = String.raw`(?:[\w$\u0080-\uffff]+|"")`
const CLAUSE = 'where|group|having|window|order|limit|offset|fetch|for|lock'
const ONE_TABLE = new RegExp(
  String.raw`^\s*select\b(?:(?!\bfrom\b).)*\bfrom\s+(?:only\s+)?${NAME}(?:\s*\.\s*${NAME})*(?:\s+(?:as\s+)?(?!(?:${CLAUSE})\b)${NAME})?\s*(?:$|\b(?:${CLAUSE})\b(?!.*\b(?:from|procedure)\b))`,
  'is',
)

/**
 * Whether a statement without comments reads the rows of one table, each once. What is not surely so is not:
 * a table that is joined with itself would name the row of another value.
 */
function isOfOneTable(text: string): boolean {
  // If a backslash or dollar may change what ends a string, nothing is sure.
  if (/\\|\$\$|\$\w+\$/.test(text)) return false
  const unquoted = text.replaceAll(QUOTED, '""')
  const bare = /['`]/.test(unquoted) ? undefined : withoutBrackets(unquoted)
  return bare !== undefined && !/\b(?:union|intersect|except|minus|into)\b/i.test(bare) && ONE_TABLE.test(bare)
}

/** Undefined where brackets do not fit together. In one go, as somebody may have nested thousands of them. */
function withoutBrackets(text: string): string | undefined {
  let bare = ''
  let from = 0
  let depth = 0
  for (const { 0: bracket, index } of text.matchAll(/[()]/g)) {
    if (bracket === '(' && depth++ === 0) bare += `${text.slice(from, index)} @ `
    else if (bracket === ')' && --depth < 0) return undefined
    from = index + 1
  }
  return depth ? undefined : bare + text.slice(from)
}

/** Outcome of an edit. */
export class EditOutcome {
  /** Rows that it found. */
  rows = 0
  /** Warnings of the server, where there are more than the end of a statement. */
  warnings = 0
  error: string | undefined

  columns(): void {}
  row(): void {}
  message(text: string, kind: 'plain' | 'notice' | 'error'): void {
    if (kind === 'error') this.error ??= text
  }
  /** MySQL counts rows that it changed, and in words those that it found; PostgreSQL has words alone. */
  done({ words, rows = 0 }: { words: string; rows?: number | undefined }): void {
    this.rows = Number(/^UPDATE (\d+)$|Rows matched: (\d+)/.exec(words)?.slice(1).find(Boolean) ?? rows)
    this.warnings = Number(/Warnings: (\d+)/.exec(words)?.[1] ?? 0)
  }
}
