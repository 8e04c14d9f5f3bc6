import type { user } from '@sallyport/contract/resources/users/user.ts'
import { type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { invalid } from '../../kernel/errors/app-error.ts'
import type { WriteContext } from '../../kernel/resource/mount.ts'
import type { usersUser } from './tables.ts'

/** Controls, and characters without width, some of which count as letters. */
export const UNSEEN = /[\p{Cc}\p{Cf}\p{DI}]/u

/** The look of a user name, in any form of its letters: unique. */
export const lookOf = (username: PgColumn | string): SQL => sql`lower(normalize(${username}, NFKC))`

/** In a log nobody could tell such a name from another one; who has one already may keep it. */
export function refuseUnseenCharacters({ draft, row }: WriteContext<typeof user, typeof usersUser>): void {
  if (typeof draft.username !== 'string' || draft.username === row?.username) return
  if (UNSEEN.test(draft.username)) throw invalid({ username: 'A username holds no invisible characters' })
}
