import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'

/** A text as an address or a network of PostgreSQL; NULL where it is neither. */
export const readInet = (text: SQLWrapper): SQL =>
  sql`(CASE WHEN pg_input_is_valid(${text}, 'inet') THEN ${text}::inet END)`
