import {
  MONITOR_RANGES,
  type MonitorHistory,
  type MonitorRange,
} from '@sallyport/contract/resources/monitor/system-monitor.ts'
import { sql } from 'drizzle-orm'
import type { Database } from '../../kernel/database/database.ts'
import { monitorAlarm, monitorSample } from './tables.ts'

/** Minutes that are rolled up into one row. */
const ROLLED_UP = 15
/** Rows of a minute are kept a little longer than the charts of a day reach back. */
const MINUTES_HOURS = 25
const KEEP_DAYS = 30
const ALARM_DAYS = 90
/** A node that is late with a minute must not miss its quarter of an hour. */
const LATE_MINUTES = 2
const MINUTE_MS = 60_000

const notRolledUp = sql`minutes = 1 AND at >= coalesce(
  (SELECT max(at) + make_interval(mins => ${ROLLED_UP}) FROM ${monitorSample} WHERE minutes = ${ROLLED_UP}), '-infinity')`
/** Rows that are rolled up, and those that are still to be. */
const withNewest = sql`(minutes = ${ROLLED_UP} OR ${notRolledUp})`

/** Whether a minute is one after which a quarter of an hour can be rolled up. */
export const isRollUpDue = (at: Date) => (at.getTime() / MINUTE_MS) % ROLLED_UP === LATE_MINUTES

/** Rolls up what is over and forgets what is old: by sets, once a quarter of an hour. */
export async function rollUp(db: Database, at: Date): Promise<void> {
  const now = sql`${at.toISOString()}::timestamptz`
  const bin = sql`date_bin(make_interval(mins => ${ROLLED_UP}), at, 'epoch')`
  await db.transaction(async (tx) => {
    await tx.execute(sql`
      INSERT INTO ${monitorSample} (node, at, minutes, figures, peaks)
      SELECT node, bin, ${ROLLED_UP}, jsonb_object_agg(name, round(mean, 3)), jsonb_object_agg(name, peak)
      FROM (
        SELECT node, ${bin} AS bin, figure.key AS name, avg(figure.value::numeric) AS mean, max(figure.value::numeric) AS peak
        FROM ${monitorSample}, jsonb_each_text(figures) AS figure
        WHERE ${notRolledUp} AND at < date_bin(make_interval(mins => ${ROLLED_UP}), ${now} - make_interval(mins => ${LATE_MINUTES}), 'epoch')
        GROUP BY node, bin, name) AS one
      GROUP BY node, bin ON CONFLICT DO NOTHING`)
    await tx.execute(sql`
      DELETE FROM ${monitorSample} WHERE minutes = 1 AND at < ${now} - make_interval(hours => ${MINUTES_HOURS})
        OR minutes = ${ROLLED_UP} AND at < ${now} - make_interval(days => ${KEEP_DAYS})`)
    await tx.execute(sql`DELETE FROM ${monitorAlarm} WHERE date_closed < ${now} - make_interval(days => ${ALARM_DAYS})`)
  })
}

/** A node's figures over time, or with no node the installation's. */
export async function readHistory(
  db: Database,
  range: MonitorRange,
  node: string | undefined,
  at: Date,
): Promise<MonitorHistory> {
  const { minutes, step, kept } = MONITOR_RANGES[range]
  const size = step * MINUTE_MS
  const points = minutes / step
  // The last point holds the present.
  const from = (Math.floor(at.getTime() / size) + 1 - points) * size
  const { rows } = await db.execute<{ point: number; name: string; mean: number; peak: number }>(sql`
    SELECT floor((extract(epoch FROM at) * 1000 - ${from}) / ${size})::int AS point, figure.key AS name,
      avg(figure.value::float8) AS mean, max(coalesce(peaks->>figure.key, figure.value)::float8) AS peak
    FROM ${monitorSample}, jsonb_each_text(figures) AS figure
    WHERE ${kept === ROLLED_UP ? withNewest : sql`minutes = 1`} AND node IS NOT DISTINCT FROM ${node ?? null}::uuid
      AND at >= ${new Date(from).toISOString()}::timestamptz AND at < ${new Date(from + points * size).toISOString()}::timestamptz
    GROUP BY 1, 2`)
  const series: Record<string, { mean: (number | null)[]; peak: (number | null)[] }> = {}
  for (const { point, name, mean, peak } of rows) {
    series[name] ??= { mean: Array(points).fill(null), peak: Array(points).fill(null) }
    series[name].mean[point] = rounded(mean)
    series[name].peak[point] = rounded(peak)
  }
  return { from, step, points, series }
}

const rounded = (value: number) => Math.round(value * 10) / 10
