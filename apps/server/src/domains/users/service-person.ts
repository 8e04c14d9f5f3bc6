import type { user } from '@sallyport/contract/resources/users/user.ts'
import { eq, inArray, or, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/database/database.ts'
import { AppError, invalid } from '../../kernel/errors/app-error.ts'
import { publishIn } from '../../kernel/events/events.ts'
import { translate } from '../../kernel/i18n/translate.ts'
import type { DeleteContext, WriteContext } from '../../kernel/resource/mount.ts'
import { addMemberships } from '../orgs/index.ts'
import { USER_CHANGED } from './changes.ts'
import { looksOf } from './look-alike/look-alike.ts'
import { LOOKS_LIKE_ANOTHER, lookAlikes } from './look-alike/refuse-look-alikes.ts'
import { isOtherValue } from './shared-person.ts'
import { usersUser } from './tables.ts'
import { lookOf } from './username.ts'

/** The source of people who are machines and scripts. No way to sign in knows it. */
const SERVICE = 'service'

/** The values that the user of a service identity has from it. */
export interface ServicePerson {
  name: string
  username: string
  owner: string | null
  is_active: boolean
  date_expired: Date | null
}

/**
 * Makes the user of a service identity, a member of the organization who may do nothing yet. Answers
 * its id. Throws 400 on `username` where it is taken, or looks like another one.
 */
export async function addServicePerson(
  db: Database,
  { org, created_by, ...person }: ServicePerson & { org: string; created_by: string },
): Promise<string> {
  await refuseTaken(db, person.username)
  const [made] = await db
    .insert(usersUser)
    .values({ ...columnsOf(person), source: SERVICE, is_first_login: false, created_by })
    .returning({ id: usersUser.id })
  if (!made) throw new Error('the user of the service identity was not stored')
  await addMemberships(db, [{ org, user: made.id, role: 'User' }])
  return made.id
}

/** The same once the identity has changed; who is connected is looked at again. */
export async function changeServicePerson(db: Database, id: string, person: ServicePerson): Promise<void> {
  const [stored] = await db.select({ username: usersUser.username }).from(usersUser).where(eq(usersUser.id, id))
  if (stored && stored.username !== person.username) await refuseTaken(db, person.username)
  await db.update(usersUser).set(columnsOf(person)).where(eq(usersUser.id, id))
  await publishIn(db, USER_CHANGED, { user_id: id })
}

/** With them go their memberships, places in groups and permissions. */
export async function removeServicePeople(db: Database, ids: readonly string[]): Promise<void> {
  if (!ids.length) return
  await db.delete(usersUser).where(inArray(usersUser.id, [...ids]))
  for (const id of ids) await publishIn(db, USER_CHANGED, { user_id: id })
}

const columnsOf = ({ name, username, owner, is_active, date_expired }: ServicePerson) => ({
  name,
  username,
  looks: looksOf(username),
  // No mail is sent there: `.invalid` is nobody's (RFC 2606).
  email: `${username}@service.invalid`,
  owner_id: owner,
  is_active,
  date_expired,
})

async function refuseTaken(db: Database, username: string): Promise<void> {
  const [taken] = await db
    .select({ id: usersUser.id })
    .from(usersUser)
    .where(or(eq(lookOf(usersUser.username), lookOf(username)), eq(usersUser.email, `${username}@service.invalid`)))
  if (taken) throw invalid({ username: 'This field must be unique.' })
  if ((await lookAlikes(db, [username])).get(username)?.length) throw invalid({ username: LOOKS_LIKE_ANOTHER })
}

/** Whether a service identity may call, or the first reason why not. */
export type ServiceState = 'active' | 'disabled' | 'expired' | 'owner_gone' | 'owner_disabled' | 'owner_expired'

/** How it stands with these service identities. */
export async function serviceStates(db: Database, ids: readonly string[]): Promise<Map<string, ServiceState>> {
  const { rows } = await db.execute<{ id: string; state: ServiceState }>(sql`
    SELECT u.id, CASE
      WHEN NOT u.is_active THEN 'disabled'
      WHEN u.date_expired <= now() THEN 'expired'
      WHEN o.id IS NULL THEN 'owner_gone'
      WHEN NOT o.is_active OR d.is_open IS FALSE THEN 'owner_disabled'
      WHEN o.date_expired <= now() THEN 'owner_expired'
      ELSE 'active' END AS state
    FROM users_user u LEFT JOIN users_user o ON o.id = u.owner_id
      LEFT JOIN users_directory d ON d.id = o.directory_id
    WHERE u.id = ANY(${sql.param([...ids])}::uuid[]) AND u.source = ${SERVICE}`)
  return new Map(rows.map(({ id, state }) => [id, state]))
}

const OF_IDENTITY = [
  ...['name', 'username', 'email', 'phone', 'wechat', 'comment', 'source', 'mfa_level', 'is_active'],
  ...['need_update_password', 'date_expired'],
]
const CHANGED_THERE = 'This is a service identity and is changed on its own page'

/**
 * The rule of the user form: nobody becomes a service identity there or stops being one, and it is
 * given roles and groups alone. Throws 400 by field.
 */
export function keepServicePerson({ call, draft, row }: WriteContext<typeof user, typeof usersUser>): void {
  if (row?.source !== SERVICE) {
    if (draft.source === SERVICE) throw invalid({ source: 'Service identities are created on their own page' })
    return
  }
  const sent = draft as Record<string, unknown>
  const stored = row as unknown as Record<string, unknown>
  const changed = OF_IDENTITY.filter((name) => name in sent && isOtherValue(sent[name], stored[name]))
  for (const name of ['password', 'public_key']) if (sent[name]) changed.push(name)
  const text = translate(call.language, CHANGED_THERE)
  if (changed.length) throw invalid(Object.fromEntries(changed.map((name) => [name, text])))
}

/** Throws 400 for a service identity among people whose sign-in is reset, or who are deleted. */
export function refuseService({ rows }: Pick<DeleteContext<typeof usersUser>, 'rows'>): void {
  if (rows.some(({ source }) => source === SERVICE)) throw new AppError(400, 'service_identity', CHANGED_THERE)
}
