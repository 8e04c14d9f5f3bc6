import type { OrgRole } from '@sallyport/contract/access.ts'
import { and, eq, inArray, lte, sql } from 'drizzle-orm'
import { type Call, callerOf, displayName, isSuperAdmin } from '../../../kernel/access/call.ts'
import type { Database } from '../../../kernel/database/database.ts'
import { lockUntilCommit } from '../../../kernel/database/locks.ts'
import { refused } from '../../../kernel/errors/app-error.ts'
import { addMemberships, type MemberRole } from '../membership.ts'
import { orgsInvitation, orgsMember } from '../tables.ts'

/** How long an invitation can be accepted; nobody is asked twice within that time. */
const VALID_DAYS = 7
/** Open invitations of one organization. */
const MAX_OPEN = 1000

export interface Invited {
  user: string
  role: OrgRole
}

/** What became of those who were invited. */
export interface InviteResult {
  /** Members from now on, or in a further role. */
  members: Set<string>
  /** The roles that they got. */
  gained: MemberRole[]
  /** The invitations of the others, with all roles that they offer; none of those who declined. */
  invitations: { id: string; user: string; roles: OrgRole[] }[]
  /** Those who now have an invitation and must be notified of it. */
  toNotify: string[]
}

/**
 * Brings people into the current organization: those who belong to it already, and everybody if a
 * system administrator says so, at once; others when they accept. Who has declined is not asked
 * again until that invitation has expired. Throws 400 where too many are open.
 */
export async function invite(db: Database, call: Call, invited: readonly Invited[]): Promise<InviteResult> {
  const org = call.org.id
  const ids = [...new Set(invited.map(({ user }) => user))]
  const members = new Set(isSuperAdmin(call) ? ids : await membersAmong(db, org, ids))
  const gained = await addMemberships(
    db,
    invited.filter(({ user }) => members.has(user)).map((one) => ({ org, ...one })),
  )
  if (members.size)
    await db
      .delete(orgsInvitation)
      .where(and(eq(orgsInvitation.org_id, org), inArray(orgsInvitation.user, [...members])))
  const invitations = await storeInvitations(
    db,
    call,
    invited.filter(({ user }) => !members.has(user)),
  )
  const toNotify = invitations.filter(({ is_new }) => is_new).map(({ user }) => user)
  return { members, gained, invitations, toNotify }
}

async function membersAmong(db: Database, org: string, ids: readonly string[]): Promise<string[]> {
  if (!ids.length) return []
  const rows = await db
    .selectDistinct({ user: orgsMember.user })
    .from(orgsMember)
    .where(and(eq(orgsMember.org, org), inArray(orgsMember.user, [...ids])))
  return rows.map(({ user }) => user)
}

type StoredInvitation = { id: string; user: string; roles: OrgRole[]; is_new: boolean }

/** Answers the invitations; new ones are of people who had none of this organization before. */
async function storeInvitations(db: Database, call: Call, invited: readonly Invited[]): Promise<StoredInvitation[]> {
  if (!invited.length) return []
  const org = call.org.id
  // Two calls at once count one after the other.
  await lockUntilCommit(db, `orgs.invitations.${org}`)
  await db
    .delete(orgsInvitation)
    .where(and(eq(orgsInvitation.org_id, org), lte(orgsInvitation.date_expired, sql`now()`)))
  const inviter = callerOf(call)
  const { rows } = await db.execute<StoredInvitation>(sql`
    INSERT INTO orgs_invitation (org_id, "user", roles, inviter, invited_by, date_expired)
    SELECT ${org}, invited.id, array_agg(DISTINCT invited.role), ${inviter.id}, ${displayName(inviter)}, now() + make_interval(days => ${VALID_DAYS})
    FROM unnest(${sql.param(invited.map(({ user }) => user))}::uuid[], ${sql.param(invited.map(({ role }) => role))}::text[]) AS invited (id, role)
    GROUP BY invited.id
    ON CONFLICT (org_id, "user") DO UPDATE SET
      roles = CASE orgs_invitation.status WHEN 'pending'
        THEN (SELECT array_agg(DISTINCT role) FROM unnest(orgs_invitation.roles || excluded.roles) role)
        ELSE excluded.roles END,
      status = 'pending', inviter = excluded.inviter, invited_by = excluded.invited_by
    WHERE orgs_invitation.status <> 'declined'
    RETURNING id, "user", roles, xmax = 0 AS is_new`)
  const [open] = await db
    .select({ count: sql<number>`count(*)::int` })
    .from(orgsInvitation)
    .where(and(eq(orgsInvitation.org_id, org), eq(orgsInvitation.status, 'pending')))
  if ((open?.count ?? 0) > MAX_OPEN)
    throw refused('bad_request', 'Too many invitations of this organization are open: withdraw some first.')
  return rows
}
