import type { FastifyBaseLogger } from 'fastify'
import type pg from 'pg'
import { PgBoss } from 'pg-boss'

/** Background work on PostgreSQL (pg-boss): survives restarts, runs on any node with the role `worker`. */
export interface Jobs {
  /** Queues work; `id` may be given to show a person a task that is about to exist. Answers the job's id. */
  send(name: string, data: object, options?: { id?: string; startAfterSeconds?: number }): Promise<string>
  /**
   * Declares who does a kind of work. Names are `<domain>.<verb>`. A handler that throws is tried again `retries` times (0 by default: most work is on people's machines),
   * at once, or after `retryDelaySeconds` and then with twice the pause each time.
   */
  work<T extends object>(
    name: string,
    handler: (data: T, id: string) => Promise<void>,
    options?: { retries?: number; retryDelaySeconds?: number; concurrency?: number; expireSeconds?: number },
  ): void
  /** Work at times of a five-part cron expression, in the server's zone, on one node only. */
  schedule(name: string, cron: string, handler: () => Promise<void>): void
  start(): Promise<void>
  close(): Promise<void>
}

const DEFAULT_EXPIRE_SECONDS = 3600

export function createJobs(pool: pg.Pool, log: FastifyBaseLogger, options: { worker: boolean }): Jobs {
  // One pool for everything: the queue's own queries go through ours.
  const boss = new PgBoss({ db: { executeSql: (text: string, values?: unknown[]) => pool.query(text, values as never) }, schema: 'jobs' })
  boss.on('error', (error) => log.error({ err: error }, 'job queue'))
  const declared: { name: string; start(): Promise<void> }[] = []

  return {
    async send(name, data, { id, startAfterSeconds } = {}) {
      const sent = await boss.send(name, data, { ...(id ? { id } : {}), ...(startAfterSeconds ? { startAfter: startAfterSeconds } : {}) })
      if (!sent) throw new Error(`job ${name} was not accepted`)
      return sent
    },
    work(name, handler, { retries = 0, retryDelaySeconds = 0, concurrency = 1, expireSeconds = DEFAULT_EXPIRE_SECONDS } = {}) {
      declared.push({
        name,
        async start() {
          const pauses = retryDelaySeconds ? { retryDelay: retryDelaySeconds, retryBackoff: true } : {}
          await boss.createQueue(name, { retryLimit: retries, expireInSeconds: expireSeconds, ...pauses })
          if (!options.worker) return
          for (let n = 0; n < concurrency; n++) {
            await boss.work(name, { batchSize: 1, pollingIntervalSeconds: 0.5 }, async ([job]) => {
              if (job) await handler(job.data as never, job.id)
            })
          }
        },
      })
    },
    schedule(name, cron, handler) {
      declared.push({
        name,
        async start() {
          await boss.createQueue(name, { retryLimit: 2, policy: 'singleton' })
          await boss.schedule(name, cron)
          if (options.worker) await boss.work(name, { batchSize: 1, pollingIntervalSeconds: 5 }, () => handler())
        },
      })
    },
    async start() {
      await boss.start()
      for (const { start } of declared) await start()
    },
    async close() {
      await boss.stop({ graceful: true, timeout: 5000 })
    },
  }
}
