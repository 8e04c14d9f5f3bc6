import { and, eq, isNotNull, isNull, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/database/database.ts'
import type { MessengerName } from '../notifications/index.ts'
import { usersUser } from './tables.ts'

/** That somebody signed in just now, as a part of a statement, which stores it together with that (drizzle's `with`). */
export const signInNoted = (db: Database, userId: string) =>
  db
    .$with('noted')
    .as(
      db
        .update(usersUser)
        .set({ last_login: sql`now()` })
        .where(eq(usersUser.id, userId))
        .returning({ id: usersUser.id }),
    )

/** Switches off a second factor that the person chose; a forced one stays. */
export async function switchOwnMfaOff(db: Database, userId: string): Promise<void> {
  await db
    .update(usersUser)
    .set({ mfa_level: 0 })
    .where(and(eq(usersUser.id, userId), eq(usersUser.mfa_level, 1)))
}

const messengerField = (name: MessengerName): `${MessengerName}_id` => `${name}_id`

/**
 * Stores a person's id at a messenger; false when they have one already. When the id is somebody
 * else's, throws an error that `isMessengerTaken` recognizes.
 */
export async function bindMessenger(db: Database, userId: string, name: MessengerName, id: string): Promise<boolean> {
  const field = messengerField(name)
  const stored = await db
    .update(usersUser)
    .set({ [field]: id })
    .where(and(eq(usersUser.id, userId), isNull(usersUser[field])))
    .returning({ id: usersUser.id })
  return stored.length > 0
}

/** Removes a person's id at a messenger; false when they have none. */
export async function unbindMessenger(db: Database, userId: string, name: MessengerName): Promise<boolean> {
  const field = messengerField(name)
  const changed = await db
    .update(usersUser)
    .set({ [field]: null })
    .where(and(eq(usersUser.id, userId), isNotNull(usersUser[field])))
    .returning({ id: usersUser.id })
  return changed.length > 0
}

export function isMessengerTaken(error: unknown, name: MessengerName): boolean {
  const { cause } = error as { cause?: { constraint?: string } }
  return cause?.constraint === `users_user__${messengerField(name)}__unique`
}
