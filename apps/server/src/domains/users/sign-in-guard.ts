import type { user } from '@sallyport/contract/resources/users/user.ts'
import { and, eq, sql } from 'drizzle-orm'
import { type Call, callerOf, isSuperAdmin } from '../../kernel/access/call.ts'
import type { Database } from '../../kernel/database/database.ts'
import { AppError, forbidden } from '../../kernel/errors/app-error.ts'
import type { WriteContext } from '../../kernel/resource/mount.ts'
import { orgsMembership } from '../orgs/index.ts'
import { usersUser } from './tables.ts'
import { mayUpdate } from './user-fields.ts'

/**
 * Whoever changes one of these can sign in as the person, or lock them out, in every organisation.
 */
const SIGN_IN_FIELDS = [
  'username',
  'email',
  'phone',
  'source',
  'mfa_level',
  'is_active',
  'need_update_password',
] as const
const SECRETS = ['password', 'public_key'] as const

/**
 * Who may change how a person signs in: a super administrator, the person, and an organisation's
 * administrator if the person belongs to no organisation that this one does not administer.
 * Otherwise an administrator could invite somebody, set their password, and get at another
 * organisation's machines.
 */
export async function mayChangeSignIn(db: Database, call: Call, userId: string): Promise<boolean> {
  const caller = callerOf(call).id
  if (isSuperAdmin(call) || userId === caller) return true
  const own = sql`(SELECT mine.org_id FROM ${orgsMembership} mine WHERE mine.user_id = ${caller} AND mine.role = 'Admin')`
  const [foreign] = await db
    .select({ org: orgsMembership.org_id })
    .from(orgsMembership)
    .where(and(eq(orgsMembership.user_id, userId), sql`${orgsMembership.org_id} NOT IN ${own}`))
    .limit(1)
  return foreign === undefined
}

export const foreignSignIn = () =>
  new AppError(
    403,
    'permission_denied',
    'This person also belongs to an organization that you do not administer: only a system administrator may change how they sign in.',
  )

/** Throws 403 unless the caller may decide how this person signs in. */
export async function guardSignInOf(db: Database, call: Call, userId: string): Promise<void> {
  const [user] = await db
    .select({ id: usersUser.id, role: usersUser.role })
    .from(usersUser)
    .where(eq(usersUser.id, userId))
  if (user && !mayUpdate(call, user)) throw forbidden()
  if (!(await mayChangeSignIn(db, call, userId))) throw foreignSignIn()
}

/** Compared in seconds, which is all that the wire carries. */
const inSeconds = (date: unknown) => (date instanceof Date ? Math.floor(date.getTime() / 1000) : undefined)

/** The same rule for the user form. A form sends all fields, so only those that change count. */
export async function guardSignIn({
  body,
  call,
  db,
  draft,
  row,
}: WriteContext<typeof user, typeof usersUser>): Promise<void> {
  if (!row) return
  const changes =
    SIGN_IN_FIELDS.some((name) => draft[name] !== undefined && draft[name] !== row[name]) ||
    ('date_expired' in body && inSeconds(draft.date_expired) !== inSeconds(row.date_expired)) ||
    SECRETS.some((name) => draft[name])
  if (changes && !(await mayChangeSignIn(db, call, row.id))) throw foreignSignIn()
}
