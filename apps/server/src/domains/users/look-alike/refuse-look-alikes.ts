import type { user } from '@sallyport/contract/resources/users/user.ts'
import { arrayOverlaps } from 'drizzle-orm'
import type { Database } from '../../../kernel/database/database.ts'
import { invalid } from '../../../kernel/errors/app-error.ts'
import type { WriteContext } from '../../../kernel/resource/mount.ts'
import { usersUser } from '../tables.ts'
import { isWrittenAlike, looksOf } from './look-alike.ts'

export const LOOKS_LIKE_ANOTHER = 'This username looks like that of somebody else'

/** User names, of anybody, that people would take for one of these; by each of these. */
export async function lookAlikes(db: Database, usernames: readonly string[]): Promise<Map<string, string[]>> {
  const looks = new Map(usernames.map((username) => [username, looksOf(username)]))
  const all = [...new Set([...looks.values()].flat())]
  if (!all.length) return new Map()
  const there = await db
    .select({ username: usersUser.username, looks: usersUser.looks })
    .from(usersUser)
    .where(arrayOverlaps(usersUser.looks, all))
  const byLook = new Map<string, string[]>()
  for (const row of there) for (const look of row.looks) byLook.set(look, [...(byLook.get(look) ?? []), row.username])
  return new Map(
    [...looks].map(([username, own]) => [
      username,
      own
        .flatMap((look) => byLook.get(look) ?? [])
        .filter((other) => other !== username && !isWrittenAlike(other, username)),
    ]),
  )
}

/** A name that passes for somebody else's is given to nobody; who has one already may keep it. */
export async function refuseLookAlikes({ draft, row, db }: WriteContext<typeof user, typeof usersUser>): Promise<void> {
  const { username } = draft
  if (typeof username !== 'string' || username === row?.username) return
  const alike = (await lookAlikes(db, [username])).get(username) ?? []
  if (alike.some((other) => other !== row?.username)) throw invalid({ username: LOOKS_LIKE_ANOTHER })
  draft.looks = looksOf(username)
}
