import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type pg from 'pg'
import type { JobWithMetadata, PgBoss } from 'pg-boss'

/** A kind of work and who does it on this node. */
export interface Work {
  name: string
  handler(data: object, id: string): Promise<void>
  /** Jobs of it that this node does at a time; more stay in the queue, for it or another node. */
  concurrency: number
  /** How often a job is tried again after its handler has failed. */
  retries: number
}

/** Takes jobs of this node's work as soon as they are due. */
export interface Dispatcher {
  /** Starts to take jobs of that kind. */
  add(work: Work): void
  /**
   * Takes what is due of that work, now or in so many milliseconds. Work that this node does not do
   * is ignored.
   */
  wake(name: string, inMs?: number): void
  /**
   * Wakes all work that has jobs due, and plans those that will be within the interval of looks.
   */
  look(): Promise<void>
  /** Takes no more; what runs gets `limitMs` to end, and is then given back. */
  close(limitMs: number): Promise<void>
}

/**
 * A worker that has said nothing for so long is dead: its jobs go to another. pg-boss looks once a
 * minute.
 */
export const HEARTBEAT_SECONDS = 30
/** A timer may come a little before the database's clock. */
const TIMER_SLACK_MS = 20

interface Taker extends Work {
  running: Map<string, Promise<void>>
  isFetching: boolean
  /** Woken while it was fetching. */
  again: boolean
  timer: NodeJS.Timeout | undefined
  timerAt: number
}

/**
 * @param lookSeconds how often one query asks whether anything of all work is due: the net under notifications, which may get lost
 */
export function createDispatcher(boss: PgBoss, pool: pg.Pool, log: FastifyBaseLogger, lookSeconds: number): Dispatcher {
  const takers = new Map<string, Taker>()
  let closed = false
  const lookMs = lookSeconds * 1000
  let net: NodeJS.Timeout | undefined
  let heartbeat: NodeJS.Timeout | undefined

  async function beat(): Promise<void> {
    for (const { name, running } of takers.values()) {
      if (running.size)
        await boss.touch(name, [...running.keys()]).catch((error) => log.warn({ err: error }, 'job heartbeat'))
    }
  }

  async function look(): Promise<void> {
    if (closed || !takers.size) return
    try {
      const { rows } = await pool.query<{ name: string; wait: number }>(
        `SELECT name, extract(epoch FROM min(start_after) - now())::float * 1000 AS wait FROM jobs.job
         WHERE state < 'active' AND NOT blocked AND name = ANY($1) AND start_after < now() + make_interval(secs => $2)
         GROUP BY name`,
        [[...takers.keys()], lookSeconds],
      )
      for (const { name, wait } of rows) wake(name, wait)
    } catch (error) {
      log.error({ err: error }, 'jobs could not be looked for')
    }
  }

  function wake(name: string, inMs = 0): void {
    const taker = takers.get(name)
    if (!taker || closed) return
    if (inMs <= 0) return void take(taker)
    const at = Date.now() + inMs + TIMER_SLACK_MS
    // Later than the next look, that one will see it; later than what is planned, the take that is
    // planned will be followed by a look.
    if (inMs > lookMs || (taker.timer && taker.timerAt <= at)) return
    clearTimeout(taker.timer)
    taker.timerAt = at
    taker.timer = setTimeout(() => {
      taker.timer = undefined
      void take(taker).then(look)
    }, at - Date.now())
  }

  /** Fetches as many jobs as there is room for, until there is no room or nothing is due. */
  async function take(taker: Taker): Promise<void> {
    if (taker.isFetching) {
      taker.again = true
      return
    }
    taker.isFetching = true
    try {
      do {
        taker.again = false
        const room = taker.concurrency - taker.running.size
        if (room <= 0 || closed) break
        const jobs = await boss.fetch<object>(taker.name, { batchSize: room, includeMetadata: true })
        for (const job of jobs) start(taker, job)
      } while (taker.again)
    } catch (error) {
      log.error({ err: error, job: taker.name }, 'jobs could not be fetched')
    } finally {
      taker.isFetching = false
    }
  }

  function start(taker: Taker, job: JobWithMetadata<object>): void {
    const running = run(taker, job)
      .catch((error) => log.error({ err: error, job: taker.name }, 'the end of a job could not be stored'))
      .finally(() => {
        taker.running.delete(job.id)
        wake(taker.name)
      })
    taker.running.set(job.id, running)
  }

  async function run({ name, handler, retries }: Taker, job: JobWithMetadata<object>): Promise<void> {
    try {
      await within(job.expireInSeconds, handler(job.data, job.id))
    } catch (error) {
      log.error({ err: error, queue: name, job: job.id }, 'job failed')
      // The queue allows one try more, for jobs whose node died (see `work` in jobs.ts); what
      // failed by itself is not tried that often.
      const isLast = job.retryCount >= retries
      if (isLast)
        await pool.query('UPDATE jobs.job SET retry_limit = retry_count WHERE name = $1 AND id = $2', [name, job.id])
      await boss.fail(name, job.id, asData(error))
      if (!isLast) await look()
      return
    }
    await boss.complete(name, job.id)
  }

  return {
    add(work) {
      net ??= setInterval(() => void look(), lookMs)
      heartbeat ??= setInterval(() => void beat(), (HEARTBEAT_SECONDS * 1000) / 3)
      takers.set(work.name, {
        ...work,
        running: new Map(),
        isFetching: false,
        again: false,
        timer: undefined,
        timerAt: 0,
      })
    },
    wake,
    look,
    async close(limitMs) {
      closed = true
      clearInterval(net)
      for (const { timer } of takers.values()) clearTimeout(timer)
      const all = [...takers.values()].flatMap(({ running }) => [...running.values()])
      const stop = new AbortController()
      await Promise.race([Promise.all(all), pause(limitMs, undefined, { signal: stop.signal }).catch(() => {})])
      stop.abort()
      clearInterval(heartbeat)
      for (const { name, running } of takers.values()) {
        if (running.size) await boss.fail(name, [...running.keys()], { message: 'its node was stopped' })
        running.clear()
      }
    },
  }
}

/**
 * The database gives an expired job to somebody else; here it counts as failed, even when its
 * handler goes on.
 */
async function within(seconds: number, work: Promise<void>): Promise<void> {
  const stop = new AbortController()
  const limit = pause(seconds * 1000, undefined, { signal: stop.signal }).then(
    () => {
      throw new Error(`not done within ${seconds} s`)
    },
    () => {},
  )
  await Promise.race([work, limit]).finally(() => stop.abort())
}

function asData(error: unknown): object {
  return error instanceof Error ? { message: error.message, stack: error.stack } : { message: String(error) }
}
