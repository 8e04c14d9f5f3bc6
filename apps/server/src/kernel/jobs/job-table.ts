import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../database/database.ts'

export interface NewJob {
  queue: string
  data: object
  id?: string | undefined
  owner?: string | undefined
  /** Seconds until it is due. */
  wait?: number
}

/** A job that a node has taken. */
export interface TakenJob {
  id: string
  queue: string
  data: object
  /** How often it was begun. What is said of an earlier run than the present one has no effect. */
  tries: number
}

/** How many jobs of a queue a node has room for. */
export interface Room {
  queue: string
  room: number
  /** How many of one owner all nodes do at a time. */
  share: number | null
}

/** A node that has said nothing of a job for so long is dead: the job goes to another. */
export const HEARTBEAT_SECONDS = 30
/** How often a job is taken up again after its node died; no more, as the job may be the cause. */
const DEATHS = 1
const KEPT_ENDED = '7 days'
/** Nobody does work of such a kind any more. */
const KEPT_WAITING = '14 days'
const ERROR_LENGTH = 2000

/** Answers the ids of those that are new; a job whose id is there already is left alone. */
export async function insertJobs(db: Database, jobs: readonly NewJob[]): Promise<string[]> {
  const { rows } = await db.execute<{ id: string }>(sql`
    INSERT INTO kernel_job (id, queue, data, owner, date_due)
    SELECT coalesce(id, uuidv7()), queue, data, owner, now() + make_interval(secs => coalesce(wait, 0))
    FROM jsonb_to_recordset(${JSON.stringify(jobs)}::jsonb)
      AS job (id uuid, queue text, data jsonb, owner text, wait float8)
    ON CONFLICT DO NOTHING RETURNING id`)
  return rows.map(({ id }) => id)
}

/**
 * Begins jobs that are due, the oldest of each queue first, as many as there is room for. For
 * queues with a share, one node at a time may do so, because it counts the running jobs of each
 * owner.
 */
export async function takeJobs(db: Database, rooms: readonly Room[]): Promise<TakenJob[]> {
  const { rows } = await db.execute<TakenJob & Record<string, unknown>>(sql`
    WITH due AS MATERIALIZED (
      SELECT job.id FROM jsonb_to_recordset(${JSON.stringify(rooms)}::jsonb) AS wanted (queue text, room int, share int),
      LATERAL (
        SELECT id FROM kernel_job w
        WHERE w.queue = wanted.queue AND w.state = 'waiting' AND w.date_due <= now()
          AND (wanted.share IS NULL OR w.owner IS NULL OR wanted.share > (
            SELECT count(*) FROM (
              SELECT FROM kernel_job o WHERE o.queue = w.queue AND o.owner = w.owner
                AND (o.state = 'running' OR (o.state = 'waiting' AND (o.date_due, o.id) < (w.date_due, w.id)))
              LIMIT wanted.share) AS before))
        ORDER BY w.date_due, w.id LIMIT wanted.room FOR UPDATE SKIP LOCKED) AS job)
    UPDATE kernel_job SET state = 'running', tries = tries + 1, date_start = now(), date_heard = now()
    WHERE id IN (SELECT id FROM due) RETURNING id, queue, data, tries`)
  return rows
}

/**
 * Which queues have jobs that are due, and in how many milliseconds others will be, within so many
 * seconds. The same statement gives what dead nodes were about to the others, and forgets what is old.
 * @param queues with how often their jobs are tried again
 */
