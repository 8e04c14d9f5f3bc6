import type { FastifyBaseLogger } from 'fastify'
import type pg from 'pg'
import type { JobWithMetadata, PgBoss } from 'pg-boss'
import { inBackground } from '../background.ts'
import { oneNodeAtATime } from '../database/locks.ts'
import { inTime } from '../in-time.ts'

/** A kind of work and who does it on this node. */
export interface Work {
  name: string
  handler(data: object, id: string): Promise<void>
  /** Jobs of it that this node does at a time; more stay in the queue, for it or another node. */
  concurrency: number
  /** Of these, on all nodes together, for one owner of jobs: the others' are fetched before. */
  perOwner?: number | undefined
  /** How often a job is tried again after its handler has failed. */
  retries: number
}

/** What every worker of this node works with. */
export interface WorkerParts {
  boss: PgBoss
  pool: pg.Pool
  log: FastifyBaseLogger
  /** Finds out which work has jobs due, after this worker has learned of something to come. */
  look(): Promise<void>
}

/** A timer may fire a little before the database's clock says so. */
const TIMER_SLACK_MS = 20

/** Fetches the jobs of one queue and does them, as many at a time as its work allows. */
export class QueueWorker {
  /** Jobs under way, by id. */
  readonly running = new Map<string, Promise<void>>()
  readonly work: Work
  readonly #parts: WorkerParts
  #isClosed = false
  #isFetching = false
  /** Something became due while jobs were being fetched. */
  #fetchAgain = false
  #timer: NodeJS.Timeout | undefined
  /** When the timer fires, in milliseconds of a clock that nobody sets. */
  #timerAt = 0

  constructor(parts: WorkerParts, work: Work) {
    this.#parts = parts
    this.work = work
  }

  /**
   * Fetches in so many milliseconds. A fetch that is planned for earlier stands: it is followed by
   * a look.
   */
  fetchIn(ms: number): void {
    const wait = ms + TIMER_SLACK_MS
    const at = performance.now() + wait
    if (this.#timer && this.#timerAt <= at) return
    clearTimeout(this.#timer)
    this.#timerAt = at
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      inBackground(this.fetch().then(this.#parts.look))
    }, wait)
  }

  /** Fetches as many jobs as there is room for, until there is no room or nothing is due. */
  async fetch(): Promise<void> {
    if (this.#isFetching) {
      this.#fetchAgain = true
      return
    }
    this.#isFetching = true
    const { concurrency, perOwner } = this.work
    try {
      do {
        this.#fetchAgain = false
        const room = concurrency - this.running.size
        if (room <= 0 || this.#isClosed) break
        const jobs = await this.#take(room)
        for (const job of jobs) this.#start(job)
        // The oldest may all have been one owner's, of which no more were taken than they may have.
        if (perOwner && jobs.length) this.#fetchAgain = true
      } while (this.#fetchAgain)
    } catch (error) {
      this.#parts.log.error({ err: error, job: this.work.name }, 'jobs could not be fetched')
    } finally {
      this.#isFetching = false
    }
  }

  /** Fetches no more; what runs goes on. */
  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
  }

  /** Takes at most so many jobs from the queue, and of one owner no more than their share. */
  #take(batchSize: number): Promise<JobWithMetadata<object>[]> {
    const { boss, pool } = this.#parts
    const { name, perOwner: groupConcurrency } = this.work
    const options = { batchSize, includeMetadata: true } as const
    if (!groupConcurrency) return boss.fetch<object>(name, options)
    // Two nodes that count at once what an owner has under way would each give them what is left.
    return oneNodeAtATime(pool, `shares of ${name}`, (client) => {
      const db = { executeSql: (text: string, values?: unknown[]) => client.query(text, values) }
      return boss.fetch<object>(name, { ...options, groupConcurrency, db })
    })
  }

  #start(job: JobWithMetadata<object>): void {
    const running = this.#run(job)
      .catch((error) =>
        this.#parts.log.error({ err: error, job: this.work.name }, 'the end of a job could not be stored'),
      )
      .finally(() => {
        this.running.delete(job.id)
        if (!this.#isClosed) inBackground(this.fetch())
      })
    this.running.set(job.id, running)
  }

  async #run(job: JobWithMetadata<object>): Promise<void> {
    const { boss, pool, log, look } = this.#parts
    const { name, handler, retries } = this.work
    try {
      await within(job.expireInSeconds, handler(job.data, job.id))
    } catch (error) {
      log.error({ err: error, queue: name, job: job.id }, 'job failed')
      // The queue allows one more try than the work, for jobs whose node died (`DEATHS` in jobs.ts):
      // a job that failed by itself must not get it.
      const isLast = job.retryCount >= retries
      if (isLast)
        await pool.query('UPDATE jobs.job SET retry_limit = retry_count WHERE name = $1 AND id = $2', [name, job.id])
      await boss.fail(name, job.id, asData(error))
      if (!isLast) await look()
      return
    }
    await boss.complete(name, job.id)
  }
}

/**
 * The database gives an expired job to another worker; here it counts as failed, even when its
 * handler goes on.
 */
const within = (seconds: number, work: Promise<void>): Promise<void> =>
  inTime(work, seconds * 1000, () => new Error(`not done within ${seconds} s`))

function asData(error: unknown): object {
  return error instanceof Error ? { message: error.message, stack: error.stack } : { message: String(error) }
}
