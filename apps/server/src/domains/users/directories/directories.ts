/**
 * The directories and sign-in providers that people come from, besides those of the settings: names, and
 * whether they are on.
 */
import { eq, inArray, sql } from 'drizzle-orm'
import type { Database } from '../../../kernel/database/database.ts'
import { AppError, refused } from '../../../kernel/errors/app-error.ts'
import type { User } from '../find-user.ts'
import { usersDirectory, usersUser } from '../tables.ts'

/** A directory is here, has another name, or is on or off. */
export async function keepDirectory(db: Database, directory: typeof usersDirectory.$inferInsert): Promise<void> {
  const { name, is_open } = directory
  await db
    .insert(usersDirectory)
    .values(directory)
    .onConflictDoUpdate({ target: usersDirectory.id, set: { name, is_open } })
}

/** A directory is deleted: its people stay its own, and stay out. */
export async function closeDirectory(db: Database, id: string): Promise<void> {
  await db.update(usersDirectory).set({ is_open: false }).where(eq(usersDirectory.id, id))
}

/** Whether there is a further directory or provider that is on. */
export async function isAnyDirectoryOpen(db: Database): Promise<boolean> {
  const rows = await db
    .select({ id: usersDirectory.id })
    .from(usersDirectory)
    .where(eq(usersDirectory.is_open, true))
    .limit(1)
  return rows.length > 0
}

const OFF = {
  directory: 'This directory is switched off',
  provider: 'This sign-in provider is switched off',
}

/**
 * Nobody switches the directory off before this transaction ends. Throws where it is off already.
 */
export async function holdOpenDirectory(db: Database, id: string): Promise<void> {
  const [row] = await db.select().from(usersDirectory).where(eq(usersDirectory.id, id)).for('share')
  if (!row?.is_open) throw refused('directory_off', row && row.source !== 'ldap' ? OFF.provider : OFF.directory)
}

/** How many people each of these directories has made. */
export async function countDirectoryPeople(db: Database, ids: readonly string[]): Promise<Map<string, number>> {
  if (!ids.length) return new Map()
  const rows = await db
    .select({ id: usersUser.directory_id, amount: sql<number>`count(*)::int` })
    .from(usersUser)
    .where(inArray(usersUser.directory_id, [...ids]))
    .groupBy(usersUser.directory_id)
  return new Map(rows.map(({ id, amount }) => [id ?? '', amount]))
}

/** Whether the error says that what these people are of is switched off. */
export const isDirectoryOffError = (error: unknown): boolean =>
  error instanceof AppError && error.code === 'directory_off'

/** Names of the directories of these people, by id, and whether each is on. */
export async function directoriesOf(
  db: Database,
  people: readonly Pick<User, 'directory_id'>[],
): Promise<Map<string, typeof usersDirectory.$inferSelect>> {
  const ids = [...new Set(people.flatMap(({ directory_id }) => directory_id ?? []))]
  if (!ids.length) return new Map()
  const rows = await db.select().from(usersDirectory).where(inArray(usersDirectory.id, ids))
  return new Map(rows.map((row) => [row.id, row]))
}

/** Whether the person is of a directory that is switched off or deleted. */
export async function isDirectoryOff(db: Database, person: Pick<User, 'directory_id'>): Promise<boolean> {
  const { directory_id } = person
  return directory_id !== null && !(await directoriesOf(db, [person])).get(directory_id)?.is_open
}
