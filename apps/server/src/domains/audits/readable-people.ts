import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { type Call, isSuperAdmin } from '../../kernel/access/call.ts'

/**
 * The people whose own rows, such as their sign-ins, the caller may read in the current
 * organization, although they belong to no organization. Rows `(id)`, for a FROM.
 * These are the members who belong to no organization that the caller neither administers nor
 * audits, and the caller. A caller who administers or audits everything reads the rows of all
 * members. The root organization needs no check.
 */
export function readablePeople(call: Call): SQL {
  const { org, user } = call
  const members = (among: SQL) => sql`(
    SELECT DISTINCT m.user_id AS id FROM orgs_membership m WHERE m.org_id = ${org.id} AND ${among})`
  if (isSuperAdmin(call) || user?.role === 'Auditor') return members(sql`true`)
  const caller = user?.id ?? null
  return members(
    sql`(m.user_id = ${caller} OR NOT EXISTS (
      SELECT 1 FROM orgs_membership o WHERE o.user_id = m.user_id AND o.org_id NOT IN (${readableBy(caller)})))`,
  )
}

/** Organizations that somebody administers or audits. */
const readableBy = (caller: string | null) =>
  sql`SELECT mine.org_id FROM orgs_membership mine WHERE mine.user_id = ${caller} AND mine.role IN ('Admin', 'Auditor')`

/** Columns of a row about a person. */
interface OfPerson {
  user_id: SQLWrapper
  /** Where the person belonged when the row was made. */
  org_ids: SQLWrapper
}

/**
 * Whether the current organization may read a row about how somebody signs in: decided by their
 * organizations when it was made, whatever became since of their name, their memberships or
 * themselves. As with people, the row of a person who also belonged elsewhere is read by callers
 * who administer or audit all of that.
 */
export function isOwnRow(call: Call, { user_id, org_ids }: OfPerson): SQL {
  const { org, user } = call
  const here = sql`${org_ids} @> ARRAY[${org.id}::uuid]`
  if (isSuperAdmin(call) || user?.role === 'Auditor') return here
  const caller = user?.id ?? null
  return sql`${here} AND (${user_id} = ${caller} OR ${org_ids} <@ ARRAY(${readableBy(caller)}))`
}

/** Where somebody belongs now, for their rows. */
export const orgIdsOf = (userId: SQL): SQL<string[]> =>
  sql`ARRAY(SELECT DISTINCT m.org_id FROM orgs_membership m WHERE m.user_id = ${userId} ORDER BY m.org_id)`
