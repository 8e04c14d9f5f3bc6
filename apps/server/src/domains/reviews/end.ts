import { accessReview } from '@sallyport/contract/resources/reviews/access-review.ts'
import { and, eq, sql } from 'drizzle-orm'
import type { Call } from '../../kernel/access/call.ts'
import type { Database } from '../../kernel/database/database.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { grantKey, grantPairs, withdrawGrants } from '../perms/standing/index.ts'
import { settleLines } from './decision.ts'
import { signRecord } from './record.ts'
import type { StoredReview } from './start.ts'
import { reviewsAccessReview, reviewsLine } from './tables.ts'

/** Grants that are withdrawn together, in a transaction of their own: the locks are held for a moment. */
const AT_ONCE = 1000

/**
 * Ends a review, of which nothing is left to be withdrawn: other grants without a decision stay, and
 * its record is signed. The operate log, which is chained, keeps the record's SHA-256.
 * @param db a transaction that holds the review, which is ending
 * @param call in its organization, by a person: the log is in their name
 */
export async function endReview(kernel: Kernel, db: Database, call: Call, review: StoredReview): Promise<StoredReview> {
  await keepUndecided(db, review)
  const ended = { ...review, state: 'ended' as const, date_ended: new Date() }
  const sha256 = await signRecord(kernel, db, call, ended)
  const [stored] = await db
    .update(reviewsAccessReview)
    .set({ state: ended.state, date_ended: ended.date_ended, sha256, job: null })
    .where(eq(reviewsAccessReview.id, review.id))
    .returning()
  await kernel.audit.record(db, call, [
    {
      action: 'update',
      resourceType: accessReview.label,
      resource: review.name,
      orgId: review.org_id,
      object: { type: accessReview.name, id: review.id },
      changes: [
        { field: 'state', before: 'open', after: ended.state },
        { field: 'sha256', before: '', after: sha256 },
      ],
    },
  ])
  return stored ?? { ...ended, sha256 }
}

/**
 * Withdraws some of the grants that nobody has decided about, where the review says so, in the name of
 * who ended it. The number of statements does not depend on that of the grants. Answers how many;
 * 0 when nothing is left.
 */
export async function withdrawSome(
  kernel: Kernel,
  db: Database,
  call: Call,
  { id, undecided }: StoredReview,
  atOnce = AT_ONCE,
): Promise<number> {
  if (undecided !== 'withdraw') return 0
  const lines = await db
    .select()
    .from(reviewsLine)
    .where(and(eq(reviewsLine.review, id), eq(reviewsLine.verdict, 'open')))
    .orderBy(reviewsLine.id)
    .limit(atOnce)
  if (!lines.length) return 0
  const withdrawn = await withdrawGrants(kernel, db, call, lines)
  await settleLines(db, lines, (line) => (withdrawn.has(grantKey(line)) ? 'lapsed' : 'gone'), {
    decided_by: '',
    decided_by_id: null,
    comment: '',
  })
  return lines.length
}

async function keepUndecided(db: Database, { id }: StoredReview): Promise<void> {
  const permissions = sql`SELECT permission FROM reviews_line WHERE review = ${id}::uuid`
  await db.execute(sql`
    WITH standing AS MATERIALIZED (${grantPairs(permissions)})
    UPDATE reviews_line l SET date_decided = now(), verdict = CASE
      WHEN EXISTS (SELECT 1 FROM standing s WHERE s.permission = l.permission AND s.subject = l.subject) THEN 'kept'
      ELSE 'gone' END
    WHERE l.review = ${id}::uuid AND l.verdict = 'open'`)
}
