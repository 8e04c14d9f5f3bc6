import { eq, inArray, or, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/database/database.ts'
import { usersUser } from './tables.ts'
import { lookOf } from './username.ts'

/**
 * The whole row of a user, components included, with hashes and sealed secrets: for signing people
 * in. Never answer it as it is.
 */
export type User = typeof usersUser.$inferSelect

/**
 * What to find somebody by. `id` and `username` match exactly; `email` ignores case, `similarTo` the form of letters, too.
 */
export type UserKey = { id: string } | { username: string } | { email: string } | { similarTo: string }

function has(key: UserKey): SQL {
  if ('id' in key) return eq(usersUser.id, key.id)
  if ('username' in key) return eq(usersUser.username, key.username)
  if ('email' in key) return sql`lower(${usersUser.email}) = ${key.email.toLowerCase()}`
  return sql`${lookOf(usersUser.username)} = ${lookOf(key.similarTo)}`
}

export async function findUsers(db: Database, key: UserKey): Promise<User[]> {
  return db.select().from(usersUser).where(has(key))
}

/**
 * Undefined when there is nobody. With `lock` nobody else can change the row until the transaction
 * ends.
 */
export async function findUser(
  db: Database,
  key: { id: string } | { username: string },
  { lock = false }: { lock?: boolean } = {},
): Promise<User | undefined> {
  const query = db.select().from(usersUser).where(has(key)).limit(1)
  const [user] = await (lock ? query.for('update') : query)
  return user
}

/** Everybody with one of these user names, or one of these email addresses in any case. */
export async function findUsersOf(
  db: Database,
  usernames: readonly string[],
  emails: readonly string[],
): Promise<User[]> {
  return db
    .select()
    .from(usersUser)
    .where(
      or(
        inArray(usersUser.username, [...usernames]),
        inArray(
          sql`lower(${usersUser.email})`,
          emails.map((email) => email.toLowerCase()),
        ),
      ),
    )
}

/** SQL: whether somebody, a row `u` of users, belongs to the organization; null: to any. */
export const belongsTo = (orgId: string | null): SQL =>
  sql`(${orgId}::uuid IS NULL OR u.role <> 'User'
    OR EXISTS (SELECT 1 FROM orgs_membership m WHERE m.user_id = u.id AND m.org_id = ${orgId}::uuid))`

/** Whether this person may sign in now, and with a password that is stored here. */
export const hasOwnPassword = ({ role, source, is_active, date_expired }: User): boolean =>
  role !== 'App' && source === 'local' && is_active && !(date_expired && date_expired <= new Date())
