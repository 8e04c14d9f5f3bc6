import { eq, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/database/database.ts'
import type { User } from './find-user.ts'
import { usersUser } from './tables.ts'

/** What an outside source knows of somebody. */
export type OutsideValues = Pick<User, 'name' | 'email' | 'is_active' | 'source'> &
  Partial<Pick<User, 'phone' | 'wechat' | 'comment'>>

/** The defaults of the user form. */
const NEW = {
  role: 'User',
  created_by: 'System',
  date_expired: sql`now() + interval '25550 days'` as unknown as Date,
} as const

/**
 * Makes people of an outside source. People whose name or email address has been taken meanwhile
 * are left out of the answer.
 */
export async function addOutsidePeople(
  db: Database,
  people: readonly (OutsideValues & { username: string })[],
): Promise<Pick<User, 'id' | 'username' | 'name'>[]> {
  if (!people.length) return []
  return db
    .insert(usersUser)
    .values(people.map((person) => ({ ...person, ...NEW })))
    .onConflictDoNothing()
    .returning({ id: usersUser.id, username: usersUser.username, name: usersUser.name })
}

export async function changeOutsidePerson(db: Database, userId: string, values: OutsideValues): Promise<void> {
  await db.update(usersUser).set(values).where(eq(usersUser.id, userId))
}
