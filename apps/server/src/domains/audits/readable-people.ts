import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
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
      SELECT 1 FROM orgs_membership o WHERE o.user_id = u.id AND o.org_id NOT IN (${readableBy(caller)})))`,
  )
}

/** Organisations that somebody administers or audits. */
const readableBy = (caller: string | null) =>
  sql`SELECT mine.org_id FROM orgs_membership mine WHERE mine.user_id = ${caller} AND mine.role IN ('Admin', 'Auditor')`

/** Columns of a row about a person. */
interface OfPerson {
  user_id: SQLWrapper
  /** Where the person belonged when the row was made; null in rows from before that was kept. */
  org_ids: SQLWrapper
  /** When the row was made. */
  datetime: SQLWrapper
}

/**
 * Whether a row about how somebody signs in is the current organisation's to read: by where they
 * belonged when it was made, whatever became since of their name, their memberships or themselves.
 * As with people, whoever belonged elsewhere, too, is read of by who administers or audits all of
 * that. Rows from before go by whom `isAbout` finds among those who are there now (`p`).
 */
export function isOwnRow(call: Call, { user_id, org_ids, datetime }: OfPerson, isAbout: SQL): SQL {
  const { org, user } = call
  const caller = user?.id ?? null
  const here = sql`${org_ids} @> ARRAY[${org.id}::uuid]`
  const kept =
    isSuperAdmin(call) || user?.role === 'Auditor'
      ? here
      : sql`${here} AND (${user_id} = ${caller} OR ${org_ids} <@ ARRAY(${readableBy(caller)}))`
  return sql`CASE WHEN ${org_ids} IS NULL
    THEN EXISTS (SELECT 1 FROM ${readablePeople(call)} p WHERE ${isAbout} AND p.since <= ${datetime})
    ELSE ${kept} END`
}

/** Where somebody belongs now, for their rows. */
export const orgIdsOf = (userId: SQL): SQL<string[]> =>
  sql`ARRAY(SELECT DISTINCT m.org_id FROM orgs_membership m WHERE m.user_id = ${userId} ORDER BY m.org_id)`
