import { and, countDistinct, eq, inArray } from 'drizzle-orm'
import type { Database } from '../../kernel/database/database.ts'
import { type EndedMemberships, onMembershipEnded } from '../orgs/index.ts'
import { aclsLoginAssetAcl, aclsLoginAssetAclReviewer } from './tables.ts'

const reviewer = aclsLoginAssetAclReviewer

/** Whoever leaves an organisation lets nobody in to its machines any more: reviewers must belong to it, as when a rule is written. */
export function endAssetReviews(): void {
  const reviewsOf = (db: Database, { user_ids, org_id }: EndedMemberships) =>
    and(
      inArray(reviewer.user_id, [...user_ids]),
      inArray(reviewer.acl_id, db.select({ id: aclsLoginAssetAcl.id }).from(aclsLoginAssetAcl).where(eq(aclsLoginAssetAcl.org_id, org_id))),
    )
  onMembershipEnded({
    label: 'Login asset acl',
    async count(db, people) {
      const [row] = await db
        .select({ amount: countDistinct(reviewer.acl_id) })
        .from(reviewer)
        .where(reviewsOf(db, people))
      return row?.amount ?? 0
    },
    async end(db, people) {
      await db.delete(reviewer).where(reviewsOf(db, people))
    },
  })
}
