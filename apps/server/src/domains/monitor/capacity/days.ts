import type { CapacityFigures } from '@sallyport/contract/resources/monitor/capacity.ts'
import { sql } from 'drizzle-orm'
import type { Kernel } from '../../../kernel/kernel.ts'
import { formatDateTime, parseDateTime } from '../../../kernel/resource/datetime.ts'
import { beginAlarm, endAlarms, notifySubscribers } from '../../notifications/index.ts'
import { settingsOf } from '../../settings/index.ts'
import { busiestMinutes } from '../../terminal/index.ts'
import { monitorCapacity, monitorCapacityDay, monitorSample } from '../tables.ts'
import { capacityOf } from './model.ts'
import { about } from './words.ts'

/** Looked at again, so that what came late is counted. */
const WINDOW_HOURS = 2
const KEEP_DAYS = 400
const ALARM = 'capacity.'

/** The figures of the newest whole measurement of each node that still is one. */
export async function newestCapacities({ db }: Pick<Kernel, 'db'>): Promise<Map<string, CapacityFigures>> {
  const { rows } = await db.execute<{ node: string; figures: CapacityFigures }>(sql`
    SELECT DISTINCT ON (node) node, figures FROM ${monitorCapacity} WHERE state = 'done' ORDER BY node, date_asked DESC`)
  return new Map(rows.map(({ node, figures }) => [node, figures]))
}

interface Day extends Record<string, unknown> {
  node: string
  name: string
  day: string
  sessions: number
  opened: number
  commands: number
}

/**
 * Keeps the busiest minute of the day of each node, compares it with what the node carried when it
 * was measured last, and tells the subscribers of "Server performance" once a day and node where it
 * came near that.
 * @param at for tests: another time than now
 */
export async function compareDays(kernel: Kernel, at = new Date()): Promise<void> {
  const { db, jobs } = kernel
  const now = sql`${at.toISOString()}::timestamptz`
  const from = sql`${now} - make_interval(hours => ${WINDOW_HOURS})`
  const dayOf = dayIn(jobs.zone, at)
  const { rows } = await db.execute<Day>(sql`
    WITH seen AS (
      SELECT node, ${dayOf} AS day, max((figures->>'sessions')::int) AS sessions, 0 AS opened, 0::float8 AS commands
      FROM ${monitorSample} WHERE minutes = 1 AND node IS NOT NULL AND at > ${from} AND at <= ${now} GROUP BY 1, 2
      UNION ALL
      SELECT kernel_node.id, ${dayOf}, 0, max(opened)::int, max(commands) / 60.0
      FROM ${busiestMinutes(from, now)} AS minute JOIN kernel_node ON kernel_node.terminal = minute.terminal
      GROUP BY 1, 2),
    kept AS (
      INSERT INTO ${monitorCapacityDay} AS day (node, day, sessions, opened, commands)
      SELECT node, day, max(sessions), max(opened), max(commands) FROM seen GROUP BY node, day
      ON CONFLICT (node, day) DO UPDATE SET sessions = greatest(day.sessions, excluded.sessions),
        opened = greatest(day.opened, excluded.opened), commands = greatest(day.commands, excluded.commands)
      RETURNING node, day::text, sessions, opened, commands)
    SELECT kept.*, kernel_node.name FROM kept JOIN kernel_node ON kernel_node.id = kept.node`)
  const measured = await newestCapacities(kernel)
  const days = rows.flatMap((row) => {
    const percent = percentOf(row, measured.get(row.node))
    return percent === undefined ? [] : [{ ...row, percent }]
  })
  await db.execute(sql`
    UPDATE ${monitorCapacityDay} AS day SET percent = new.percent
    FROM unnest(${sql.param(days.map(({ node }) => node))}::uuid[], ${sql.param(days.map(({ day }) => day))}::date[],
      ${sql.param(days.map(({ percent }) => percent))}::float8[]) AS new (node, day, percent)
    WHERE day.node = new.node AND day.day = new.day`)
  await db.execute(sql`DELETE FROM ${monitorCapacityDay} WHERE day < ${now} - make_interval(days => ${KEEP_DAYS})`)
  await tell(kernel, days)
}

/**
 * SQL: the day of the column `at`, which is at most a day before this time. PostgreSQL knows other
 * zones than we do.
 */
function dayIn(zone: string, now: Date) {
  const dayOf = (time: Date) => formatDateTime(time, zone).slice(0, 10).replaceAll('/', '-')
  const today = dayOf(now)
  const midnight = parseDateTime(`${today} 00:00:00`, zone) ?? now
  const before = dayOf(new Date(midnight.getTime() - 1))
  return sql`CASE WHEN at < ${midnight.toISOString()}::timestamptz THEN ${before}::date ELSE ${today}::date END`
}

/** The busiest minute in percent of what was measured; undefined where nothing was. */
function percentOf({ sessions, opened, commands }: Day, figures: CapacityFigures | undefined): number | undefined {
  const capacity = figures && capacityOf([figures])
  if (!capacity) return undefined
  const { people, sessions_a_minute, statements_a_second } = capacity
  const part = Math.max(sessions / people, opened / sessions_a_minute, commands / statements_a_second)
  return Math.round(part * 1000) / 10
}

async function tell(kernel: Kernel, days: readonly (Day & { percent: number })[]): Promise<void> {
  const limit = settingsOf(kernel).get('MONITOR_CAPACITY_PERCENT')
  const near = limit ? days.filter(({ percent }) => percent >= limit) : []
  const nameOf = ({ node, day }: Day) => `${ALARM}${node}.${day}`
  const fresh: typeof near = []
  for (const day of near) if (await beginAlarm(kernel, nameOf(day))) fresh.push(day)
  // Earlier days do not change any more.
  const { rows: kept } = await kernel.db.execute<{ name: string }>(sql`
    SELECT ${ALARM} || node || '.' || day AS name FROM ${monitorCapacityDay} WHERE day > now() - interval '3 days'`)
  await endAlarms(
    kernel,
    ALARM,
    kept.map(({ name }) => name),
  )
  if (!fresh.length) return
  await notifySubscribers(kernel, 'ServerPerformanceMessage', (say) => ({
    subject: say('A day came near the capacity'),
    paragraphs: fresh.map(({ name, day, percent, sessions, opened, commands }) =>
      say(
        'On {{day}} {{component}} was {{percent}}% full in its busiest minute: {{sessions}} live sessions, {{opened}} new ones a minute, {{commands}} commands a second at most.',
        { day, component: name, percent: Math.round(percent), sessions, opened, commands: about(commands) },
      ),
    ),
    link: { text: say('Open the capacity'), path: '/ui/xpack/capacity' },
  }))
}
