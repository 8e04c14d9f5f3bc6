import { sql } from 'drizzle-orm'
import type { FastifyBaseLogger } from 'fastify'
import type pg from 'pg'
import { fromDrizzle, PgBoss, type QueueOptions } from 'pg-boss'
import type { Database } from '../database/database.ts'
import { oneNodeAtATime } from '../database/one-node-at-a-time.ts'
import { type Events, publishIn, RECONNECTED } from '../events/events.ts'
import { serverZone } from './cron.ts'
import { createDispatcher, HEARTBEAT_SECONDS } from './dispatcher.ts'
import type { Work } from './queue-worker.ts'
import { idOfRun, type Schedule, startSchedules } from './schedules.ts'

/**
 * Background work on PostgreSQL (pg-boss): survives restarts, runs on any node with the role
 * `worker`, at once: nodes are told of new jobs (kernel/events) and look for what they were not
 * told every half minute.
 */
export interface Jobs {
  /** The zone that schedules and cron expressions mean, as an IANA name. */
  readonly zone: string
  /**
   * Queues work; `id` may be given to show a person a task that is about to exist. Answers the
   * job's id.
   */
  send(name: string, data: object, options?: { id?: string; startAfterSeconds?: number }): Promise<string>
  /**
   * Queues one job for each of `data`, which are there when and only when the transaction commits.
   */
  sendIn(db: Database, name: string, data: readonly object[]): Promise<void>
  /**
   * Declares who does a kind of work. Names are `<domain>.<verb>`. A handler that throws is tried
   * again `retries` times (0 by default: most work is on people's machines), at once, or after
   * `retryDelaySeconds` and then with twice the pause each time. A job whose node died is taken up
   * once more by another, whatever `retries` says: a handler must bear to find its work half done.
   * @param options `concurrency`: how many a node does at a time, 1 by default; `expireSeconds`: after which a job counts as failed
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
const LOOK_SECONDS = 30
/** What a stop waits for running jobs. */
const CLOSE_LIMIT_MS = 5000
/** Work is failed this often by dying nodes before it is given up: it may be what they die of. */
const DEATHS = 1
const SCHEDULE_RETRIES = 2
/**
 * Of pg-boss's own housekeeping that we have no use for: flows of jobs, and its list of queues,
 * which never changes while we run.
 */
const SELDOM_SECONDS = 3600

const DUE = 'jobs.due'

/** Any number of our own: pg-boss makes its tables and queues at the first start. */
const ADVISORY_LOCK = 7_255_711

export interface JobsOptions {
  /** Whether this node does work, or only sends it. */
  worker: boolean
  /** IANA name; the server's own where not given. */
  zone?: string
  /** How often the net under the notifications is drawn. */
  lookSeconds?: number
  /** How often pg-boss looks for jobs of dead workers. */
  superviseSeconds?: number
}

/** A kind of work with the queue that its jobs wait in. */
interface Declared {
  work: Work
  queue: QueueOptions
  /** `singleton`: one job of it runs at a time, on all nodes together. */
  policy: 'standard' | 'singleton'
}

export function createJobs(pool: pg.Pool, events: Events, log: FastifyBaseLogger, options: JobsOptions): Jobs {
  const { worker, zone = serverZone(), lookSeconds = LOOK_SECONDS, superviseSeconds = 60 } = options
  const boss = openQueues(pool, worker, superviseSeconds)
  boss.on('error', (error) => log.error({ err: error }, 'job queue'))
  const declared: Declared[] = []
  const schedules: Schedule[] = []
  const dispatcher = createDispatcher(boss, pool, log, lookSeconds)
  const closing: (() => void)[] = []

  async function send(
    name: string,
    data: object,
    { id, startAfterSeconds = 0 }: { id?: string; startAfterSeconds?: number } = {},
  ) {
    const sent = await boss.send(name, data, {
      ...(id ? { id } : {}),
      ...(startAfterSeconds ? { startAfter: startAfterSeconds } : {}),
    })
    if (sent) await events.publish(DUE, { queue: name, inMs: startAfterSeconds * 1000 })
    return sent
  }

  return {
    zone,
    async send(name, data, jobOptions) {
      const sent = await send(name, data, jobOptions)
      if (!sent) throw new Error(`job ${name} was not accepted`)
      return sent
    },
    async sendIn(db, name, data) {
      if (!data.length) return
      await boss.insert(
        name,
        data.map((one) => ({ data: one })),
        { db: fromDrizzle(db, sql) },
      )
      await publishIn(db, DUE, { queue: name })
    },
    work(
      name,
      handler,
      { retries = 0, retryDelaySeconds = 0, concurrency = 1, expireSeconds = DEFAULT_EXPIRE_SECONDS } = {},
    ) {
      const pauses = retryDelaySeconds ? { retryDelay: retryDelaySeconds, retryBackoff: true } : {}
      declared.push({
        work: { name, handler: handler as Work['handler'], concurrency, retries },
        queue: { retryLimit: retries + DEATHS, expireInSeconds: expireSeconds, ...pauses },
        policy: 'standard',
      })
    },
    schedule(name, cron, handler) {
      schedules.push({ name, cron })
      declared.push({
        work: { name, handler, concurrency: 1, retries: SCHEDULE_RETRIES },
        queue: { retryLimit: SCHEDULE_RETRIES + DEATHS },
        policy: 'singleton',
      })
    },
    async start() {
      await oneNodeAtATime(pool, ADVISORY_LOCK, async () => {
        await boss.start()
        await makeQueues(boss, declared)
      })
      if (!worker) return
      for (const { work } of declared) dispatcher.add(work)
      closing.push(
        events.subscribe(DUE, ({ queue, inMs }) => dispatcher.wake(String(queue), Number(inMs ?? 0))),
        events.subscribe(RECONNECTED, () => void dispatcher.look()),
        startSchedules(schedules, zone, (schedule, due) => {
          send(schedule.name, {}, { id: idOfRun(schedule, due) }).catch((error) =>
            log.error({ err: error, job: schedule.name }, 'schedule'),
          )
        }),
      )
      await dispatcher.look()
    },
    async close() {
      for (const end of closing.splice(0)) end()
      await dispatcher.close(CLOSE_LIMIT_MS)
      await boss.stop({ graceful: false })
    },
  }
}

/** pg-boss on our own pool, of which we use queues, retries and supervision alone. */
function openQueues(pool: pg.Pool, worker: boolean, superviseSeconds: number): PgBoss {
  return new PgBoss({
    db: { executeSql: (text: string, values?: unknown[]) => pool.query(text, values as never) },
    schema: 'jobs',
    schedule: false,
    supervise: worker,
    superviseIntervalSeconds: superviseSeconds,
    monitorIntervalSeconds: superviseSeconds,
    flowIntervalSeconds: SELDOM_SECONDS,
    queueCacheIntervalSeconds: SELDOM_SECONDS,
    bamIntervalSeconds: SELDOM_SECONDS,
  })
}

/** Makes the queues that are missing, and gives the others the options of this version. */
async function makeQueues(boss: PgBoss, declared: readonly Declared[]): Promise<void> {
  const known = new Set((await boss.getQueues()).map(({ name }) => name))
  for (const { work, queue, policy } of declared) {
    const options = { ...queue, heartbeatSeconds: HEARTBEAT_SECONDS }
    if (known.has(work.name)) await boss.updateQueue(work.name, options)
    else await boss.createQueue(work.name, { ...options, policy })
  }
}
