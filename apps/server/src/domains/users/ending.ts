import { and, eq, isNull, ne, or, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/database/database.ts'
import { usersUser } from './tables.ts'

/** Somebody whose password or account ends in so many whole days. */
export interface Ending {
  id: string
  name: string
  left: number
}

/**
 * Local people who may sign in and whose password expires within so many days. `lifetime` is the
 * days that a password is valid.
 */
export const endingPasswords = (db: Database, lifetime: number, within: number): Promise<Ending[]> =>
  endingWithin(
    db,
    sql`coalesce(${usersUser.date_password_last_updated}, ${usersUser.date_joined}) + make_interval(days => ${lifetime})`,
    within,
  )

/** Local people who may sign in and whose account expires within so many days. */
export const endingAccounts = (db: Database, within: number): Promise<Ending[]> =>
  endingWithin(db, sql`${usersUser.date_expired}`, within)

async function endingWithin(db: Database, end: SQL, days: number): Promise<Ending[]> {
  return db
    .select({
      id: usersUser.id,
      name: usersUser.name,
      left: sql<number>`floor(extract(epoch FROM ${end} - now()) / 86400)::int`,
    })
    .from(usersUser)
    .where(
      and(
        eq(usersUser.source, 'local'),
        eq(usersUser.is_active, true),
        ne(usersUser.role, 'App'),
        or(isNull(usersUser.date_expired), sql`${usersUser.date_expired} > now()`),
        sql`${end} > now()`,
        sql`${end} < now() + make_interval(days => ${days})`,
      ),
    )
}
