import { and, eq, isNull, lte, or, sql } from 'drizzle-orm'
import { type AnyPgColumn, boolean, integer, type PgTable, text } from 'drizzle-orm/pg-core'
import { dateTime } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { invalid } from '../errors/app-error.ts'
import { cronFault, nextTime } from './cron.ts'
import type { Jobs } from './jobs.ts'
import { soon } from './schedules.ts'

const HOUR_MS = 3_600_000
const MAX_HOURS = 65_535
const MAX_CRONTAB = 128
const PAGE = 500
/** Next run of rows that are never due again, which keeps them out of the query of due rows. */
const NEVER = new Date('9999-12-31T00:00:00Z')

/** Columns of a table whose rows run periodically (docs/rules/accounts.md#periodic_fields). */
export const periodicColumns = () => ({
  is_periodic: boolean('is_periodic').notNull(),
  crontab: text('crontab'),
  /** Hours. */
  interval: integer('interval'),
  /** NULL: to be worked out, because the row is new or its times were changed. */
  date_next_run: dateTime('date_next_run'),
})

export interface RowSchedule {
  is_periodic: boolean
  crontab: string | null
  interval: number | null
}

/**
 * Refuses impossible times: a crontab that is malformed or never due, hours out of bounds, and a
 * periodic row with neither (A5.09).
 * @throws AppError 400 with the messages at their fields
 */
export function checkRowSchedule({ is_periodic, crontab, interval }: RowSchedule): void {
  const fault = crontab && (crontab.length > MAX_CRONTAB ? 'This schedule is too long' : cronFault(crontab))
  if (fault) throw invalid({ crontab: fault })
  if (interval !== null && !(Number.isInteger(interval) && interval >= 1 && interval <= MAX_HOURS))
    throw invalid({ interval: 'Hours must be a whole number from 1 to 65535' })
  if (is_periodic && !crontab && interval === null)
    throw invalid({ is_periodic: 'Give a crontab or an interval of hours' })
}

/** Times as a call writes them; what is left out stays. */
export interface WrittenTimes {
  is_periodic?: boolean | undefined
  crontab?: string | null | undefined
  interval?: number | null | undefined
  date_next_run?: Date | null | undefined
}

/**
 * A rule before a row is written: its times can be kept, and it is planned again where they change.
 * A form or a file that says the times as they are does not move the next run. `byDefault`: a new
 * row of which nothing is said is periodic.
 * @throws AppError 400 with the messages at their fields
 */
export function planRowTimes(draft: WrittenTimes, row: RowSchedule | undefined, byDefault: boolean): void {
  if (draft.crontab !== undefined) draft.crontab = draft.crontab?.trim() || null
  const before = row ?? { is_periodic: byDefault, crontab: null, interval: null }
  const written = {
    is_periodic: draft.is_periodic ?? before.is_periodic,
    crontab: draft.crontab === undefined ? before.crontab : draft.crontab,
    interval: draft.interval === undefined ? before.interval : draft.interval,
  }
  checkRowSchedule(written)
  const isSame = Object.entries(written).every(([name, value]) => value === before[name as keyof RowSchedule])
  if (!row || !isSame) draft.date_next_run = null
}

/**
 * When a row runs next after `after`; undefined for never. Where both are set, the crontab counts
 * and the hours do not (A5.09). `zone` is the server's.
 */
export function nextRun({ is_periodic, crontab, interval }: RowSchedule, zone: string, after: Date): Date | undefined {
  if (!is_periodic) return undefined
  if (crontab) return nextTime(crontab, zone, after)
  return interval === null ? undefined : new Date(after.getTime() + interval * HOUR_MS)
}

/** A table with an id and `periodicColumns`. */
type PeriodicTable = PgTable & {
  id: AnyPgColumn<{ data: string; notNull: true }>
  is_periodic: AnyPgColumn<{ data: boolean; notNull: true }>
  crontab: AnyPgColumn<{ data: string; notNull: false }>
  interval: AnyPgColumn<{ data: number; notNull: false }>
  date_next_run: AnyPgColumn<{ data: Date; notNull: false }>
}

/**
 * Sends the job `name` with `{ id }` for each row of the table at its times, to the minute. After a
 * time in which no node ran, a row whose times were missed is sent once. Code that
 * writes `is_periodic`, `crontab` or `interval` of a row goes by `planRowTimes`.
 * @param title of the schedule, in English
 */
export function scheduleRows(jobs: Jobs, db: Database, table: PeriodicTable, name: string, title: string): void {
  const { is_periodic, date_next_run } = table
  const hasWork = () =>
    sql`EXISTS (SELECT 1 FROM ${table} WHERE ${is_periodic} AND (${date_next_run} IS NULL OR ${date_next_run} <= ${soon}))`
  jobs.schedule({ name: `${name}_by_schedule`, cron: '* * * * *', title, hasWork }, (now) =>
    sendDueRows(jobs, db, table, name, now),
  )
}

/** One round of `scheduleRows`, as if it were `now`. */
export async function sendDueRows(
  jobs: Jobs,
  db: Database,
  table: PeriodicTable,
  name: string,
  now: Date,
): Promise<void> {
  for (;;) {
    const count = await db.transaction((tx) => sendPage(jobs, tx, table, name, now))
    if (count < PAGE) return
  }
}

/**
 * Sends the due rows of one page and plans when they run next, in one transaction. Answers how many
 * rows it planned.
 */
async function sendPage(jobs: Jobs, db: Database, table: PeriodicTable, name: string, now: Date): Promise<number> {
  const { id, is_periodic, crontab, interval, date_next_run } = table
  const rows = await db
    .select({ id, is_periodic, crontab, interval, date_next_run })
    .from(table)
    .where(and(eq(is_periodic, true), or(isNull(date_next_run), lte(date_next_run, now))))
    .limit(PAGE)
    .for('update', { skipLocked: true })
  if (!rows.length) return 0
  const times = rows.map((row) => (nextRun(row, jobs.zone, now) ?? NEVER).toISOString())
  await db.execute(sql`
    UPDATE ${table} SET date_next_run = planned.at FROM unnest(${sql.param(rows.map((row) => row.id))}::uuid[], ${sql.param(times)}::timestamptz[])
    AS planned (id, at) WHERE ${id} = planned.id`)
  const due = rows.filter((row) => row.date_next_run !== null)
  await jobs.sendIn(
    db,
    name,
    due.map((row) => ({ id: row.id })),
  )
  return rows.length
}
