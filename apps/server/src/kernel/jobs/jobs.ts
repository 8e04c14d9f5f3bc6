import { sql } from 'drizzle-orm'
import type { FastifyBaseLogger } from 'fastify'
import type pg from 'pg'
import { fromDrizzle, PgBoss, type QueueOptions } from 'pg-boss'
import { inBackground } from '../background.ts'
import type { Database } from '../database/database.ts'
import { oneNodeAtATime } from '../database/locks.ts'
import { type Events, publishIn, RECONNECTED } from '../events/events.ts'
import { serverZone } from '../server-zone.ts'
import { createDispatcher, HEARTBEAT_SECONDS, type NodeWork } from './dispatcher.ts'
import type { Work } from './queue-worker.ts'
import {
  type DueSchedule,
  databaseTime,
  enterSchedules,
  idOfRun,
  type Schedule,
  type ScheduleClock,
  startSchedules,
  takeTurn,
  withWork,
} from './schedules.ts'

export interface SendOptions {
  id?: string
  startAfterSeconds?: number
  db?: Database
  /** Whose the job is, for work of which one owner gets only a share. */
  owner?: string | undefined
}

/**
 * Background work on PostgreSQL (pg-boss). It survives restarts and is done by any node with the
 * role `worker`, without delay: nodes are told of new jobs (kernel/events), and look every half
 * minute for jobs that they were not told of.
 */
export interface Jobs {
  /** The zone of schedules and cron expressions, an IANA name or an offset. */
  readonly zone: string
  /**
   * Queues one job and answers its id. Callers may choose `id`, in order to show a task before its
   * job exists, and `db`, a transaction: if that is undone, so is the job.
   */
  send(name: string, data: object, options?: SendOptions): Promise<string>
  /** Queues one job for each of `data` within a transaction: if it is undone, so are they. */
  sendIn(db: Database, name: string, data: readonly object[]): Promise<void>
  /**
   * Declares the handler of a kind of work, named `<domain>.<verb>`. If it throws, the job is tried
   * again up to `retries` times (0 by default, since most work is done on other machines): at once,
   * or after `retryDelaySeconds`, doubled each time. A job whose node died is taken up once more by
   * another, whatever `retries` says, so every handler must cope with work that is half done.
   * @param options `concurrency`: how many a node does at a time, 1 by default; `perOwner`: how many of one owner all nodes do at a time; `expireSeconds`: after which a job counts as failed
   */
  work<T extends object>(
    name: string,
    handler: (data: T, id: string) => Promise<void>,
    options?: {
      retries?: number
      retryDelaySeconds?: number
      concurrency?: number
      perOwner?: number
      expireSeconds?: number
    },
  ): void
  /**
   * Has `handler` run at the times of a five-part cron expression, on one node each time, while
   * nobody has switched the schedule off and where there is something to do. `now` is the database's
   * time: what is due goes by that on every node.
   */
  schedule(schedule: Schedule, handler: (now: Date) => Promise<void>): void
  /** All schedules, in the order in which they were declared. */
  readonly schedules: readonly Schedule[]
  /** Queues this node works at, how many jobs of each at a time, and the jobs under way. */
  working(): NodeWork[]
  /** Has a job that failed done once more; false where there is no such job. */
  retry(name: string, id: string): Promise<boolean>
  /** Takes a job that nobody has begun out of its queue; false where there is no such job. */
  withdraw(name: string, id: string): Promise<boolean>
  start(): Promise<void>
  close(): Promise<void>
}

