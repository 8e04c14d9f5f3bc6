import type { FastifyBaseLogger } from 'fastify'
import { awaitedLater, inBackground } from '../background.ts'
import type { Database } from '../database/database.ts'
import { lockUntilCommit } from '../database/locks.ts'
import { inTime } from '../in-time.ts'
import { pause } from '../pause.ts'
import {
  completeJob,
  failJob,
  HEARTBEAT_SECONDS,
  lookForJobs,
  type TakenJob,
  takeJobs,
  touchJobs,
} from './job-table.ts'

/** A kind of work. */
export interface Work {
  /** Named `<domain>.<verb>`; its jobs wait in the queue of that name. */
  queue: string
  handler(data: object, id: string): Promise<void>
  /** Jobs of it that a node does at a time; more stay in the queue, for it or another node. */
  concurrency: number
  /** Limit for one owner of jobs, on all nodes together: the others' jobs are taken first. */
  perOwner?: number | undefined
  /** How often a job is tried again after its handler has failed. */
  retries: number
  /** Seconds until the first of these, doubled each time. */
  retryDelaySeconds: number
  /** A job that takes longer counts as failed, even when its handler goes on. */
  expireSeconds: number
}

/** The work of a node for one queue. */
export interface NodeWork {
  queue: string
  /** Jobs of it that the node does at a time. */
  concurrency: number
  /** Ids of those under way. */
  running: string[]
}

/** Work with what this node is about. */
interface Kind {
  work: Work
  /** Jobs under way, until each ends. */
  running: Map<TakenJob, Promise<void>>
  /** It was woken when there was no room. */
  hasMore: boolean
}

const SHARES = 'shares of jobs'

/** Takes jobs of this node's work as soon as they are due, and does them. */
export class Dispatcher {
  readonly #db: Database
  readonly #log: FastifyBaseLogger
  readonly #lookMs: number
  readonly #kinds = new Map<string, Kind>()
  /** Kinds of which jobs are due, as far as is known. */
  readonly #woken = new Set<Kind>()
  #isTaking = false
  #taking = Promise.resolve()
  #isClosed = false
  #heartbeat: NodeJS.Timeout | undefined
  #timer: NodeJS.Timeout | undefined
  /** When the timer fires, in milliseconds of a clock that nobody sets. */
  #timerAt = 0

  /** @param lookSeconds how often the database is asked for due jobs, since a notification may get lost */
  constructor(db: Database, log: FastifyBaseLogger, lookSeconds: number) {
    this.#db = db
    this.#log = log
    this.#lookMs = lookSeconds * 1000
  }

