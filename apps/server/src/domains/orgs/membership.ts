import type { OrgRole } from '@sallyport/contract/access.ts'
import { DEFAULT_ORG_ID, ROOT_ORG_ID } from '@sallyport/contract/constants.ts'
import { and, countDistinct, eq, inArray, type SQL, sql } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import type { FieldChange } from '../../kernel/audit/audit.ts'
import type { Database } from '../../kernel/database/database.ts'
import { publishIn } from '../../kernel/events/events.ts'
import { columnOf } from '../../kernel/resource/mount.ts'
import { linkChangeOf } from '../../kernel/resource/operate-log/changes.ts'
import { refuseGiven } from './given.ts'
import { orgsMember } from './tables.ts'

/**
 * Told on every node when people lost roles in an organization: `{ users: [id, …] }`. Live sessions
 * then check again whether they may go on.
 */
export const MEMBERSHIP_LOST = 'orgs.membership_lost'
/** PostgreSQL takes 8000 bytes of a notification at a time. */
const USERS_A_NOTE = 150

/** People whose last membership in an organization ends. */
export interface EndedMemberships {
  org_id: string
  user_ids: readonly string[]
}

/**
 * Links between people and one kind of thing in an organization (grants, groups, …), which people
 * lose with their last membership there.
 */
export interface MembershipBond {
  /** English name of the thing, such as `User group`. */
  label: string
  /** One row for each person and thing. */
  links: PgTable
  person: PgColumn
  thing: PgColumn
  /** The organization, in the links themselves or in the table of the things. */
  orgId: PgColumn
  /** Which of the links are meant; all of them if undefined. */
  among?: SQL
}

const bonds = new Map<string, MembershipBond>()

/** Declares what else ends with people's last membership in an organization. */
export function onMembershipEnded(bond: MembershipBond): void {
  bonds.set(bond.label, bond)
}

/** The links of a kind that these people lose. */
function linksOf(
  db: Database,
  { links, person, thing, orgId, among }: MembershipBond,
  { user_ids, org_id }: EndedMemberships,
) {
  const things = orgId.table as PgTable
  const inOrganization =
    things === links
      ? eq(orgId, org_id)
      : inArray(
          thing,
          db
            .select({ id: columnOf(things, 'id') })
            .from(things)
            .where(eq(orgId, org_id)),
        )
  return and(inArray(person, [...user_ids]), inOrganization, among)
}

/**
 * How much these people would lose by leaving the organization, by label; kinds with nothing to lose
 * are left out.
 */
export async function lossesOfLeaving(
  db: Database,
  people: EndedMemberships,
): Promise<{ label: string; amount: number }[]> {
  if (!people.user_ids.length) return []
  const amounts: { label: string; amount: number }[] = []
  // Which module declared its bond first is chance.
  for (const bond of [...bonds.values()].sort((one, other) => (one.label < other.label ? -1 : 1))) {
    const [row] = await db
      .select({ amount: countDistinct(bond.thing) })
      .from(bond.links)
      .where(linksOf(db, bond, people))
    amounts.push({ label: bond.label, amount: row?.amount ?? 0 })
  }
  return amounts.filter(({ amount }) => amount > 0)
}

/** A role of somebody in the organization that is spoken of. */
export interface MemberRole {
  user: string
  role: string
}

/** Adds memberships; existing ones stay as they are. Answers who is new, in which role. */
export async function addMemberships(
  db: Database,
  members: readonly { org: string; user: string; role: OrgRole }[],
): Promise<MemberRole[]> {
  if (!members.length) return []
  return db
    .insert(orgsMember)
    .values([...members])
    .onConflictDoNothing()
    .returning({ user: orgsMember.user, role: orgsMember.role })
}

/**
 * Gives a person exactly these roles in an organization. Throws 400 where one that goes was given from
 * outside. New roles are added before old ones are
 * taken, so that a change of role does not count as leaving. Answers which roles came and went.
 */
export async function setRoles(
  db: Database,
  user: string,
  org: string,
  roles: readonly OrgRole[],
): Promise<{ added: string[]; removed: string[] }> {
  const added = await addMemberships(
    db,
    roles.map((role) => ({ org, user, role })),
  )
  const kept = roles.length
    ? sql`${orgsMember.role} NOT IN (${sql.join(
        roles.map((role) => sql`${role}`),
        sql`, `,
      )})`
    : sql`true`
  const removed = await db
    .delete(orgsMember)
    .where(and(eq(orgsMember.user, user), eq(orgsMember.org, org), kept))
    .returning({ role: orgsMember.role, given_by: orgsMember.given_by })
  refuseGiven(removed)
  await endLostMemberships(db, org, [user])
  return { added: added.map(({ role }) => role), removed: removed.map(({ role }) => role) }
}

/**
 * Where things of a person's own are written down who is not signed in yet: in the organization that
 * was asked for if they belong to it, else in one of their own, else in root.
 */
export async function ownOrganization(db: Database, user: string, wanted: string): Promise<string> {
  const [member] = await db
    .select({ org: orgsMember.org })
    .from(orgsMember)
    .where(eq(orgsMember.user, user))
    .orderBy(sql`${orgsMember.org} <> ${wanted}`, sql`${orgsMember.org} <> ${DEFAULT_ORG_ID}`, orgsMember.org)
    .limit(1)
  return member?.org ?? ROOT_ORG_ID
}

/**
 * Ends all memberships of people in an organization. Answers who had which role. Throws 400 where one
 * was given from outside.
 */
export async function removeMembers(db: Database, users: readonly string[], org: string): Promise<MemberRole[]> {
  if (!users.length) return []
  const ended = await db
    .delete(orgsMember)
    .where(and(inArray(orgsMember.user, [...users]), eq(orgsMember.org, org)))
    .returning({ user: orgsMember.user, role: orgsMember.role, given_by: orgsMember.given_by })
  refuseGiven(ended)
  await endLostMemberships(db, org, users)
  return ended.map(({ user, role }) => ({ user, role }))
}

/** Roles that a person got or lost, as the operate log keeps them beside the person. */
export const roleChange = (roles: { added?: readonly string[]; removed?: readonly string[] }): FieldChange =>
  linkChangeOf({ name: 'org_roles', added: roles.added ?? [], removed: roles.removed ?? [] }, (role) => role)

/** Once the transaction is stored, live sessions of these people check again whether they may go on. */
export async function announceLoss(db: Database, users: readonly string[]): Promise<void> {
  for (let from = 0; from < users.length; from += USERS_A_NOTE)
    await publishIn(db, MEMBERSHIP_LOST, { users: users.slice(from, from + USERS_A_NOTE) })
}

/**
 * To be called after these people lost memberships: for those who have none left in the
 * organization, ends everything that depends on it; notifies all nodes.
 */
export async function endLostMemberships(db: Database, org: string, users: readonly string[]): Promise<void> {
  if (!users.length) return
  await announceLoss(db, users)
  const staying = await db
    .selectDistinct({ user: orgsMember.user })
    .from(orgsMember)
    .where(and(inArray(orgsMember.user, [...users]), eq(orgsMember.org, org)))
  const left = new Set(staying.map(({ user }) => user))
  const user_ids = [...new Set(users)].filter((user) => !left.has(user))
  if (user_ids.length)
    for (const bond of bonds.values()) await db.delete(bond.links).where(linksOf(db, bond, { org_id: org, user_ids }))
}
