import { type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'

/**
 * Filters by the two names in the form `name(username)`: that of the person who ran a command, and
 * that of the system user that it ran as.
 */
export function namedBy(user: PgColumn, runAs: PgColumn) {
  const is = (found: SQL) => (value: string) => sql`${found} = ${value}`
  return {
    user__name: is(nameIn(user)),
    user__username: is(usernameIn(user)),
    run_as__name: is(nameIn(runAs)),
    run_as__username: is(usernameIn(runAs)),
  }
}

/** `web` of `web(root)`. */
const nameIn = (column: PgColumn): SQL => sql`regexp_replace(${column}, '\\([^(]*\\)$', '')`
/** `root` of `web(root)`. */
const usernameIn = (column: PgColumn): SQL => sql`substring(${column} from '\\(([^(]*)\\)$')`
