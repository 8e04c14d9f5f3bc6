import { eq, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/database/database.ts'
import type { User } from './find-user.ts'
import { isWrittenAlike, looksOf } from './look-alike/look-alike.ts'
import { lookAlikes } from './look-alike/refuse-look-alikes.ts'
import { usersUser } from './tables.ts'

/** The values that an outside source has for a person. */
export type OutsideValues = Pick<User, 'name' | 'email' | 'is_active' | 'source'> &
  Partial<Pick<User, 'phone' | 'wechat' | 'comment' | 'directory_id'>>

/** The defaults of the user form. */
const NEW = {
  role: 'User',
  created_by: 'System',
  date_expired: sql`now() + interval '25550 days'` as unknown as Date,
} as const

/**
 * Makes people of an outside source. People whose name or email address has been taken meanwhile,
 * or whose name looks like that of somebody else, are left out of the answer.
 */
export async function addOutsidePeople(
  db: Database,
  people: readonly (OutsideValues & { username: string })[],
): Promise<Pick<User, 'id' | 'username' | 'name'>[]> {
  const alike = await lookAlikes(
    db,
    people.map(({ username }) => username),
  )
  const taken = new Map<string, string>()
  const made = people.filter(({ username }) => {
    // Nor like others of the same batch.
    const before = looksOf(username).map((look) => taken.get(look))
    if (alike.get(username)?.length || before.some((other) => other && !isWrittenAlike(other, username))) return false
    for (const look of looksOf(username)) taken.set(look, username)
    return true
  })
  if (!made.length) return []
  return db
    .insert(usersUser)
    .values(made.map((person) => ({ ...person, ...NEW, looks: looksOf(person.username) })))
    .onConflictDoNothing()
    .returning({ id: usersUser.id, username: usersUser.username, name: usersUser.name })
}

export async function changeOutsidePerson(db: Database, userId: string, values: OutsideValues): Promise<void> {
  await db.update(usersUser).set(values).where(eq(usersUser.id, userId))
}