  /** Starts to take jobs of that work. */
  start(works: readonly Work[]): void {
    for (const work of works) this.#kinds.set(work.queue, { work, running: new Map(), hasMore: false })
    const beat = () => touchJobs(this.#db, this.#jobs())
    this.#heartbeat = setInterval(() => inBackground(beat()), (HEARTBEAT_SECONDS * 1000) / 3)
  }

  /** What this node works at, and what is under way. */
  working(): NodeWork[] {
    return [...this.#kinds.values()].map(({ work: { queue, concurrency }, running }) => ({
      queue,
      concurrency,
      running: [...running.keys()].map(({ id }) => id),
    }))
  }

  /**
   * Takes what is due of that queue, now or in so many milliseconds. Work that this node does not do
   * is ignored.
   */
  wake(queue: string, inMs = 0): void {
    const kind = this.#kinds.get(queue)
    if (!kind || this.#isClosed) return
    if (inMs > 0) {
      this.#lookIn(inMs)
      return
    }
    this.#woken.add(kind)
    if (!this.#isTaking) this.#taking = awaitedLater(this.#take())
  }

  /** Takes what is due of all work, and looks again when more is. */
  async look(): Promise<void> {
    let next = this.#lookMs
    clearTimeout(this.#timer)
    this.#timer = undefined
    try {
      const works = [...this.#kinds.values()].map(({ work: { queue, retries } }) => ({ queue, retries }))
      for (const due of await lookForJobs(this.#db, works, next / 1000)) {
        if (due.isDue) this.wake(due.queue)
        if (due.next !== null) next = Math.min(next, due.next)
      }
    } catch (error) {
      this.#log.error({ err: error }, 'jobs could not be looked for')
    }
    this.#lookIn(next)
  }

  /** Takes no more; what runs gets `limitMs` to end, and is then left to other nodes. */
  async close(limitMs: number): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await this.#taking
    const stop = new AbortController()
    const ends = [...this.#kinds.values()].flatMap(({ running }) => [...running.values()])
    await Promise.race([Promise.all(ends), pause(limitMs, stop.signal)])
    stop.abort()
    // Until here, so that nobody takes a job that is about to end for a dead one.
    clearInterval(this.#heartbeat)
    await touchJobs(this.#db, this.#jobs(), false)
    this.#kinds.clear()
  }

  /** Those under way. */
  #jobs(): TakenJob[] {
    return [...this.#kinds.values()].flatMap(({ running }) => [...running.keys()])
  }

  /** Looks in so many milliseconds, or earlier where that was planned. */
  #lookIn(ms: number): void {
    const wait = Math.min(ms, this.#lookMs)
    const at = performance.now() + wait
    if (this.#isClosed || (this.#timer && this.#timerAt <= at)) return
    clearTimeout(this.#timer)
    this.#timerAt = at
    this.#timer = setTimeout(() => inBackground(this.look()), wait)
  }

  /** Takes jobs of what was woken, until nothing is or there is no room. */
  async #take(): Promise<void> {
    this.#isTaking = true
    // One statement takes the jobs of all queues that are woken together.
    await null
    while (this.#woken.size && !this.#isClosed) {
      const kinds = [...this.#woken]
      this.#woken.clear()
      for (const kind of kinds) kind.hasMore = kind.running.size >= kind.work.concurrency
      const open = kinds.filter(({ hasMore }) => !hasMore)
      if (open.length)
        await this.#takeOf(open).catch((error) =>
          this.#log.error({ err: error, jobs: open.map(({ work }) => work.queue) }, 'jobs could not be taken'),
        )
    }
    this.#isTaking = false
  }

  async #takeOf(kinds: readonly Kind[]): Promise<void> {
    const rooms = kinds.map(({ work, running }) => ({
      queue: work.queue,
      room: work.concurrency - running.size,
      share: work.perOwner ?? null,
    }))
    // Two nodes that count at once what an owner has under way would each give them what is left.
    const jobs = rooms.some(({ share }) => share !== null)
      ? await this.#db.transaction(async (tx) => {
          await lockUntilCommit(tx, SHARES)
          return takeJobs(tx, rooms)
        })
      : await takeJobs(this.#db, rooms)
    for (const kind of kinds) {
      const taken = jobs.filter(({ queue }) => queue === kind.work.queue)
      for (const job of taken) kind.running.set(job, awaitedLater(this.#do(kind, job)))
    }
  }

  async #do(kind: Kind, job: TakenJob): Promise<void> {
    try {
      if (await this.#end(job, kind.work, await this.#faultOf(kind.work, job))) kind.hasMore = true
    } catch (error) {
      this.#log.error({ err: error, job: job.id }, 'the end of a job could not be stored')
    }
    kind.running.delete(job)
    if (kind.hasMore) this.wake(job.queue)
  }

  /** Why the job failed; undefined where it did not. */
  async #faultOf({ queue, handler, expireSeconds }: Work, { id, data }: TakenJob): Promise<string | undefined> {
    const late = () => new Error(`not done within ${expireSeconds} s`)
    try {
      await inTime(handler(data, id), expireSeconds * 1000, late)
    } catch (error) {
      this.#log.error({ err: error, queue, job: id }, 'job failed')
      return error instanceof Error ? error.message : String(error)
    }
  }

  /** Answers whether others of its queue are due. */
  async #end(job: TakenJob, { retries, retryDelaySeconds }: Work, fault: string | undefined): Promise<boolean> {
    if (fault === undefined) return completeJob(this.#db, job)
    if (job.tries > retries) return failJob(this.#db, job, fault)
    // Never the same for all: what failed at once shall not come back at once.
    const wait = retryDelaySeconds * 2 ** (job.tries - 1) * (0.5 + Math.random() / 2)
    const isMore = await failJob(this.#db, job, fault, wait)
    this.wake(job.queue, wait * 1000)
    return isMore || wait === 0
  }
}
