import type { FastifyBaseLogger } from 'fastify'
import type pg from 'pg'
import type { PgBoss } from 'pg-boss'
import { inBackground } from '../background.ts'
import { pause } from '../pause.ts'
import { QueueWorker, type Work } from './queue-worker.ts'

/** What a node has to do with one queue. */
export interface NodeWork {
  queue: string
  /** Jobs of it that the node does at a time. */
  concurrency: number
  /** Ids of those under way. */
  running: string[]
}

/** Has the jobs of this node's work fetched as soon as they are due. */
export interface Dispatcher {
  /** Starts to fetch jobs of that kind. */
  add(work: Work): void
  /**
   * Fetches what is due of that work, now or in so many milliseconds. Work that this node does not
   * do is ignored.
   */
  wake(name: string, inMs?: number): void
  /** What this node works at, and what is under way. */
  working(): NodeWork[]
  /** Wakes all work that has jobs due, or will have some before the next look. */
  look(): Promise<void>
  /** Fetches no more; what runs gets `limitMs` to end, and is then given back to the queue. */
  close(limitMs: number): Promise<void>
}

/**
 * A worker that has not been heard of for so long is dead: its jobs go to another. pg-boss looks
 * for such once a minute.
 */
export const HEARTBEAT_SECONDS = 30

/**
 * @param lookSeconds how often one query asks whether jobs of any work are due, since a notification may get lost
 */
export function createDispatcher(boss: PgBoss, pool: pg.Pool, log: FastifyBaseLogger, lookSeconds: number): Dispatcher {
  const workers = new Map<string, QueueWorker>()
  const lookMs = lookSeconds * 1000
  let closed = false
  let looks: NodeJS.Timeout | undefined
  let heartbeat: NodeJS.Timeout | undefined

  async function beat(): Promise<void> {
    for (const [name, { running }] of workers) {
      if (running.size)
        await boss.touch(name, [...running.keys()]).catch((error) => log.warn({ err: error }, 'job heartbeat'))
    }
  }

  async function look(): Promise<void> {
    if (closed || !workers.size) return
    try {
      const { rows } = await pool.query<{ name: string; wait: number }>(
        `SELECT name, extract(epoch FROM min(start_after) - now())::float * 1000 AS wait FROM jobs.job
         WHERE state < 'active' AND NOT blocked AND name = ANY($1) AND start_after < now() + make_interval(secs => $2)
         GROUP BY name`,
        [[...workers.keys()], lookSeconds],
      )
      for (const { name, wait } of rows) wake(name, wait)
    } catch (error) {
      log.error({ err: error }, 'jobs could not be looked for')
    }
  }

  function wake(name: string, inMs = 0): void {
    const worker = workers.get(name)
    if (!worker || closed) return
    if (inMs <= 0) inBackground(worker.fetch())
    // What is due after the next look is seen by that one.
    else if (inMs <= lookMs) worker.fetchIn(inMs)
  }

  return {
    add(work) {
      looks ??= setInterval(() => inBackground(look()), lookMs)
      heartbeat ??= setInterval(() => inBackground(beat()), (HEARTBEAT_SECONDS * 1000) / 3)
      workers.set(work.name, new QueueWorker({ boss, pool, log, look }, work))
    },
    wake,
    look,
    working: () =>
      [...workers.values()].map(({ work, running }) => ({
        queue: work.name,
        concurrency: work.concurrency,
        running: [...running.keys()],
      })),
    async close(limitMs) {
      closed = true
      clearInterval(looks)
      for (const worker of workers.values()) worker.close()
      const all = [...workers.values()].flatMap(({ running }) => [...running.values()])
      const stop = new AbortController()
      await Promise.race([Promise.all(all), pause(limitMs, stop.signal)])
      stop.abort()
      // Until here, so that nobody takes a job that is about to end for a dead one.
      clearInterval(heartbeat)
      for (const [name, { running }] of workers) {
        if (running.size) await boss.fail(name, [...running.keys()], { message: 'its node was stopped' })
        running.clear()
      }
    },
  }
}
