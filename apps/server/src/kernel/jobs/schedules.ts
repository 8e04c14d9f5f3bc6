import { createHash } from 'node:crypto'
import { type SQL, sql } from 'drizzle-orm'
import { PgDialect } from 'drizzle-orm/pg-core'
import type { FastifyBaseLogger } from 'fastify'
import type pg from 'pg'
import { nextTime } from './cron.ts'

/**
 * The next time is worked out again at least this often: timers can't wait longer than 24 days, and
 * clocks may be set.
 */
const LOOK_AGAIN_MS = 3_600_000
/** When the clock is asked again that gave no answer. */
const ASK_AGAIN_MS = 5_000

/** Work that comes by the clock. */
export interface Schedule {
  /** Named `<domain>.<verb>`; its queue has the same name. */
  name: string
  /** Five parts, by the clocks of the server's zone. */
  cron: string
  /** A description of its work in English, for people who look at the jobs. */
  title: string
  /** Nobody may switch it off: rights, records or sessions would go wrong without it. */
  isEssential?: boolean
  /**
   * Whether there is anything to do, as a condition of the database: where it does not hold, a time
   * passes without a run. For what comes often and mostly finds nothing; one statement asks for all
   * of them, while a run costs seven. It may hold for nothing, and must never miss something.
   */
  hasWork?(): SQL
}

/** The due time until a run of a schedule is there. */
export const soon = sql`now() + interval '30 seconds'`

const dialect = new PgDialect()

/**
 * Those of the schedules that have something to do; all that don't say so have. All of them where that
 * cannot be found out: what is wrong with the condition of one must not stop the others.
 */
export function withWork(
  db: Pick<pg.PoolClient, 'query'>,
  schedules: readonly Schedule[],
  log: Pick<FastifyBaseLogger, 'error'>,
): Promise<readonly Schedule[]> {
  return askedForWork(db, schedules).catch((error) => {
    log.error({ err: error }, 'schedules could not be asked whether they have something to do')
    return schedules
  })
}

async function askedForWork(
  db: Pick<pg.PoolClient, 'query'>,
  schedules: readonly Schedule[],
): Promise<readonly Schedule[]> {
  const conditions = schedules.flatMap(({ name, hasWork }) => (hasWork ? [{ name, holds: hasWork() }] : []))
  if (!conditions.length) return schedules
  const each = conditions.map(({ name, holds }) => sql`(${name}, (${holds}))`)
  const { sql: text, params } = dialect.sqlToQuery(
    sql`SELECT name FROM (VALUES ${sql.join(each, sql`, `)}) AS schedule (name, has_work) WHERE has_work`,
  )
  const { rows } = await db.query<{ name: string }>(text, params)
  const found = new Set(rows.map(({ name }) => name))
  return schedules.filter(({ name, hasWork }) => !hasWork || found.has(name))
}

/** Makes the rows of schedules that are new, switched on (docs/rules/ops.md#celery_period_task). */
export async function enterSchedules(pool: pg.Pool, schedules: readonly Schedule[]): Promise<void> {
  if (!schedules.length) return
  await pool.query(
    // Those that are there are left out first, as each conflict would use up an id.
    `INSERT INTO kernel_schedule (name)
     SELECT wanted FROM unnest($1::text[]) AS wanted WHERE wanted NOT IN (SELECT name FROM kernel_schedule)
     ON CONFLICT DO NOTHING`,
    [schedules.map(({ name }) => name)],
  )
}

/**
 * Counts a run of the schedule, and answers when that is by the database's clock; undefined where
 * somebody has switched it off.
 */
export async function takeTurn(pool: pg.Pool, { name, isEssential = false }: Schedule): Promise<Date | undefined> {
  const { rows } = await pool.query<{ at: number }>(
    `UPDATE kernel_schedule SET last_run_at = now(), total_run_count = total_run_count + 1
     WHERE name = $1 AND (enabled OR $2) RETURNING ${inMs('last_run_at')} AS at`,
    [name, isEssential],
  )
  return rows[0] && new Date(rows[0].at)
}

/** The database's clock, by which all nodes go: their own may differ from it, and from one another. */
export async function databaseTime(pool: pg.Pool): Promise<Date> {
  const { rows } = await pool.query<{ at: number }>(`SELECT ${inMs('clock_timestamp()')} AS at`)
  if (!rows[0]) throw new Error('the database told no time')
  return new Date(rows[0].at)
}

const inMs = (time: string) => `floor(extract(epoch FROM ${time}) * 1000)::float8`

/** A schedule whose time has come, and the time. */
export interface DueSchedule {
  schedule: Schedule
  due: Date
}

export interface ScheduleClock {
  /** IANA name. */
  zone: string
  /** The clock that all nodes go by. */
  now(): Promise<Date>
  /** Told that the clock gave no answer, and is asked again soon. */
  onSilence(error: unknown): void
}

/**
 * Calls `send` at each time of schedules with all whose time it is. Every node does so; `idOfRun` makes
 * one job of it. Times at which no node runs are skipped.
 * @returns how to stop
 */
export function startSchedules(
  schedules: readonly Schedule[],
  { zone, now, onSilence }: ScheduleClock,
  send: (due: readonly DueSchedule[]) => void,
): () => void {
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  const timesFrom = (from: Date): DueSchedule[] =>
    schedules.flatMap((schedule) => {
      const due = nextTime(schedule.cron, zone, from)
      return due ? [{ schedule, due }] : []
    })
  /** Sends what is due of the times, and waits for those that come next. */
  const look = async (times: readonly DueSchedule[] | undefined): Promise<void> => {
    const at = await now()
    if (isStopped) return
    // After a suspend, a schedule whose times were missed runs once.
    const due = times?.filter((one) => one.due <= at) ?? []
    if (due.length) send(due)
    const next = times && !due.length ? times : timesFrom(at)
    if (next.length) lookIn(Math.min(...next.map((one) => one.due.getTime())) - at.getTime(), next)
  }
  const lookIn = (ms: number, times: readonly DueSchedule[] | undefined): void => {
    const ask = () =>
      void look(times).catch((error) => {
        if (isStopped) return
        onSilence(error)
        lookIn(ASK_AGAIN_MS, times)
      })
    timer = setTimeout(ask, Math.max(0, Math.min(ms, LOOK_AGAIN_MS)))
  }
  lookIn(0, undefined)
  return () => {
    isStopped = true
    clearTimeout(timer)
  }
}

/** Id of the job for one time of one schedule: the same on every node, so that only one is made. */
export function idOfRun({ name }: Schedule, due: Date): string {
  const hex = createHash('sha256').update(`${name} ${due.toISOString()}`).digest('hex')
  // Version 8: made by a rule of our own (RFC 9562 §5.8).
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
