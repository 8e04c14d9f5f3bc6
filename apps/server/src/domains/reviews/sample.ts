import { accessReview } from '@sallyport/contract/resources/reviews/access-review.ts'
import { eq } from 'drizzle-orm'
import type { ReadContext } from '../../kernel/resource/mount.ts'
import { mountedResource } from '../../kernel/resource/registry.ts'
import { createRow } from '../../kernel/resource/write.ts'
import { carryOn, sendReview } from './carry-on.ts'
import { decideAbout } from './decision.ts'
import { reviewsAccessReview, reviewsLine, reviewsLook, reviewsProposal } from './tables.ts'

/** A review that is made with its decisions, for the demo: by the ways of any review. */
export interface SampleReview {
  draft: Readonly<Record<string, unknown>> & { name: string }
  /** The decision about lines in turn; null: none. */
  decisions: readonly ({ verdict: 'confirm' | 'withdraw'; comment?: string } | null)[]
  isEnded: boolean
}

/** Makes a review, unless there is one of its name; the caller decides about it. */
export async function makeReview(context: ReadContext, { draft, decisions, isEnded }: SampleReview): Promise<void> {
  const { kernel, db, call } = context
  const reviews = mountedResource(kernel, accessReview, reviewsAccessReview)
  if (await db.$count(reviewsAccessReview, eq(reviewsAccessReview.name, draft.name))) return
  const id = String((await createRow(reviews, draft, context)).id)
  await carryOn(kernel, id, call.user?.id)
  const lines = await db
    .select({ id: reviewsLine.id, subject: reviewsLine.subject })
    .from(reviewsLine)
    .where(eq(reviewsLine.review, id))
    .orderBy(reviewsLine.subject_name, reviewsLine.permission_name)
  // Nobody confirms their own.
  const decidable = lines.filter(({ subject }) => subject !== call.user?.id)
  for (const [at, decision] of decisions.entries()) {
    const line = decidable[at]
    if (line && decision) await decideAbout(reviews, id, { comment: '', ...decision, lines: [line.id] }, context)
  }
  if (!isEnded) return
  await db.transaction((tx) => sendReview(kernel, tx, { id }, 'ending', call))
  await carryOn(kernel, id)
}

type Finding = Pick<
  typeof reviewsProposal.$inferInsert,
  'kind' | 'object_type' | 'object_id' | 'object_name' | 'facts' | 'change'
>

/** Stores suggestions as if they had been found, for the demo: it has no 90 days of use. */
export async function makeSuggestions(
  { db, call }: Pick<ReadContext, 'db'> & { call: { org: { id: string } } },
  findings: readonly Finding[],
): Promise<void> {
  if (!findings.length) return
  await db
    .insert(reviewsProposal)
    .values(findings.map((finding) => ({ ...finding, org_id: call.org.id })))
    .onConflictDoNothing()
  // Nobody has looked: a date would say so.
  await db.insert(reviewsLook).values({ org_id: call.org.id, has_samples: true }).onConflictDoNothing()
}
