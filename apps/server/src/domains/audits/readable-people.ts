import { type SQL, sql } from 'drizzle-orm'
import { type Call, isSuperAdmin } from '../../kernel/access/call.ts'

/**
 * Of whom the caller may read, in the current organisation, what belongs to no organisation: how
 * they sign in, and when they changed their password. Rows `(id, name, username, since)`, for a
 * FROM; what was before `since` concerns the organisation as little as what people do elsewhere.
 *
 * These are the members who belong to no organisation that the caller neither administers nor
 * audits, and the caller. Whoever administers or audits everything reads of all members at all
 * times. In the root organisation there is nothing to ask.
 */
export function readablePeople(call: Call): SQL {
  const { org, user } = call
  const members = (since: SQL, among: SQL) => sql`(
    SELECT u.id, u.name, u.username, ${since} AS since
    FROM users_account u JOIN orgs_membership m ON m.user_id = u.id
    WHERE m.org_id = ${org.id} AND ${among}
    GROUP BY u.id, u.name, u.username)`
  if (isSuperAdmin(call) || user?.role === 'Auditor') return members(sql`'-infinity'::timestamptz`, sql`true`)
  const caller = user?.id ?? null
  return members(
    sql`min(m.date_joined)`,
    sql`(u.id = ${caller} OR NOT EXISTS (
      SELECT 1 FROM orgs_membership o WHERE o.user_id = u.id AND o.org_id NOT IN (
        SELECT mine.org_id FROM orgs_membership mine WHERE mine.user_id = ${caller} AND mine.role IN ('Admin', 'Auditor'))))`,
  )
}
