import { askWith } from '../repl/ask.ts'
import type { Link, Passage } from '../repl/link.ts'
import { literal as hexLiteral } from '../repl/mysql/mysql-dialect.ts'
import { literal as escapedLiteral } from '../repl/postgresql/catalog.ts'
import type { PostgresqlAnswers } from '../repl/postgresql/postgresql-answers.ts'

/** How a database writes the change of a value. */
export interface EditDialect {
  /**
   * Asks for the columns of a stored table: its schema, its name, the column as a result's source has
   * it, the column's name, its type, and `PRI` for those of the primary key. No rows for what is no table.
   */
  table(table: readonly string[]): string
  quoted(name: string): string
  /** A value of a column as part of a statement; undefined where none can. */
  literal(value: string, type: string): string | undefined
  /** Whether the server reads what is sent as UTF-8: in other encodings a part of a letter could end a string. */
  isUtf8(link: Link, passage: Passage): boolean | Promise<boolean>
  /** That a column of the key has a value. */
  isKey(column: string, type: string, literal: string): string
  /** That a column still has a value: the same, not one that is only taken for equal. */
  isStill(column: string, type: string, literal: string): string
}

const INTEGERS_AND_DECIMALS = /^(?:(?:tiny|small|medium|big)?int|decimal|float|double|year)$/
const NUMBER = /^-?\d+(?:\.\d+)?$/
const BYTES = /^(?:(?:var)?binary|(?:tiny|medium|long)?blob)$/
/** Compared as their collations have it, to which `Bob` may be `bob`. */
const TEXT = /^(?:(?:var)?char|(?:tiny|medium|long)?text|enum|set)$/
/** Shown in no form that could be written back. */
const UNWRITABLE = /^(?:bit|geometry|point|linestring|polygon|multi\w+|geom\w+|vector)$/

export const MYSQL_EDITS: EditDialect = {
  table: ([schema = '', table = '']) =>
    `SELECT c.table_schema, c.table_name, c.column_name, c.column_name, c.data_type, c.column_key
FROM information_schema.columns c JOIN information_schema.tables t ON t.table_schema = c.table_schema AND t.table_name = c.table_name
WHERE t.table_type = 'BASE TABLE' AND c.table_schema = ${hexLiteral(schema)} AND c.table_name = ${hexLiteral(table)} ORDER BY c.ordinal_position`,
  quoted: (name) => `\`${name.replaceAll('`', '``')}\``,
  literal(value, type) {
    if (UNWRITABLE.test(type)) return undefined
    // Between a number and a string floating numbers would be compared, which are not exact.
    if (INTEGERS_AND_DECIMALS.test(type) && NUMBER.test(value)) return value
    if (BYTES.test(type))
      return `x'${/^0x((?:[0-9a-f]{2})*)$/i.exec(value)?.[1] ?? Buffer.from(value).toString('hex')}'`
    // The meaning of a backslash may have changed until it is run.
    if (value.includes('\\')) return `_utf8mb4 x'${Buffer.from(value).toString('hex')}'`
    return `'${value.replaceAll("'", "''")}'`
  },
  async isUtf8(link, passage) {
    const [settings = []] = await askWith(link, 'SELECT @@character_set_client, @@character_set_connection', passage)
    return settings.length > 0 && settings.every((one) => one === 'utf8mb4')
  },
  isKey: mysqlKey,
  isStill: (column, type, literal) =>
    TEXT.test(type) ? `CAST(CONVERT(${column} USING utf8mb4) AS BINARY) = ${literal}` : mysqlKey(column, type, literal),
}

/** A float is shown shorter than it is, and a document is no string. */
function mysqlKey(column: string, type: string, literal: string): string {
  return type === 'float' || type === 'json'
    ? `CAST(${column} AS CHAR) = ${NUMBER.test(literal) ? `'${literal}'` : literal}`
    : `${column} = ${literal}`
}

/** Types without an equality, or with one that is none: what they read as is compared. */
const WITHOUT_EQUALITY = /^_?(?:citext|json|xml|point|line|lseg|box|path|polygon|circle)$/

export const POSTGRESQL_EDITS: EditDialect = {
  // Rows of a table that others inherit from are theirs, too, and no key is of all.
  table: ([oid = '']) =>
    `SELECT n.nspname, c.relname, a.attnum, a.attname, t.typname, CASE WHEN a.attnum = ANY (i.indkey) THEN 'PRI' ELSE '' END
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
JOIN pg_catalog.pg_index i ON i.indrelid = c.oid AND i.indisprimary
WHERE c.oid = ${Number(oid)} AND (c.relkind = 'p' OR c.relkind = 'r' AND NOT EXISTS (SELECT 1 FROM pg_catalog.pg_inherits h WHERE h.inhparent = c.oid))
ORDER BY a.attnum`,
  quoted: (name) => `"${name.replaceAll('"', '""')}"`,
  literal(value) {
    // The server ends a text at its first zero.
    if (value.includes('\0')) return undefined
    return value.includes('\\') ? escapedLiteral(value) : `'${value.replaceAll("'", "''")}'`
  },
  isUtf8: ({ answers }) => (answers as PostgresqlAnswers).state.parameters.get('client_encoding') === 'UTF8',
  isKey: (column, _type, literal) => `${column} = ${literal}`,
  isStill: (column, type, literal) => `${column}${WITHOUT_EQUALITY.test(type) ? '::text' : ''} = ${literal}`,
}
