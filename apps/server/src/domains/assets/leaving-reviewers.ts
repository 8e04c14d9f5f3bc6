import { and, countDistinct, eq, inArray } from 'drizzle-orm'
import type { Database } from '../../kernel/database/database.ts'
import { type EndedMemberships, onMembershipEnded } from '../orgs/index.ts'
import { assetsCommandFilterRule, assetsCommandFilterRuleReviewer } from './tables.ts'

const reviewer = assetsCommandFilterRuleReviewer

/** Whoever leaves an organisation reviews none of its commands any more (contract/orgs.yaml `organization_member`). */
export function endCommandReviews(): void {
  const reviewsOf = (db: Database, { user_ids, org_id }: EndedMemberships) =>
    and(
      inArray(reviewer.user_id, [...user_ids]),
      inArray(
        reviewer.rule_id,
        db.select({ id: assetsCommandFilterRule.id }).from(assetsCommandFilterRule).where(eq(assetsCommandFilterRule.org_id, org_id)),
      ),
    )
  onMembershipEnded({
    label: 'Command filter rule',
    async count(db, people) {
      const [row] = await db
        .select({ amount: countDistinct(reviewer.rule_id) })
        .from(reviewer)
        .where(reviewsOf(db, people))
      return row?.amount ?? 0
    },
    async end(db, people) {
      await db.delete(reviewer).where(reviewsOf(db, people))
    },
  })
}
