import type { SqlDialect } from './sql-dialect.ts'

/** A name as it is written in a statement. */
export function quotedName(name: string, dialect: SqlDialect): string {
  // The server keeps names without quotes in capitals.
  if (dialect === 'oracle' ? /^[A-Z][A-Z0-9_]*$/.test(name) : /^[a-z_][a-z0-9_]*$/.test(name)) return name.toLowerCase()
  if (dialect === 'mysql') return `\`${name.replaceAll('`', '``')}\``
  if (dialect === 'sqlserver') return `[${name.replaceAll(']', ']]')}]`
  return `"${name.replaceAll('"', '""')}"`
}
