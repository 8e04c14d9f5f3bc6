import type { OrgRole } from '@sallyport/contract/access.ts'
import { and, eq, inArray, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/database/database.ts'
import { publishIn } from '../../kernel/events/events.ts'
import { orgsMember } from './tables.ts'

/** Told on every node when people's roles in an organisation were taken: `{ users: [id, …] }`. Live sessions look again whether they may go on. */
export const MEMBERSHIP_LOST = 'orgs.membership_lost'
/** PostgreSQL takes 8000 bytes of news at a time. */
const USERS_A_NOTE = 150

/** People whose last membership in an organisation goes. */
export interface EndedMemberships {
  org_id: string
  user_ids: readonly string[]
}

/** One kind of thing that people lose with their last membership in an organisation. */
export interface MembershipBond {
  /** English name of one of the kind, such as `User group`. */
  label: string
  /** How many there are to lose. */
  count(db: Database, people: EndedMemberships): Promise<number>
  /** Takes people out of all of them, in the transaction that ends the memberships. */
  end(db: Database, people: EndedMemberships): Promise<void>
}

const bonds = new Map<string, MembershipBond>()

/** Says what else ends when people's last memberships in an organisation go: its grants, groups and the like. */
export function onMembershipEnded(bond: MembershipBond): void {
  bonds.set(bond.label, bond)
}

/** What these people would lose by leaving the organisation; kinds of which there is nothing are left out. */
export async function whatLeavingEnds(db: Database, people: EndedMemberships): Promise<{ label: string; amount: number }[]> {
  if (!people.user_ids.length) return []
  const amounts: { label: string; amount: number }[] = []
  for (const { label, count } of bonds.values()) amounts.push({ label, amount: await count(db, people) })
  return amounts.filter(({ amount }) => amount > 0)
}

/** Adds memberships; existing ones stay as they are. */
export async function addMemberships(db: Database, members: readonly { org: string; user: string; role: OrgRole }[]): Promise<void> {
  if (members.length)
    await db
      .insert(orgsMember)
      .values([...members])
      .onConflictDoNothing()
}

/** Makes a person hold exactly these roles in an organisation. New ones come first, so that a change of role does not look like leaving. */
export async function setRoles(db: Database, user: string, org: string, roles: readonly OrgRole[]): Promise<void> {
  await addMemberships(
    db,
    roles.map((role) => ({ org, user, role })),
  )
  const kept = roles.length
    ? sql`${orgsMember.role} NOT IN (${sql.join(
        roles.map((role) => sql`${role}`),
        sql`, `,
      )})`
    : sql`true`
  await db.delete(orgsMember).where(and(eq(orgsMember.user, user), eq(orgsMember.org, org), kept))
  await endWhereNoneIsLeft(db, org, [user])
}

/** Ends all memberships of people in an organisation. */
export async function removeMembers(db: Database, users: readonly string[], org: string): Promise<void> {
  if (!users.length) return
  await db.delete(orgsMember).where(and(inArray(orgsMember.user, [...users]), eq(orgsMember.org, org)))
  await endWhereNoneIsLeft(db, org, users)
}

/** After these people lost memberships: ends what hung on them for those who have none left in the organisation, and tells all nodes. */
export async function endWhereNoneIsLeft(db: Database, org: string, users: readonly string[]): Promise<void> {
  if (!users.length) return
  for (let from = 0; from < users.length; from += USERS_A_NOTE)
    await publishIn(db, MEMBERSHIP_LOST, { users: users.slice(from, from + USERS_A_NOTE) })
  const staying = await db
    .selectDistinct({ user: orgsMember.user })
    .from(orgsMember)
    .where(and(inArray(orgsMember.user, [...users]), eq(orgsMember.org, org)))
  const left = new Set(staying.map(({ user }) => user))
  const user_ids = [...new Set(users)].filter((user) => !left.has(user))
  if (user_ids.length) for (const { end } of bonds.values()) await end(db, { org_id: org, user_ids })
}
