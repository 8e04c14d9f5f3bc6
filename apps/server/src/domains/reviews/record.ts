import { createHash } from 'node:crypto'
import { actionNames } from '@sallyport/contract/actions.ts'
import { eq, sql } from 'drizzle-orm'
import { type Call, callerOf, displayName } from '../../kernel/access/call.ts'
import type { Database } from '../../kernel/database/database.ts'
import { notFound } from '../../kernel/errors/app-error.ts'
import { attachment } from '../../kernel/http/attachment.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { getStored } from '../../kernel/resource/read.ts'
import type { MountedResource } from '../../kernel/resource/registry.ts'
import { contextOf } from '../../kernel/resource/routes.ts'
import { rootSigner } from '../audits/index.ts'
import type { StoredReview } from './start.ts'
import { type reviewsAccessReview, reviewsLine, reviewsRecord } from './tables.ts'

/**
 * The signature covers the body behind these words, so that nothing else that is signed with the same
 * key can pass for a record (deploy/audit/verify-audits.mjs).
 */
const SIGNED = 'access review '

/** Stores what a review came to, signed with the key of the audit roots. Answers the SHA-256 of its body. */
export async function signRecord(kernel: Kernel, db: Database, call: Call, review: StoredReview): Promise<string> {
  const body = await bodyOf(db, call, review)
  const sign = await rootSigner({ db, secrets: kernel.secrets })
  await db.insert(reviewsRecord).values({ review: review.id, body, signature: await sign(SIGNED + body) })
  return createHash('sha256').update(body).digest('hex')
}

async function bodyOf(db: Database, call: Call, review: StoredReview): Promise<string> {
  const [lines, { rows: people }] = await Promise.all([
    db
      .select()
      .from(reviewsLine)
      .where(eq(reviewsLine.review, review.id))
      .orderBy(reviewsLine.subject_name, reviewsLine.permission_name, reviewsLine.id),
    db.execute<{ name: string }>(sql`
      SELECT u.name || '(' || u.username || ')' AS name FROM reviews_reviewer rr JOIN users_account u ON u.id = rr."user"
      WHERE rr.review = ${review.id}::uuid ORDER BY 1`),
  ])
  const totals = Object.fromEntries(
    [...Map.groupBy(lines, ({ verdict }) => verdict)].map(([verdict, some]) => [verdict, some.length]),
  )
  return JSON.stringify({
    kind: 'access_review',
    id: review.id,
    name: review.name,
    comment: review.comment,
    organization: { id: review.org_id, name: call.org.name },
    author: displayName({ name: review.author.name ?? '', username: review.author.username ?? '' }),
    reviewers: people.map(({ name }) => name),
    decided_by: review.decided_by,
    undecided: review.undecided,
    date_start: review.date_start,
    date_end: review.date_end,
    date_ended: review.date_ended,
    ended_by: displayName(callerOf(call)),
    totals,
    lines: lines.map(({ facts, org_id, review: _, reviewer, ...line }) => ({
      ...line,
      actions: actionNames(facts.actions),
      databases: facts.databases,
      forwarding: facts.forwarding ?? [],
      targets: facts.targets,
      nodes: facts.nodes,
      system_users: facts.system_users,
    })),
  })
}

/** GET …/:id/record/: `{ body, signature }`, as the verifier reads it. */
export function registerReviewRecords(kernel: Kernel, reviews: MountedResource<typeof reviewsAccessReview>): void {
  kernel.app.route<{ Params: { id: string } }>({
    method: 'GET',
    url: `${reviews.definition.path}:id/record/`,
    config: { access: ['org_auditor'], summary: `${reviews.definition.label}: its signed record` },
    handler: async (request, reply) => {
      const context = contextOf(kernel, request)
      const review = await getStored(reviews, context.parameters.id ?? '', context)
      const [record] = await kernel.db.select().from(reviewsRecord).where(eq(reviewsRecord.review, review.id))
      if (!record) throw notFound()
      const { body, signature } = record
      reply.header('content-disposition', attachment(`access-review-${review.id}.json`))
      return { body, signature }
    },
  })
}
