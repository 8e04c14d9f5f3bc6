import { and, eq, or } from 'drizzle-orm'
import { isSuperAdmin } from '../../kernel/access/call.ts'
import { refuseLimited } from '../../kernel/access/limited-key.ts'
import { forbidden } from '../../kernel/errors/app-error.ts'
import type { ChangedRow, ReadContext } from '../../kernel/resource/mount.ts'
import { refuseGiven } from './given.ts'
import { endLostMemberships } from './membership.ts'
import { orgsMember } from './tables.ts'

const TABLE = 'orgs_member'

/** A person with the rows that a change wrote, as undo has them. */
interface Moved {
  id: string
  isOwn: boolean
  rows: readonly ChangedRow[]
}

/**
 * Those of these people who came into an organization or left it by the change: when that is taken
 * back, its memberships come and go as they were, with all that ended with them. Throws 403 for changes of
 * others: by hand an administrator invites people, who then decide themselves.
 */
export async function comingsAndGoings(context: ReadContext, people: readonly Moved[]) {
  const { db, call } = context
  const places = people.flatMap(({ id, isOwn, rows }) => {
    const members = rows.filter(({ table }) => table === TABLE)
    const org = String((members[0]?.before ?? members[0]?.after)?.org ?? '')
    return org ? [{ id, isOwn, org, members }] : []
  })
  const now = places.length
    ? await db
        .select()
        .from(orgsMember)
        .where(or(...places.map(({ id, org }) => and(eq(orgsMember.user, id), eq(orgsMember.org, org)))))
    : []
  const moved = places.filter(({ id, org, members }) => {
    const own = now.filter((one) => one.user === id && one.org === org)
    const added = new Set(members.filter(({ before }) => !before).map(({ key }) => key.id))
    const isBack = members.some(({ after }) => !after)
    return own.length > 0 !== (isBack || own.some((one) => !added.has(one.id)))
  })
  for (const { isOwn, members } of moved) {
    if (!isOwn && !isSuperAdmin(call)) throw forbidden(OTHERS)
    if (members.some(({ before }) => before?.role === 'Admin')) refuseLimited(call)
    const added = members.flatMap(({ before, key }) => (before ? [] : [String(key.id)]))
    refuseGiven(now.filter((one) => added.includes(one.id)))
  }
  return {
    ids: new Set(moved.map(({ id }) => id)),
    async afterwards() {
      for (const [org, some] of Map.groupBy(moved, (one) => one.org)) {
        const left = some.map(({ id }) => id)
        await endLostMemberships(db, org, left)
      }
    },
  }
}

const OTHERS = 'A system administrator, or the person who made the change, can put all of it back.'