const DEFAULT_EXPIRE_SECONDS = 3600
const LOOK_SECONDS = 30
/** How long a stop waits for running jobs. */
const CLOSE_LIMIT_MS = 5000
/** How often a job is taken up again after its node died; no more, as the job may be the cause. */
const DEATHS = 1
const SCHEDULE_RETRIES = 2
/**
 * Interval of the housekeeping of pg-boss that we have no use for: flows of jobs, and reading the
 * list of queues again, which never changes while we run.
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
  /** How often the database is asked for due jobs that no event told of. */
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
  const clock: ScheduleClock = {
    zone,
    now: () => databaseTime(pool),
    onSilence: (error) => log.error({ err: error }, 'the database was not asked for the time of schedules'),
  }

  async function send(name: string, data: object, { id, startAfterSeconds = 0, db, owner }: SendOptions = {}) {
    const sent = await boss.send(name, data, {
      ...(id ? { id } : {}),
      ...(owner ? { group: { id: owner } } : {}),
      ...(startAfterSeconds ? { startAfter: startAfterSeconds } : {}),
      ...(db ? { db: fromDrizzle(db, sql) } : {}),
    })
    const due = { queue: name, inMs: startAfterSeconds * 1000 }
    if (sent) await (db ? publishIn(db, DUE, due) : events.publish(DUE, due))
    return sent
  }

  /** A run of each schedule whose time it is, if there is something to do. */
  async function sendDue(due: readonly DueSchedule[]) {
    const has = await withWork(
      pool,
      due.map(({ schedule }) => schedule),
      log,
    )
    for (const { schedule, due: time } of due)
      if (has.includes(schedule))
        send(schedule.name, {}, { id: idOfRun(schedule, time) }).catch((error) =>
          log.error({ err: error, job: schedule.name }, 'schedule'),
        )
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
    work(name, handler, options) {
      declared.push(declaredWork(name, handler as Work['handler'], options))
    },
    schedule(schedule, handler) {
      schedules.push(schedule)
      declared.push(
        declaredSchedule(schedule.name, async () => {
          const now = await takeTurn(pool, schedule)
          if (now) await handler(now)
        }),
      )
    },
    schedules,
    working: () => dispatcher.working(),
    async retry(name, id) {
      // What the library's own does, and due at once.
      const { rowCount } = await pool.query(
        `UPDATE jobs.job SET state = 'retry', retry_limit = retry_limit + 1, completed_on = NULL, start_after = now()
         WHERE name = $1 AND id = $2 AND state = 'failed'`,
        [name, id],
      )
      if (rowCount) await events.publish(DUE, { queue: name })
      return Boolean(rowCount)
    },
    async withdraw(name, id) {
      // By a statement of our own: the library's would also drop a job that a worker is about.
      const { rowCount } = await pool.query(
        `UPDATE jobs.job SET state = 'cancelled', completed_on = now() WHERE name = $1 AND id = $2 AND state < 'active'`,
        [name, id],
      )
      return Boolean(rowCount)
    },
    async start() {
      await oneNodeAtATime(pool, ADVISORY_LOCK, async () => {
        await boss.start()
        await makeQueues(boss, declared)
        await enterSchedules(pool, schedules)
      })
      if (!worker) return
      for (const { work } of declared) dispatcher.add(work)
      closing.push(
        events.subscribe(DUE, ({ queue, inMs }) => dispatcher.wake(String(queue), Number(inMs ?? 0))),
        events.subscribe(RECONNECTED, () => inBackground(dispatcher.look())),
        startSchedules(schedules, clock, (due) => inBackground(sendDue(due))),
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

function declaredWork(
  name: string,
  handler: Work['handler'],
  {
    retries = 0,
    retryDelaySeconds = 0,
    concurrency = 1,
    perOwner,
    expireSeconds = DEFAULT_EXPIRE_SECONDS,
  }: Parameters<Jobs['work']>[2] = {},
): Declared {
  const pauses = retryDelaySeconds ? { retryDelay: retryDelaySeconds, retryBackoff: true } : {}
  return {
    work: { name, handler, concurrency, perOwner, retries },
    queue: { retryLimit: retries + DEATHS, expireInSeconds: expireSeconds, ...pauses },
    policy: 'standard',
  }
}

const declaredSchedule = (name: string, handler: Work['handler']): Declared => ({
  work: { name, handler, concurrency: 1, retries: SCHEDULE_RETRIES },
  queue: { retryLimit: SCHEDULE_RETRIES + DEATHS },
  policy: 'singleton',
})

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
