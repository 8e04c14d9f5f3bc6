import type { user } from '@sallyport/contract/resources/users/user.ts'
import { and, eq, inArray, sql } from 'drizzle-orm'
import { type Call, callerOf, isComponent, isSuperAdmin } from '../../kernel/access/call.ts'
import type { Database } from '../../kernel/database/database.ts'
import { AppError, forbidden, invalid } from '../../kernel/errors/app-error.ts'
import { translate } from '../../kernel/i18n/translate.ts'
import type { WriteContext } from '../../kernel/resource/mount.ts'
import { orgsMembership } from '../orgs/index.ts'
import { mayUpdate } from './may-change.ts'
import { usersUser } from './tables.ts'

/**
 * The fields that a person has in every organization. For people who also belong to one that the
 * caller does not administer, only a system administrator changes them: an administrator could
 * otherwise invite somebody, and sign in as them, lock them out, or give them another name there.
 */
const GLOBAL_FIELDS = [
  'name',
  'username',
  'email',
  'phone',
  'wechat',
  'comment',
  'source',
  'mfa_level',
  'is_active',
  'need_update_password',
  'date_expired',
] as const
const SECRETS = ['password', 'public_key'] as const

const SHARED =
  'This person also belongs to an organization that you do not administer: only a system administrator may change this.'

/**
 * Those of these people who belong to an organization that the caller does not administer; none for
 * callers who work across organizations.
 */
export async function peopleElsewhere(db: Database, call: Call, ids: readonly string[]): Promise<Set<string>> {
  const caller = callerOf(call).id
  const others = ids.filter((id) => id !== caller)
  if (isSuperAdmin(call) || isComponent(call) || !others.length) return new Set()
  const administered = sql`(SELECT mine.org_id FROM ${orgsMembership} mine WHERE mine.user_id = ${caller} AND mine.role = 'Admin')`
  const rows = await db
    .selectDistinct({ id: orgsMembership.user_id })
    .from(orgsMembership)
    .where(and(inArray(orgsMembership.user_id, others), sql`${orgsMembership.org_id} NOT IN ${administered}`))
  return new Set(rows.map(({ id }) => id))
}

/**
 * Throws 403 unless the caller may change what concerns this person everywhere, such as how they
 * sign in. That are system administrators, the person, and an organization's administrator for
 * people who belong to no organization that this one does not administer.
 */
export async function guardPerson(db: Database, call: Call, userId: string): Promise<void> {
  const [person] = await db
    .select({ id: usersUser.id, role: usersUser.role })
    .from(usersUser)
    .where(eq(usersUser.id, userId))
  if (person && !mayUpdate(call, person)) throw forbidden()
  if ((await peopleElsewhere(db, call, [userId])).size) throw new AppError(403, 'permission_denied', SHARED)
}

/**
 * The same rule for the user form, at its fields: 400. A form sends all of them, so only those that
 * change count; and a PUT does not reset what the caller may not change.
 */
export async function guardGlobalFields({
  body,
  call,
  db,
  draft,
  row,
}: WriteContext<typeof user, typeof usersUser>): Promise<void> {
  if (!row || !(await peopleElsewhere(db, call, [row.id])).size) return
  const changed: string[] = SECRETS.filter((name) => draft[name])
  for (const name of GLOBAL_FIELDS)
    if (!(name in body)) delete draft[name]
    else if (isOtherValue(draft[name], row[name])) changed.push(name)
  if (!changed.length) return
  const text = translate(call.language, SHARED)
  throw invalid(Object.fromEntries(changed.map((name) => [name, text])))
}

/** Whether a form changes a value that it sends back. */
export const isOtherValue = (sent: unknown, stored: unknown): boolean => comparable(sent) !== comparable(stored)

/** Dates in seconds, which is all that the wire carries; nothing is as an empty text. */
const comparable = (value: unknown) =>
  value instanceof Date ? Math.floor(value.getTime() / 1000) : value === null || value === undefined ? '' : value
