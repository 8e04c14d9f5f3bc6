import { and, asc, eq, gt, inArray, isNull, lte, ne, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/database/database.ts'
import { soon } from '../../kernel/jobs/schedules.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { sendReview } from './carry-on.ts'
import { daysLeft, tellAsked } from './notices.ts'
import type { StoredReview } from './start.ts'
import { reviewsAccessReview } from './tables.ts'

/** Reminders go out so many days before the end. */
const REMINDED_DAYS = [7, 3, 1]

/** What reviews do by the clock: they begin, repeat and end, and people are reminded. */
export function scheduleReviews(kernel: Kernel): void {
  kernel.jobs.schedule(
    {
      name: 'reviews.follow_dates',
      cron: '*/5 * * * *',
      title: 'Begin, repeat and end access reviews',
      hasWork: () => sql`EXISTS (SELECT 1 FROM reviews_access_review WHERE
        (state = 'planned' AND date_start <= ${soon}) OR (state = 'open' AND date_end <= ${soon})
        OR state IN ('beginning', 'ending')
        OR (months > 0 AND next IS NULL AND date_start + make_interval(months => months) <= ${soon}))`,
    },
    () => followReviews(kernel),
  )
  kernel.jobs.schedule(
    { name: 'reviews.remind', cron: '0 9 * * *', title: 'Remind of access reviews that end soon' },
    () => remindOfReviews(kernel),
  )
}

/** One round over all reviews; each in a transaction of its own, so that one fault stops one review. */
export async function followReviews(kernel: Kernel, now = new Date()): Promise<void> {
  const { state, date_start, date_end, months, next } = reviewsAccessReview
  const repeated = and(
    gt(months, 0),
    isNull(next),
    ne(state, 'planned'),
    sql`${date_start} + make_interval(months => ${months}) <= ${now.toISOString()}::timestamptz`,
  )
  const due = [
    { where: and(eq(state, 'open'), lte(date_end, now)), act: end },
    { where: repeated, act: repeat },
    { where: and(eq(state, 'planned'), lte(date_start, now)), act: begin },
    { where: and(inArray(state, ['beginning', 'ending']), isLost), act: again },
  ]
  for (const { where, act } of due) {
    const found = await kernel.db
      .select({ id: reviewsAccessReview.id })
      .from(reviewsAccessReview)
      .where(where)
      .orderBy(asc(date_start))
    for (const { id } of found)
      await kernel.db
        .transaction(async (db) => {
          const [review] = await db
            .select()
            .from(reviewsAccessReview)
            .where(and(eq(reviewsAccessReview.id, id), where))
            .for('update')
          if (review) await act(kernel, db, review)
        })
        .catch((error) => kernel.app.log.error({ err: error, review: id }, 'an access review was not carried on'))
  }
}

/** Its job ended without having carried it on, or died with its node. */
const isLost = sql`NOT EXISTS (SELECT FROM kernel_job j
  WHERE j.id = ${reviewsAccessReview.job} AND j.state IN ('waiting', 'running'))`

/** Work within the transaction: what takes long is left to a job. */
type Act = (kernel: Kernel, db: Database, review: StoredReview) => Promise<unknown>

const begin: Act = (kernel, db, review) => sendReview(kernel, db, review, 'beginning')

const end: Act = (kernel, db, review) => sendReview(kernel, db, review, 'ending')

const again: Act = (kernel, db, review) =>
  sendReview(kernel, db, review, review.state === 'beginning' ? 'beginning' : 'ending')

/** The next one is as long, over the same permissions, with the same reviewers. */
const repeat: Act = async (kernel, db, review) => {
  const { rows } = await db.execute<{ id: string }>(sql`
    INSERT INTO reviews_access_review (org_id, name, decided_by, date_start, date_end, undecided, months, comment, author, created_by)
    SELECT org_id, name, decided_by, date_start + make_interval(months => months),
      date_end + make_interval(months => months), undecided, months, comment, author, created_by
    FROM reviews_access_review WHERE id = ${review.id}::uuid RETURNING id`)
  const next = rows[0]?.id ?? ''
  await db.execute(sql`
    INSERT INTO reviews_reviewer (review, "user")
    SELECT ${next}::uuid, "user" FROM reviews_reviewer WHERE review = ${review.id}::uuid`)
  for (const table of [sql`reviews_asset_permission`, sql`reviews_app_permission`])
    await db.execute(sql`
      INSERT INTO ${table} (review, permission)
      SELECT ${next}::uuid, permission FROM ${table} WHERE review = ${review.id}::uuid`)
  await db.update(reviewsAccessReview).set({ next }).where(eq(reviewsAccessReview.id, review.id))
  await sendReview(kernel, db, { id: next }, 'beginning')
}

/** Every day, those who have undecided grants in reviews that end in 7, 3 or 1 days. */
export async function remindOfReviews(kernel: Kernel, now = new Date()): Promise<void> {
  const open = await kernel.db.select().from(reviewsAccessReview).where(eq(reviewsAccessReview.state, 'open'))
  for (const review of open)
    if (REMINDED_DAYS.includes(daysLeft(review, now))) await tellAsked(kernel, review, 'reminder')
}
