import { eq, sql } from 'drizzle-orm'
import type { Kernel } from '../../kernel/kernel.ts'
import { usersUser } from './tables.ts'

const NAMED = 100

/**
 * Names in the log those who were stored before user names and mail addresses had to be unique in
 * any case, and user names in any form of their letters. They go on signing in by exactly their own
 * name; somebody should rename one of each.
 */
export async function warnOfSimilarPeople({ db, app }: Pick<Kernel, 'db' | 'app'>): Promise<void> {
  const usernames = await similarPeople({ db })
  if (usernames.length) app.log.warn({ usernames }, 'people whose user name or mail address looks like that of others')
}

/** Their user names, a hundred at most. */
export async function similarPeople({ db }: Pick<Kernel, 'db'>): Promise<string[]> {
  const rows = await db
    .select({ username: usersUser.username })
    .from(usersUser)
    .where(eq(usersUser.has_similar, true))
    .orderBy(sql`lower(${usersUser.username})`)
    .limit(NAMED)
  return rows.map(({ username }) => username)
}
