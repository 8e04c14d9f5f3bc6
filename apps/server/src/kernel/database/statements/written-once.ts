import { fillPlaceholders, type Query, SQL, sql } from 'drizzle-orm'
import { PgDialect } from 'drizzle-orm/pg-core'
import type { Database } from '../database.ts'

const dialect = new PgDialect()

/** A part of statements without values, for use in many. */
export const asText = (part: SQL): SQL => sql.raw(dialect.sqlToQuery(part).sql)

type Values = Readonly<Record<string, unknown>>

/**
 * A statement whose values alone differ, by the names of its `sql.placeholder(…)`. The query builder
 * writes it once: that takes longer than PostgreSQL needs to run a small one. Answers its rows.
 */
export function writtenOnce<T extends Record<string, unknown>>(
  statement: SQL,
): (db: Database, values: Values) => Promise<T[]> {
  const { sql: text, params } = dialect.sqlToQuery(statement)
  return async (db, values) => {
    const { rows } = await db.execute(new Written({ sql: text, params: fillPlaceholders(params, { ...values }) }))
    return rows as T[]
  }
}

/** For `execute` alone: as part of another statement it would be empty. */
class Written extends SQL {
  readonly #query: Query

  constructor(query: Query) {
    super([])
    this.#query = query
  }

  override toQuery(): Query {
    return this.#query
  }
}
