import type { OrgRole } from '@sallyport/contract/access.ts'
import { and, eq, inArray, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/database/database.ts'
import { orgsMember } from './tables.ts'

type EndHook = (db: Database, ended: { user_id: string; org_id: string }) => Promise<void>

const endHooks: EndHook[] = []

/** Runs, in the same transaction, when a person's last membership in an organisation goes: takes them out of its grants, groups and the like. */
export function onMembershipEnded(hook: EndHook): void {
  if (!endHooks.includes(hook)) endHooks.push(hook)
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
  await endWhereNoneIsLeft(db, [{ user_id: user, org_id: org }])
}

/** Ends all memberships of people in an organisation. */
export async function removeMembers(db: Database, users: readonly string[], org: string): Promise<void> {
  if (!users.length) return
  await db.delete(orgsMember).where(and(inArray(orgsMember.user, [...users]), eq(orgsMember.org, org)))
  await endWhereNoneIsLeft(
    db,
    users.map((user_id) => ({ user_id, org_id: org })),
  )
}

/** Calls the hooks for those pairs that have no membership left. */
export async function endWhereNoneIsLeft(db: Database, pairs: readonly { user_id: string; org_id: string }[]): Promise<void> {
  for (const pair of pairs) {
    const [left] = await db
      .select({ id: orgsMember.id })
      .from(orgsMember)
      .where(and(eq(orgsMember.user, pair.user_id), eq(orgsMember.org, pair.org_id)))
      .limit(1)
    if (!left) for (const hook of endHooks) await hook(db, pair)
  }
}
