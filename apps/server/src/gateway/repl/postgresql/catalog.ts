import type { CommandEffect } from '../dialect.ts'
import type { SqlNames } from '../sql/complete-sql.ts'

/** In a form that no setting changes: in plain quotes a backslash escapes, or does not (`standard_conforming_strings`). */
export const literal = (text: string): string => `E'${text.replaceAll(/['\\]/g, '$&$&')}'`

const like = (column: string, prefix: string): string => `pg_catalog.starts_with(${column}::text, ${literal(prefix)})`

/** How names are found that begin so. */
export const NAMES: SqlNames = {
  relations: (prefix, schema) =>
    `SELECT pg_catalog.quote_ident(c.relname) FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r','v','m','f','p') AND ${like('c.relname', prefix)} AND ${schema ? `n.nspname = ${literal(schema)}` : `pg_catalog.pg_table_is_visible(c.oid)${prefix.startsWith('pg_') ? '' : " AND n.nspname <> 'pg_catalog'"}`} ORDER BY 1 LIMIT 1000`,
  schemas: (prefix) =>
    `SELECT pg_catalog.quote_ident(nspname) || '.' FROM pg_catalog.pg_namespace WHERE ${like('nspname', prefix)} ORDER BY 1 LIMIT 1000`,
  columns: (prefix, tables) =>
    `SELECT DISTINCT pg_catalog.quote_ident(attname) FROM pg_catalog.pg_attribute WHERE attrelid IN (${tables
      .map(({ schema, name }) => {
        const quoted = [...(schema ? [schema] : []), name].map((part) => `"${part.replaceAll('"', '""')}"`).join('.')
        return `pg_catalog.to_regclass(${literal(quoted)})`
      })
      .join(', ')}) AND attnum > 0 AND NOT attisdropped AND ${like('attname', prefix)} ORDER BY 1 LIMIT 1000`,
}

/** A pattern as psql has it (`shop.*`, `"Mixed Case"`) as regular expressions for schema and name. */
export function patternOf(pattern: string): { schema: string | undefined; name: string | undefined } {
  const parts = [...pattern.matchAll(/(?:"((?:[^"]|"")*)"|[^."])+/g)].map(([part]) => expressionOf(part))
  const name = parts.at(-1)
  return { schema: parts.length > 1 ? parts.at(-2) : undefined, name }
}

function expressionOf(part: string): string {
  const escaped = (text: string) => text.replaceAll(/[\\^$+()[\]{}|.]/g, '\\$&')
  return part
    .split(/("(?:[^"]|"")*")/)
    .map((piece) =>
      piece.startsWith('"')
        ? escaped(piece.slice(1, -1).replaceAll('""', '"')).replaceAll(/[*?]/g, '\\$&')
        : escaped(piece.toLowerCase()).replaceAll('*', '.*').replaceAll('?', '.'),
    )
    .join('')
}

/** Conditions for what a pattern names; without one, what is found without a schema. */
function matching(
  pattern: string,
  { schema, name, visible }: { schema: string; name: string; visible: string },
): string {
  if (!pattern) return `${schema} !~ '^pg_' AND ${schema} <> 'information_schema' AND ${visible}`
  const wanted = patternOf(pattern)
  const conditions = wanted.name ? [`${name} ~ ${literal(`^(${wanted.name})$`)}`] : []
  conditions.push(wanted.schema ? `${schema} ~ ${literal(`^(${wanted.schema})$`)}` : visible)
  return conditions.join(' AND ')
}

const KINDS =
  "CASE c.relkind WHEN 'r' THEN 'table' WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view' WHEN 'i' THEN 'index' WHEN 'S' THEN 'sequence' WHEN 't' THEN 'TOAST table' WHEN 'f' THEN 'foreign table' WHEN 'p' THEN 'partitioned table' WHEN 'I' THEN 'partitioned index' END"

const relations = (kinds: string) => (pattern: string) =>
  `SELECT n.nspname AS "Schema", c.relname AS "Name", ${KINDS} AS "Type", pg_catalog.pg_get_userbyid(c.relowner) AS "Owner"
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN (${kinds}) AND ${matching(pattern, { schema: 'n.nspname', name: 'c.relname', visible: 'pg_catalog.pg_table_is_visible(c.oid)' })}
ORDER BY 1, 2`

const whole = (column: string, pattern: string): string =>
  pattern ? ` AND ${column} ~ ${literal(`^(${patternOf(pattern).name ?? '.*'})$`)}` : ''

/** Queries that list things, by the letters behind the backslash. */
export const LISTS: Readonly<Record<string, (pattern: string) => string>> = {
  d: relations("'r','v','m','S','f','p'"),
  dt: relations("'r','p'"),
  dv: relations("'v'"),
  dm: relations("'m'"),
  ds: relations("'S'"),
  di: relations("'i','I'"),
  dn: (pattern) =>
    `SELECT nspname AS "Name", pg_catalog.pg_get_userbyid(nspowner) AS "Owner" FROM pg_catalog.pg_namespace
