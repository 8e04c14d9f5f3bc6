import { COACH_DAYS } from '@sallyport/contract/resources/reviews/access-proposal.ts'
import { eq, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/database/database.ts'
import { permissionsInForce, standingGrants, usesOfGrants } from '../perms/standing/index.ts'
import { reviewsAccessReview } from './tables.ts'

export type StoredReview = typeof reviewsAccessReview.$inferSelect

/** Sessions of so many days are counted. */
const USE_DAYS = COACH_DAYS

/**
 * SQL: a text as the id that it is, or NULL: components may say anything. A regular expression takes
 * ten times as long.
 */
const idIn = (text: SQL) => sql`CASE
  WHEN ${text} LIKE '________-____-____-____-____________' AND translate(${text}, '0123456789abcdef', '') = '----'
  THEN ${text}::uuid END`

/** Query of the ways on which an organization's people worked, as `usesOfGrants` takes them. */
export const waysOfSessions = (orgId: string): SQL => sql`
  SELECT w.* FROM (
    SELECT ${idIn(sql`t.user_id`)} AS user_id, t.target_family AS family, ${idIn(sql`t.asset_id`)} AS target_id,
      ${idIn(sql`t.system_user_id`)} AS system_user_id, t.last_use, t.first_use, t.uses
    FROM (
      SELECT user_id, target_family, asset_id, system_user_id, max(date_start) AS last_use,
        min(date_start) FILTER (WHERE date_start > now() - make_interval(days => ${USE_DAYS})) AS first_use,
        count(*) FILTER (WHERE date_start > now() - make_interval(days => ${USE_DAYS})) AS uses
      FROM terminal_listed_session WHERE org_id = ${orgId}::uuid GROUP BY 1, 2, 3, 4) t) w
  WHERE w.user_id IS NOT NULL AND w.target_id IS NOT NULL`

/**
 * Begins a review: each grant that is in force becomes a line, with what it gives and its last use.
 * Answers the review as it is now. `db` is a transaction that holds the review.
 */
export async function startReview(db: Database, review: StoredReview): Promise<StoredReview> {
  const { id, org_id, decided_by } = review
  const chosen = sql`
    SELECT permission FROM reviews_asset_permission WHERE review = ${id}::uuid
    UNION ALL SELECT permission FROM reviews_app_permission WHERE review = ${id}::uuid`
  const { rows } = await db.execute<{ is_narrowed: boolean }>(sql`SELECT EXISTS (${chosen}) AS is_narrowed`)
  const permissions = permissionsInForce(org_id, rows[0]?.is_narrowed ? chosen : undefined)
  await db.execute(sql`
    INSERT INTO reviews_line (org_id, review, permission, permission_name, family, subject_kind, subject, subject_name,
      members_amount, facts, date_expired, last_use, uses, reviewer)
    SELECT ${org_id}::uuid, ${id}::uuid, g.permission, g.permission_name, g.family, g.subject_kind, g.subject,
      g.subject_name, g.members_amount, g.facts, g.date_expired, u.last_use, coalesce(u.uses, 0),
      ${decided_by === 'creators' ? sql`g.creator` : sql`NULL::uuid`}
    FROM (${standingGrants(org_id, permissions)}) g
      LEFT JOIN (${usesOfGrants(org_id, waysOfSessions(org_id))}) u USING (permission, subject_kind, subject)
    ORDER BY g.subject_name, g.permission_name`)
  const [stored] = await db
    .update(reviewsAccessReview)
    .set({ state: 'open', job: null })
    .where(eq(reviewsAccessReview.id, id))
    .returning()
  return stored ?? review
}
