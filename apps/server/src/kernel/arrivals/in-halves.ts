import { getTableColumns, type SQL, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import type { Database } from '../database/database.ts'

/**
 * Writes rows together, each part in a transaction of its own; where the database refuses a part for
 * what is in it, its halves. `write` answers the rows that it did not take.
 * @returns all that were not taken, those that are refused alone among them
 */
export async function inHalves<Row>(
  db: Database,
  rows: readonly Row[],
  write: (within: Database, rows: readonly Row[]) => Promise<readonly Row[]>,
): Promise<Row[]> {
  if (!rows.length) return []
  try {
    return [...(await db.transaction((within) => write(within, rows)))]
  } catch (error) {
    if (!isOfData(error)) throw error
    if (rows.length === 1) return [...rows]
  }
  const half = Math.ceil(rows.length / 2)
  return [...(await inHalves(db, rows.slice(0, half), write)), ...(await inHalves(db, rows.slice(half), write))]
}

/** Refused by a value (class 22) or by a rule about values (23, and what triggers raise). */
function isOfData(error: unknown): boolean {
  const code = (error as { cause?: { code?: string }; code?: string }).cause?.code ?? (error as { code?: string }).code
  return /^(?:22|23|P0001)/.test(code ?? '')
}

/** SQL: these columns with their types, as `json_to_recordset` wants them. */
export function typedColumns(table: PgTable, columns: readonly string[]): SQL {
  const types = getTableColumns(table)
  return sql.join(
    columns.map((name) => sql`${sql.identifier(name)} ${sql.raw(types[name]?.getSQLType() ?? 'text')}`),
    sql`, `,
  )
}

/** SQL: the names of these columns. */
export const columnNames = (columns: readonly string[]): SQL =>
  sql.join(
    columns.map((name) => sql.identifier(name)),
    sql`, `,
  )
