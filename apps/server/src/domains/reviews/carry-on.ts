import { randomUUID } from 'node:crypto'
import { and, eq } from 'drizzle-orm'
import { type Call, callerOf } from '../../kernel/access/call.ts'
import { ownCall } from '../../kernel/access/own-call.ts'
import type { Database } from '../../kernel/database/database.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { endReview, withdrawSome } from './end.ts'
import { tellAsked, tellEnded } from './notices.ts'
import { type StoredReview, startReview } from './start.ts'
import { reviewsAccessReview } from './tables.ts'

const CARRY_ON = 'reviews.carry_on'

/**
 * Begins and ends reviews in the background: what is granted, and its use, may be much. The state of
 * a review says what is under way, so that another run goes on where one was cut off.
 */
export function workAtReviews(kernel: Kernel): void {
  kernel.jobs.work<{ review: string; beginner?: string }>(
    CARRY_ON,
    (job) => carryOn(kernel, job.review, job.beginner),
    {
      retries: 2,
      retryDelaySeconds: 30,
    },
  )
}

/**
 * Has a review begun or ended by a job of its own, within the caller's transaction. Answers it as it is
 * then.
 * @param call of who begins or ends it by hand
 */
export async function sendReview(
  kernel: Kernel,
  db: Database,
  { id }: Pick<StoredReview, 'id'>,
  state: 'beginning' | 'ending',
  call?: Call,
): Promise<StoredReview> {
  const job = randomUUID()
  const beginner = state === 'beginning' ? call?.user?.id : undefined
  await kernel.jobs.send(CARRY_ON, { review: id, beginner }, { id: job, db })
  const ended_by = state === 'ending' && call ? { ...callerOf(call), remote_addr: call.remoteAddress } : undefined
  const [stored] = await db
    .update(reviewsAccessReview)
    .set({ state, job, ...(ended_by ? { ended_by } : {}) })
    .where(eq(reviewsAccessReview.id, id))
    .returning()
  return stored as StoredReview
}

/** Does what the state of a review says is to be done; nothing where that was done meanwhile. */
export async function carryOn(kernel: Kernel, id: string, beginner?: string): Promise<void> {
  const begun = await during(kernel, id, 'beginning', (db, review) => startReview(db, review))
  if (begun) await tellAsked(kernel, begun, 'begun', beginner)
  // Each slice by itself: what was withdrawn is seen to be, and nobody waits for the rest.
  const call = async (review: StoredReview) => callOfEnd(kernel, review)
  while (
    await during(kernel, id, 'ending', async (db, review) => withdrawSome(kernel, db, await call(review), review))
  );
  const ended = await during(kernel, id, 'ending', async (db, review) =>
    endReview(kernel, db, await call(review), review),
  )
  if (ended) await tellEnded(kernel, ended)
}

/** Work in a transaction that holds the review, in that state; undefined where it is in another one. */
function during<T>(
  kernel: Kernel,
  id: string,
  state: StoredReview['state'],
  work: (db: Database, review: StoredReview) => Promise<T>,
): Promise<T | undefined> {
  return kernel.db.transaction(async (db) => {
    const [review] = await db
      .select()
      .from(reviewsAccessReview)
      .where(and(eq(reviewsAccessReview.id, id), eq(reviewsAccessReview.state, state)))
      .for('update')
    return review && work(db, review)
  })
}

/** As who ended it, or set it up: what they said beforehand is carried out. */
function callOfEnd(kernel: Kernel, { org_id, author, ended_by }: StoredReview): Promise<Call> {
  const { remote_addr: remoteAddress = '', ...person } = ended_by.id ? ended_by : { ...author, remote_addr: '' }
  return ownCall(kernel, org_id, { user: { id: '', name: '', username: '', role: 'User', ...person }, remoteAddress })
}
