import type { user } from '@sallyport/contract/resources/users/user.ts'
import { invalid } from '../../kernel/errors/app-error.ts'
import type { WriteContext } from '../../kernel/resource/mount.ts'
import type { usersUser } from './tables.ts'

/** Controls, and characters without width, some of which count as letters. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{DI}]/u

/** In a log nobody could tell such a name from another one; who has one already may keep it. */
export function refuseUnseenCharacters({ draft, row }: WriteContext<typeof user, typeof usersUser>): void {
  if (typeof draft.username !== 'string' || draft.username === row?.username) return
  if (UNSEEN.test(draft.username)) throw invalid({ username: 'A username holds no invisible characters' })
}
