import { accessReview } from '@sallyport/contract/resources/reviews/access-review.ts'
import { accessReviewLine, type Verdict } from '@sallyport/contract/resources/reviews/access-review-line.ts'
import { and, eq, sql } from 'drizzle-orm'
import { z } from 'zod'
import { type Call, callerOf, displayName, isOrgAdmin } from '../../kernel/access/call.ts'
import type { Database } from '../../kernel/database/database.ts'
import { forbidden, invalid, refused } from '../../kernel/errors/app-error.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { anyOf } from '../../kernel/resource/conditions.ts'
import type { ReadContext } from '../../kernel/resource/mount.ts'
import { getStored } from '../../kernel/resource/read.ts'
import type { MountedResource } from '../../kernel/resource/registry.ts'
import { contextOf } from '../../kernel/resource/routes.ts'
import { orgsMembership } from '../orgs/index.ts'
import { grantKey, grantPairs, withdrawGrants } from '../perms/standing/index.ts'
import { usersPerson } from '../users/index.ts'
import type { StoredReview } from './start.ts'
import { type reviewsAccessReview, reviewsLine } from './tables.ts'
import { isAsked } from './visibility.ts'

type Line = typeof reviewsLine.$inferSelect

const LINES = z.array(z.guid()).min(1).max(1000)
const DECISION = z.object({
  lines: LINES,
  verdict: z.enum(['confirm', 'withdraw']),
  comment: z.string().max(1024).default(''),
})
const ASSIGNMENT = z.object({ lines: LINES, reviewer: z.guid().nullable() })

const SETTLED: readonly Verdict[] = ['withdrawn', 'gone', 'lapsed', 'kept']

/** Calls by which people decide, and by which administrators choose who does. */
export function registerReviewDecisions(kernel: Kernel, reviews: Reviews): void {
  const { path, label } = reviews.definition
  kernel.app.route<{ Params: { id: string } }>({
    method: 'POST',
    url: `${path}:id/decisions/`,
    config: { access: ['org_member'], summary: `${label}: confirm or withdraw grants`, takes: DECISION },
    handler: async (request) => {
      const decision = DECISION.parse(request.body)
      return decideAbout(reviews, request.params.id, decision, contextOf(kernel, request))
    },
  })
  kernel.app.route<{ Params: { id: string } }>({
    method: 'POST',
    url: `${path}:id/assignments/`,
    config: { access: ['org_admin'], summary: `${label}: hand grants to one reviewer`, takes: ASSIGNMENT },
    handler: async (request) => {
      const { lines, reviewer } = ASSIGNMENT.parse(request.body)
      return onOpenReview(reviews, request.params.id, contextOf(kernel, request), async (db, call, review) => {
        const chosen = await lockLines(db, call, review, lines)
        const { user_id, org_id } = orgsMembership
        if (reviewer && !(await db.$count(orgsMembership, and(eq(user_id, reviewer), eq(org_id, review.org_id)))))
          throw invalid({ reviewer: 'Not found.' })
        if (
          reviewer &&
          (await db.$count(usersPerson, and(eq(usersPerson.id, reviewer), eq(usersPerson.source, 'service'))))
        )
          throw invalid({ reviewer: 'A service identity decides nothing: choose a person' })
        await db
          .update(reviewsLine)
          .set({ reviewer })
          .where(
            anyOf(
              reviewsLine.id,
              chosen.map(({ id }) => id),
            ),
          )
        await record(kernel, db, call, review, chosen, () => [{ field: 'reviewer', after: reviewer }])
        return { lines: chosen.length }
      })
    },
  })
}

type Reviews = MountedResource<typeof reviewsAccessReview>

/** Confirms or withdraws lines of an open review, in the name of who calls. Answers how many there were of each. */
export function decideAbout(
  reviews: Reviews,
  id: string,
  { lines, verdict, comment }: z.infer<typeof DECISION>,
  context: ReadContext,
): Promise<{ confirmed: number; withdrawn: number; gone: number }> {
  return onOpenReview(reviews, id, context, async (db, call, review) => {
    const chosen = await lockLines(db, call, review, lines)
    const decision = { lines: chosen, isWithdrawal: verdict === 'withdraw', comment }
    return decide(context.kernel, db, call, review, decision)
  })
}

/** Runs work in a transaction that holds the review, which must be open, in its organization. */
async function onOpenReview<T>(
  reviews: Reviews,
  id: string,
  context: ReadContext,
  work: (db: Database, call: Call, review: StoredReview) => Promise<T>,
): Promise<T> {
  const { kernel, call } = context
  const names = await kernel.orgNames()
  // Its scopes may include reviews, and its role be that of an administrator.
  if (call.via === 'service_key') throw forbidden('A service identity decides nothing: choose a person')
  return kernel.db.transaction(async (db) => {
    const review = (await getStored(reviews, id, { ...context, db }, true)) as StoredReview
    if (review.state !== 'open') throw refused('review_not_open', 'Nothing can be decided: the review is not open.')
    const org = { id: review.org_id, name: names.get(review.org_id) ?? '' }
    return work(db, { ...call, org }, review)
  })
}

