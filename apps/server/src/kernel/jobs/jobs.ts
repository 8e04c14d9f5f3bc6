import type { FastifyBaseLogger } from 'fastify'
import { inBackground } from '../background.ts'
import type { Database, OpenDatabase } from '../database/database.ts'
import { type Events, publishIn, RECONNECTED } from '../events/events.ts'
import { serverZone } from '../server-zone.ts'
import { Dispatcher, type NodeWork, type Work } from './dispatcher.ts'
import { insertJobs, retryJob, withdrawJob } from './job-table.ts'
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
  /** The owner of the job, for work of which one owner gets only a share. */
  owner?: string | undefined
}

/**
 * Background work, kept in PostgreSQL (`kernel_job`). It survives restarts and is done by any node
 * with the role `worker`, without delay: nodes are notified of new jobs (kernel/events), and look
 * every half minute for jobs whose event they missed.
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
   * @param limits one at a time on a node, and an hour for each, where not said otherwise
   */
  work<T extends object>(
    name: string,
    handler: (data: T, id: string) => Promise<void>,
    limits?: Partial<Omit<Work, 'queue' | 'handler'>>,
  ): void
  /**
   * Has `handler` run at the times of a five-part cron expression, on one node each time, while
   * nobody has switched the schedule off and where there is something to do. `now` is the database's
   * time: what is due goes by that on every node.
   */
  schedule(schedule: Schedule, handler: (now: Date) => Promise<void>): void
  /** All kinds of work, also those of schedules, in the order in which they were declared. */
  readonly works: readonly Omit<Work, 'handler'>[]
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
/** One run of a schedule at a time, on all nodes together: they have one owner, who gets a share of one. */
const CLOCK = { owner: 'clock', perOwner: 1, retries: 2, expireSeconds: 900 }

const DUE = 'jobs.due'

export interface JobsOptions {
  /** Whether this node does work, or only sends it. */
  worker: boolean
  /** IANA name; the server's own where not given. */
  zone?: string
  /** Seconds between searches for jobs whose event was missed, and for jobs of dead nodes. */
  lookSeconds?: number
}

export function createJobs(
  { db, pool }: Pick<OpenDatabase, 'db' | 'pool'>,
  events: Events,
  log: FastifyBaseLogger,
  options: JobsOptions,
): Jobs {
  const { worker, zone = serverZone(), lookSeconds = LOOK_SECONDS } = options
  const works: Work[] = []
  const schedules: Schedule[] = []
  const dispatcher = new Dispatcher(db, log, lookSeconds)
  const closing: (() => void)[] = []
  const clock: ScheduleClock = {
    zone,
    now: () => databaseTime(pool),
    onSilence: (error) => log.error({ err: error }, 'the database was not asked for the time of schedules'),
  }

  /** A run of each schedule whose time it is, if there is something to do. */
  async function sendDue(due: readonly DueSchedule[]) {
    const all = due.map(({ schedule }) => schedule)
    const has = await withWork(pool, all, log)
    const runs = due.flatMap(({ schedule, due: time }) =>
      has.includes(schedule)
        ? [{ queue: schedule.name, data: {}, owner: CLOCK.owner, id: idOfRun(schedule, time) }]
        : [],
    )
    if (!runs.length) return
    await insertJobs(db, runs)
    await events.publish(DUE, { queues: runs.map(({ queue }) => queue) })
  }

  const jobs: Jobs = {
    zone,
    works,
    schedules,
    async send(queue, data, { id, owner, startAfterSeconds = 0, db: within = db } = {}) {
      const [sent] = await insertJobs(within, [{ queue, data, id, owner, wait: startAfterSeconds }])
      if (!sent) throw new Error(`job ${queue} was not accepted`)
      await publishIn(within, DUE, { queues: [queue], inMs: startAfterSeconds * 1000 })
      return sent
    },
    async sendIn(within, queue, data) {
      if (!data.length) return
      await insertJobs(
        within,
        data.map((one) => ({ queue, data: one })),
      )
      await publishIn(within, DUE, { queues: [queue] })
    },
    work(queue, handler, limits = {}) {
      works.push({
        queue,
        handler: handler as Work['handler'],
        concurrency: 1,
        retries: 0,
        retryDelaySeconds: 0,
        expireSeconds: DEFAULT_EXPIRE_SECONDS,
        ...limits,
      })
    },
    schedule(schedule, handler) {
      schedules.push(schedule)
      const { perOwner, retries, expireSeconds } = CLOCK
      const run = async () => {
        const now = await takeTurn(pool, schedule)
        if (now) await handler(now)
      }
      jobs.work(schedule.name, run, { perOwner, retries, expireSeconds })
    },
    working: () => dispatcher.working(),
    async retry(queue, id) {
      const isThere = await retryJob(db, queue, id)
      if (isThere) await events.publish(DUE, { queues: [queue] })
      return isThere
    },
    withdraw: (queue, id) => withdrawJob(db, queue, id),
    async start() {
      await enterSchedules(pool, schedules)
      if (!worker) return
      dispatcher.start(works)
      closing.push(
        events.subscribe(DUE, ({ queues, inMs }) => {
          for (const queue of queues as string[]) dispatcher.wake(queue, Number(inMs ?? 0))
        }),
        events.subscribe(RECONNECTED, () => inBackground(dispatcher.look())),
        startSchedules(schedules, clock, (due) =>
          inBackground(sendDue(due).catch((error) => log.error({ err: error }, 'schedules could not be sent'))),
        ),
      )
      await dispatcher.look()
    },
    async close() {
      for (const end of closing.splice(0)) end()
      await dispatcher.close(CLOSE_LIMIT_MS)
    },
  }
  return jobs
}
