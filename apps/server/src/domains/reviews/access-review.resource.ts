import { accessReview } from '@sallyport/contract/resources/reviews/access-review.ts'
import { type SQL, sql } from 'drizzle-orm'
import { callerOf, displayName, isOrgAuditor } from '../../kernel/access/call.ts'
import { invalid, refused } from '../../kernel/errors/app-error.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { readableBoolean } from '../../kernel/resource/conditions.ts'
import type {
  DeleteContext,
  ReadContext,
  StoredRow,
  WriteContext,
  WrittenContext,
} from '../../kernel/resource/mount.ts'
import { mountResource } from '../../kernel/resource/routes.ts'
import { sendReview } from './carry-on.ts'
import { reviewsAccessReview, reviewsAppPermission, reviewsAssetPermission, reviewsReviewer } from './tables.ts'
import { isAsked, seesReview } from './visibility.ts'

type Writing = WriteContext<typeof accessReview, typeof reviewsAccessReview>
type Written = WrittenContext<typeof accessReview, typeof reviewsAccessReview>

/** What may still be changed once a review has begun, and once it has ended. */
const OPEN_FIELDS = ['name', 'comment', 'reviewers', 'date_end', 'undecided', 'months']
const ENDED_FIELDS = ['months', 'comment']

/** Reviews of what is granted. */
export default function mountAccessReviews(kernel: Kernel): void {
  mountResource(kernel, accessReview, {
    table: reviewsAccessReview,
    scope: ({ call }) => seesReview(call),
    relations: {
      reviewers: { table: reviewsReviewer, owner: reviewsReviewer.review, target: reviewsReviewer.user },
      asset_permissions: {
        table: reviewsAssetPermission,
        owner: reviewsAssetPermission.review,
        target: reviewsAssetPermission.permission,
      },
      app_permissions: {
        table: reviewsAppPermission,
        owner: reviewsAppPermission.review,
        target: reviewsAppPermission.permission,
      },
    },
    filters: { mine: asksCaller },
    computed: [
      {
        fields: ['lines_amount', 'open_amount', 'own_amount', 'confirmed_amount', 'withdrawn_amount'],
        load: countLines,
      },
    ],
    rules: {
      beforeWrite: [keepTheBegun, checkDates, noteAuthor],
      afterWrite: [startIfDue],
      beforeDelete: [refuseTheBegun],
    },
  })
}

function asksCaller(value: string, { call }: ReadContext, name: string): SQL {
  const asked = sql`EXISTS (SELECT 1 FROM reviews_line WHERE reviews_line.review = reviews_access_review.id
    AND reviews_line.verdict = 'open' AND ${isAsked(callerOf(call).id)})
    AND reviews_access_review.state = 'open'`
  return readableBoolean(name, value) ? sql`(${asked})` : sql`NOT (${asked})`
}

/** Counts of lines, for people who are no auditors of those about which they are asked. */
async function countLines(rows: readonly StoredRow<typeof reviewsAccessReview>[], { db, call }: ReadContext) {
  const asked = isAsked(callerOf(call).id)
  const { rows: counts } = await db.execute<{
    review: string
    lines_amount: number
    open_amount: number
    own_amount: number
    confirmed_amount: number
    withdrawn_amount: number
  }>(sql`
    SELECT review, count(*)::int AS lines_amount, count(*) FILTER (WHERE verdict = 'open')::int AS open_amount,
      count(*) FILTER (WHERE verdict = 'open' AND is_asked)::int AS own_amount,
      count(*) FILTER (WHERE verdict = 'confirmed')::int AS confirmed_amount,
      count(*) FILTER (WHERE verdict IN ('withdrawn', 'lapsed', 'gone'))::int AS withdrawn_amount
    FROM (SELECT review, verdict, ${asked} AS is_asked FROM reviews_line
      WHERE review = ANY(${sql.param(rows.map(({ id }) => id))}::uuid[])) l
    WHERE ${isOrgAuditor(call) ? sql`true` : sql`is_asked`} GROUP BY review`)
  const byReview = new Map(counts.map(({ review, ...amounts }) => [review, amounts]))
  const none = { lines_amount: 0, open_amount: 0, own_amount: 0, confirmed_amount: 0, withdrawn_amount: 0 }
  return rows.map(({ id }) => byReview.get(id) ?? none)
}

/** The fields from which lines were made stay as they are, and so does all of a review that has ended. */
function keepTheBegun({ row, draft, body }: Writing): void {
  if (!row || row.state === 'planned') return
  const isOpen = row.state === 'open' || row.state === 'beginning'
  const free = isOpen ? OPEN_FIELDS : ENDED_FIELDS
  const fixed = Object.keys(draft).filter((name) => !free.includes(name) && !isSame(draft, row, name))
  const words = isOpen
    ? 'The review has begun: this can no longer be changed.'
    : 'The review has ended: this can no longer be changed.'
  const wanted = fixed.filter((name) => name in body)
  if (wanted.length) throw invalid(Object.fromEntries(wanted.map((name) => [name, words])))
  // A PUT sets what it leaves out to the default, which nobody asked for.
  for (const name of fixed) delete draft[name as keyof typeof draft]
}

const isSame = (draft: object, row: object, name: string): boolean => {
  const [one, other] = [draft, row].map((values) => (values as Record<string, unknown>)[name])
  return one instanceof Date && other instanceof Date ? one.getTime() === other.getTime() : one === other
}

function checkDates({ row, draft }: Writing): void {
  const start = asDate(draft.date_start) ?? row?.date_start ?? new Date()
  const end = asDate(draft.date_end) ?? row?.date_end
  if (!end) return
  if (end <= start) throw invalid({ date_end: 'The end must come after the start.' })
  if (
    row?.state !== 'ended' &&
    asDate(draft.date_end) &&
    end <= new Date() &&
    end.getTime() !== row?.date_end.getTime()
  )
    throw invalid({ date_end: 'The end must be ahead.' })
  const months = draft.months ?? row?.months ?? 0
  if (!months) return
  const next = new Date(start)
  next.setUTCMonth(next.getUTCMonth() + months)
  if (end > next) throw invalid({ date_end: 'The review must end before the next one begins.' })
}

const asDate = (value: unknown): Date | undefined => (value instanceof Date ? value : undefined)

/** The clock later acts in the name of who set the review up. */
function noteAuthor({ mode, draft, call }: Writing): void {
  if (mode !== 'create') return
  const { id, name, username, role } = callerOf(call)
  Object.assign(draft, {
    author: { id, name, username, role },
    created_by: displayName({ name, username }).slice(0, 30),
  })
}

async function startIfDue({ kernel, db, call, stored }: Written): Promise<void> {
  if (stored.state !== 'planned' || stored.date_start > new Date()) return
  Object.assign(stored, await sendReview(kernel, db, stored, 'beginning', call))
}

function refuseTheBegun({ rows }: DeleteContext<typeof reviewsAccessReview>): void {
  if (rows.some(({ state }) => state !== 'planned'))
    throw refused('review_begun', 'A review that has begun is evidence, and stays. It can be ended.')
}