/** The lines, locked in one order. Throws 400 where the caller is not asked about one, or it is settled. */
async function lockLines(db: Database, call: Call, { id }: StoredReview, wanted: readonly string[]): Promise<Line[]> {
  const ids = [...new Set(wanted.map((one) => one.toLowerCase()))]
  const mine = isOrgAdmin(call) ? undefined : isAsked(callerOf(call).id)
  const lines = await db
    .select()
    .from(reviewsLine)
    .where(and(eq(reviewsLine.review, id), anyOf(reviewsLine.id, ids), mine))
    .orderBy(reviewsLine.id)
    .for('update')
  if (lines.length < ids.length) throw invalid({ lines: 'Not found.' })
  if (lines.some(({ verdict }) => SETTLED.includes(verdict)))
    throw invalid({ lines: 'A grant among these was withdrawn already.' })
  return lines
}

interface Decision {
  lines: readonly Line[]
  isWithdrawal: boolean
  comment: string
}

/**
 * Confirms or withdraws grants. One that somebody took away meanwhile is noted as gone, whatever
 * was decided. Answers how many there were of each.
 */
async function decide(
  kernel: Kernel,
  db: Database,
  call: Call,
  review: StoredReview,
  { lines, isWithdrawal, comment }: Decision,
): Promise<{ confirmed: number; withdrawn: number; gone: number }> {
  const me = callerOf(call)
  if (!isWithdrawal && lines.some(({ subject_kind, subject }) => subject_kind === 'user' && subject === me.id))
    throw forbidden('Nobody confirms their own access: another reviewer has to.')
  const standing = isWithdrawal ? await withdrawGrants(kernel, db, call, lines) : await standingOf(db, lines)
  const verdictOf = (line: Line): Verdict =>
    standing.has(grantKey(line)) ? (isWithdrawal ? 'withdrawn' : 'confirmed') : 'gone'
  await settleLines(db, lines, verdictOf, { decided_by: displayName(me), decided_by_id: me.id, comment })
  await record(kernel, db, call, review, lines, (line) => [
    { field: 'verdict', before: line.verdict, after: verdictOf(line) },
    ...(comment ? [{ field: 'comment', after: comment }] : []),
  ])
  const amounts = Map.groupBy(lines, verdictOf)
  const amount = (verdict: Verdict) => amounts.get(verdict)?.length ?? 0
  return { confirmed: amount('confirmed'), withdrawn: amount('withdrawn'), gone: amount('gone') }
}

/** The keys of those that are there now. */
async function standingOf(db: Database, lines: readonly Line[]): Promise<Set<string>> {
  const ids = lines.map(({ permission }) => permission)
  const { rows } = await db.execute<{ permission: string; subject_kind: 'user' | 'group'; subject: string }>(
    sql`SELECT g.* FROM (${grantPairs(sql`SELECT unnest(${sql.param(ids)}::uuid[])`)}) g
      WHERE g.subject = ANY(${sql.param(lines.map(({ subject }) => subject))}::uuid[])`,
  )
  return new Set(rows.map(grantKey))
}

/** Stores what became of lines, in one statement. */
export async function settleLines(
  db: Database,
  lines: readonly Pick<Line, 'id' | 'permission' | 'subject' | 'subject_kind'>[],
  verdictOf: (line: Line) => Verdict,
  by: { decided_by: string; decided_by_id: string | null; comment: string },
): Promise<void> {
  const verdicts = lines.map((line) => verdictOf(line as Line))
  await db.execute(sql`
    UPDATE reviews_line l SET verdict = d.verdict, decided_by = ${by.decided_by}, decided_by_id = ${by.decided_by_id}::uuid,
      comment = ${by.comment}, date_decided = now()
    FROM unnest(${sql.param(lines.map(({ id }) => id))}::uuid[], ${sql.param(verdicts)}::text[]) AS d (id, verdict)
    WHERE l.id = d.id`)
}

type Changes = NonNullable<Parameters<Kernel['audit']['record']>[2][number]['changes']>

async function record(
  kernel: Kernel,
  db: Database,
  call: Call,
  review: StoredReview,
  lines: readonly Line[],
  changesOf: (line: Line) => Changes,
): Promise<void> {
  await kernel.audit.record(
    db,
    call,
    lines.map((line) => ({
      action: 'update' as const,
      resourceType: accessReviewLine.label,
      resource: `${review.name}: ${line.subject_name}, ${line.permission_name}`,
      orgId: review.org_id,
      object: { type: accessReview.name, id: review.id },
      changes: changesOf(line),
    })),
  )
}
