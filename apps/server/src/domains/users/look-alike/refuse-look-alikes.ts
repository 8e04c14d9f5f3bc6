import type { user } from '@sallyport/contract/resources/users/user.ts'
import { arrayOverlaps, isNull, sql } from 'drizzle-orm'
import type { Database } from '../../../kernel/database/database.ts'
import { invalid } from '../../../kernel/errors/app-error.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { WriteContext } from '../../../kernel/resource/mount.ts'
import { usersUser } from '../tables.ts'
import { isWrittenAlike, looksOf } from './look-alike.ts'

export const LOOKS_LIKE_ANOTHER = 'This username looks like that of somebody else'

/** User names that people would take for one of these, whoever has them; by each of these. */
export async function lookAlikes(db: Database, usernames: readonly string[]): Promise<Map<string, string[]>> {
  const looks = new Map(usernames.map((username) => [username, looksOf(username)]))
  const all = [...new Set([...looks.values()].flat())]
  if (!all.length) return new Map()
  const there = await db
    .select({ username: usersUser.username, looks: usersUser.looks })
    .from(usersUser)
    .where(arrayOverlaps(usersUser.looks, all))
  const byLook = new Map<string, string[]>()
  for (const row of there)
    for (const look of row.looks ?? []) byLook.set(look, [...(byLook.get(look) ?? []), row.username])
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

const PIECE = 1000

/** For people who were stored before it was kept what names are taken for. */
export async function fillLooks({ db }: Pick<Kernel, 'db'>): Promise<void> {
  for (;;) {
    const rows = await db
      .select({ id: usersUser.id, username: usersUser.username })
      .from(usersUser)
      .where(isNull(usersUser.looks))
      .limit(PIECE)
    if (!rows.length) return
    const filled = rows.map(({ id, username }) => ({ id, looks: looksOf(username) }))
    await db.execute(sql`
      UPDATE users_user u SET looks = ARRAY(SELECT jsonb_array_elements_text(f.looks))
      FROM jsonb_to_recordset(${JSON.stringify(filled)}::jsonb) f (id uuid, looks jsonb) WHERE u.id = f.id`)
    if (rows.length < PIECE) return
  }
}
