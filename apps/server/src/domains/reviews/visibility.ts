import { type SQL, sql } from 'drizzle-orm'
import { type Call, callerOf, isOrgAuditor } from '../../kernel/access/call.ts'
import { NOTHING } from '../../kernel/resource/conditions.ts'

/** SQL: the member of the organization who alone is asked about a line; NULL where all reviewers are. */
const aloneAsked = (line: SQL) => sql`(
  SELECT ${line}.reviewer WHERE EXISTS (
    SELECT 1 FROM orgs_membership m WHERE m.user_id = ${line}.reviewer AND m.org_id = ${line}.org_id))`

/** Query of `review`, `user_id`: who is asked about lines that name nobody; administrators for want of reviewers. */
const generalReviewers = sql`
  SELECT rr.review, rr."user" AS user_id FROM reviews_reviewer rr
  UNION
  SELECT r.id, m.user_id FROM reviews_access_review r JOIN orgs_membership m ON m.org_id = r.org_id AND m.role = 'Admin'
  WHERE NOT EXISTS (SELECT 1 FROM reviews_reviewer rr WHERE rr.review = r.id)`

/** SQL: whether a person is asked about a line. A member of a reviewed group is a person like any other. */
export const isAsked = (userId: string, line: SQL = sql`reviews_line`): SQL => sql`coalesce(
  ${aloneAsked(line)} = ${userId}::uuid,
  EXISTS (SELECT 1 FROM (${generalReviewers}) g WHERE g.review = ${line}.review AND g.user_id = ${userId}::uuid))`

/** SQL: the lines that the caller sees: auditors see all of them. */
export const seesLine = (call: Call): SQL | undefined =>
  isOrgAuditor(call) ? undefined : call.user ? isAsked(call.user.id) : NOTHING

/** SQL: the reviews that the caller sees: auditors see all, others those about which they are asked. */
export function seesReview(call: Call): SQL | undefined {
  if (isOrgAuditor(call)) return undefined
  const me = callerOf(call).id
  return sql`reviews_access_review.id IN (
    SELECT rr.review FROM reviews_reviewer rr WHERE rr."user" = ${me}::uuid
    UNION ALL SELECT l.review FROM reviews_line l WHERE l.reviewer = ${me}::uuid)`
}

/** Query of `user_id`, `lines`: who is asked about how many undecided lines of a review. */
export const askedPeople = (reviewId: string): SQL => sql`
  WITH undecided AS MATERIALIZED (
    SELECT l.id, ${aloneAsked(sql`l`)} AS reviewer FROM reviews_line l
    WHERE l.review = ${reviewId}::uuid AND l.verdict = 'open'),
  shares AS (
    SELECT reviewer AS user_id, count(*)::int AS lines FROM undecided WHERE reviewer IS NOT NULL GROUP BY reviewer
    UNION ALL
    SELECT g.user_id, (SELECT count(*)::int FROM undecided WHERE reviewer IS NULL)
    FROM (${generalReviewers}) g WHERE g.review = ${reviewId}::uuid)
  SELECT user_id, sum(lines)::int AS lines FROM shares GROUP BY user_id HAVING sum(lines) > 0`