WHERE nspname !~ '^pg_' AND nspname <> 'information_schema'${whole('nspname', pattern)} ORDER BY 1`,
  df: (pattern) =>
    `SELECT n.nspname AS "Schema", p.proname AS "Name", pg_catalog.pg_get_function_result(p.oid) AS "Result", pg_catalog.pg_get_function_arguments(p.oid) AS "Arguments"
FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
WHERE ${matching(pattern, { schema: 'n.nspname', name: 'p.proname', visible: 'pg_catalog.pg_function_is_visible(p.oid)' })}
ORDER BY 1, 2, 4`,
  du: (pattern) =>
    `SELECT rolname AS "Role", rolsuper AS "Superuser", rolcreatedb AS "Create DB", rolcreaterole AS "Create role", rolcanlogin AS "Login"
FROM pg_catalog.pg_roles WHERE rolname !~ '^pg_'${whole('rolname', pattern)} ORDER BY 1`,
  l: (pattern) =>
    `SELECT datname AS "Name", pg_catalog.pg_get_userbyid(datdba) AS "Owner", pg_catalog.pg_encoding_to_char(encoding) AS "Encoding"
FROM pg_catalog.pg_database WHERE datallowconn${whole('datname', pattern)} ORDER BY 1`,
  conninfo: () =>
    'SELECT pg_catalog.current_database() AS "Database", current_user AS "User", pg_catalog.version() AS "Server"',
}

/** `\d name`: columns, indexes, constraints, and who refers to it. */
export function describeRelation(pattern: string): CommandEffect {
  const table = `(SELECT c.oid FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE ${matching(pattern, { schema: 'n.nspname', name: 'c.relname', visible: 'pg_catalog.pg_table_is_visible(c.oid)' })} ORDER BY n.nspname, c.relname LIMIT 1)`
  return {
    does: 'run',
    statements: [
      {
        title: pattern,
        text: `SELECT a.attname AS "Column", pg_catalog.format_type(a.atttypid, a.atttypmod) AS "Type", CASE WHEN a.attnotnull THEN 'not null' ELSE '' END AS "Nullable", coalesce(pg_catalog.pg_get_expr(d.adbin, d.adrelid), '') AS "Default"
FROM pg_catalog.pg_attribute a LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
WHERE a.attrelid = ${table} AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum`,
      },
      {
        title: 'Indexes',
        text: `SELECT i.relname AS "Index", pg_catalog.pg_get_indexdef(i.oid) AS "Definition" FROM pg_catalog.pg_index x JOIN pg_catalog.pg_class i ON i.oid = x.indexrelid
WHERE x.indrelid = ${table} ORDER BY x.indisprimary DESC, 1`,
      },
      {
        title: 'Constraints',
        text: `SELECT conrelid::pg_catalog.regclass AS "Table", conname AS "Constraint", pg_catalog.pg_get_constraintdef(oid) AS "Definition" FROM pg_catalog.pg_constraint
WHERE conrelid = ${table} OR confrelid = ${table} ORDER BY 1, 2`,
      },
    ],
  }
}