export async function lookForJobs(
  db: Database,
  queues: readonly { queue: string; retries: number }[],
  seconds: number,
): Promise<{ queue: string; isDue: boolean; next: number | null }[]> {
  const { rows } = await db.execute<{ queue: string; isDue: boolean; next: number | null }>(sql`
    WITH known AS (SELECT * FROM jsonb_to_recordset(${JSON.stringify(queues)}::jsonb) AS known (queue text, retries int)),
    forgotten AS (
      DELETE FROM kernel_job WHERE date_finished < now() - ${KEPT_ENDED}::interval
        OR (state = 'waiting' AND date_due < now() - ${KEPT_WAITING}::interval)),
    lost AS (
      SELECT id, tries <= ${DEATHS} + coalesce(retries, 0) AS again FROM kernel_job LEFT JOIN known USING (queue)
      WHERE state = 'running' AND date_heard < now() - make_interval(secs => ${HEARTBEAT_SECONDS})
      FOR UPDATE OF kernel_job SKIP LOCKED),
    returned AS (
      UPDATE kernel_job SET state = CASE WHEN again THEN 'waiting' ELSE 'failed' END, date_due = now(),
        date_finished = CASE WHEN NOT again THEN now() END, error = 'its node was stopped, or died'
      FROM lost WHERE kernel_job.id = lost.id RETURNING queue, date_due)
    SELECT queue, bool_or(date_due <= now()) AS "isDue",
      extract(epoch FROM min(date_due) FILTER (WHERE date_due > now()) - now())::float8 * 1000 AS next
    FROM (
      SELECT queue, date_due FROM kernel_job
      WHERE state = 'waiting' AND date_due < now() + make_interval(secs => ${seconds})
      UNION ALL TABLE returned) AS coming
    JOIN known USING (queue) GROUP BY queue`)
  return rows
}

/** Says that this node is still at these jobs, or that it is not any more. */
export async function touchJobs(db: Database, jobs: readonly TakenJob[], isAtThem = true): Promise<void> {
  if (!jobs.length) return
  await db.execute(sql`
    UPDATE kernel_job SET date_heard = ${isAtThem ? sql`now()` : sql`'-infinity'`} WHERE ${present(jobs)}`)
}

/** Answers whether others of its queue are due. */
export function completeJob(db: Database, job: TakenJob): Promise<boolean> {
  return endRun(db, job, sql`state = 'done', date_finished = now(), error = ''`)
}

/**
 * Answers whether others of its queue are due.
 * @param wait seconds until it is tried again; without them it has failed for good
 */
export function failJob(db: Database, job: TakenJob, error: string, wait?: number): Promise<boolean> {
  const end =
    wait === undefined
      ? sql`state = 'failed', date_finished = now()`
      : sql`state = 'waiting', date_due = now() + make_interval(secs => ${wait})`
  const text = error.replaceAll('\0', '').slice(0, ERROR_LENGTH)
  return endRun(db, job, sql`${end}, error = ${text}`)
}

async function endRun(db: Database, job: TakenJob, end: SQL): Promise<boolean> {
  const { rows } = await db.execute<{ more: boolean }>(sql`
    WITH ended AS (UPDATE kernel_job SET ${end} WHERE ${present([job])})
    SELECT EXISTS (
      SELECT FROM kernel_job WHERE queue = ${job.queue} AND state = 'waiting' AND date_due <= now()) AS more`)
  return rows[0]?.more === true
}

/** Has a job that failed done once more, at once; false where there is no such job. */
export async function retryJob(db: Database, queue: string, id: string): Promise<boolean> {
  const { rowCount } = await db.execute(sql`
    UPDATE kernel_job SET state = 'waiting', date_due = now(), date_finished = NULL
    WHERE id = ${id} AND queue = ${queue} AND state = 'failed'`)
  return Boolean(rowCount)
}

/** Takes a job that nobody has begun out of its queue; false where there is no such job. */
export async function withdrawJob(db: Database, queue: string, id: string): Promise<boolean> {
  const { rowCount } = await db.execute(sql`
    UPDATE kernel_job SET state = 'cancelled', date_finished = now()
    WHERE id = ${id} AND queue = ${queue} AND state = 'waiting'`)
  return Boolean(rowCount)
}

/** Those of the jobs whose present run is the one that is meant. */
const present = (jobs: readonly TakenJob[]) => sql`state = 'running' AND (id, tries) IN (
  SELECT * FROM unnest(${sql.param(jobs.map(({ id }) => id))}::uuid[], ${sql.param(jobs.map(({ tries }) => tries))}::int[]))`
