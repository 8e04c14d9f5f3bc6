import type { JobState, MonitoredJob, QueueFigures } from '@sallyport/contract/resources/ops/task-monitor.ts'
import { type SQL, sql } from 'drizzle-orm'
import type { Call } from '../../../kernel/access/call.ts'
import { translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { formatDateTime } from '../../../kernel/resource/datetime.ts'
import type { Page } from '../../../kernel/resource/query.ts'
import { isCancellable } from '../cancel-task.ts'

/** Jobs of each state in the order in which people look for them. */
const ORDERS: Readonly<Record<JobState, SQL>> = {
  waiting: sql`j.date_due, j.id`,
  running: sql`j.date_start, j.id`,
  failed: sql`j.date_finished DESC, j.id`,
  done: sql`j.date_finished DESC, j.id`,
  cancelled: sql`j.date_finished DESC, j.id`,
}

export const isJobState = (text: string): text is JobState => Object.hasOwn(ORDERS, text)

/** Every queue, now and in the last hour: one statement. */
export async function queueFigures({ db, jobs }: Kernel, call: Call): Promise<QueueFigures[]> {
  const hour = sql`j.date_finished > now() - interval '1 hour'`
  const queues = jobs.works.map(({ queue }) => queue)
  const { rows } = await db.execute<Omit<QueueFigures, 'title' | 'oldest_waiting'> & { oldest: string | null }>(sql`
    SELECT queue,
      count(*) FILTER (WHERE j.state = 'waiting' AND j.date_due <= now())::int AS waiting,
      count(*) FILTER (WHERE j.state = 'waiting' AND j.date_due > now())::int AS later,
      count(*) FILTER (WHERE j.state = 'running')::int AS running,
      count(*) FILTER (WHERE j.state = 'failed')::int AS failed,
      count(*) FILTER (WHERE j.state = 'done' AND ${hour})::int AS done_hour,
      count(*) FILTER (WHERE j.state = 'failed' AND ${hour})::int AS failed_hour,
      extract(epoch FROM avg(j.date_finished - j.date_start) FILTER (WHERE j.state = 'done' AND ${hour}))::float AS seconds,
      min(j.date_due) FILTER (WHERE j.state = 'waiting' AND j.date_due <= now()) AS oldest
    FROM unnest(${sql.param(queues)}::text[]) AS queue FULL JOIN kernel_job j USING (queue) GROUP BY queue ORDER BY queue`)
  return rows.map(({ oldest, ...row }) => ({
    ...row,
    title: titleOfQueue(jobs, row.queue, call),
    oldest_waiting: oldest ? formatDateTime(new Date(oldest), call.timeZone) : null,
  }))
}

const titleOfQueue = (jobs: Kernel['jobs'], queue: string, { language }: Call): string => {
  const title = jobs.schedules.find(({ name }) => name === queue)?.title
  return title ? translate(language, title) : ''
}

interface StoredJob extends Record<string, unknown> {
  id: string
  queue: string
  state: JobState
  created: string
  due: string
  started: string | null
  finished: string | null
  tries: number
  error: string
  task: string | null
}

/** Jobs of one state, and of one queue where it is named; what they work on is not told. */
export async function listJobs(
  { db, jobs }: Kernel,
  call: Call,
  { state, queue, page }: { state: JobState; queue: string | undefined; page: Page },
): Promise<{ count: number; results: MonitoredJob[] }> {
  const narrowed = sql`j.state = ${state}${queue ? sql` AND j.queue = ${queue}` : sql``}`
  const { rows } = await db.execute<StoredJob>(sql`
    SELECT ${COLUMNS} FROM kernel_job j LEFT JOIN ops_background_task t ON t.id = j.id
    WHERE ${narrowed} ORDER BY ${ORDERS[state]} LIMIT ${page.limit} OFFSET ${page.offset}`)
  const { rows: counted } = await db.execute<{ count: number }>(
    sql`SELECT count(*)::int AS count FROM kernel_job j WHERE ${narrowed}`,
  )
  return { count: counted[0]?.count ?? 0, results: rows.map((row) => shown(row, jobs, call)) }
}

/** One job; undefined where there is none of that id. */
export async function findJob({ db, jobs }: Kernel, call: Call, id: string): Promise<MonitoredJob | undefined> {
  const { rows } = await db.execute<StoredJob>(
    sql`SELECT ${COLUMNS} FROM kernel_job j LEFT JOIN ops_background_task t ON t.id = j.id WHERE j.id = ${id}`,
  )
  return rows[0] && shown(rows[0], jobs, call)
}

const COLUMNS = sql`j.id, j.queue, j.state, j.date_created AS created, j.date_due AS due, j.date_start AS started,
  j.date_finished AS finished, j.tries, j.error, t.name AS task`

function shown(row: StoredJob, jobs: Kernel['jobs'], call: Call): MonitoredJob {
  const time = (value: string | null) => (value ? formatDateTime(new Date(value), call.timeZone) : null)
  const { state } = row
  return {
    id: row.id,
    queue: row.queue,
    title: row.task ? translate(call.language, row.task) : titleOfQueue(jobs, row.queue, call),
    state,
    date_created: time(row.created) ?? '',
    date_due: time(row.due) ?? '',
    date_start: time(row.started),
    date_finished: time(row.finished),
    tries: row.tries,
    error: row.error,
    has_log: row.task !== null,
    can_cancel: isCancellable({ queue: row.queue, isRunning: state === 'running', isWaiting: state === 'waiting' }),
    can_retry: state === 'failed',
  }
}
