import type { JobState, MonitoredJob, QueueFigures } from '@sallyport/contract/resources/ops/task-monitor.ts'
import { type SQL, sql } from 'drizzle-orm'
import type { Call } from '../../../kernel/access/call.ts'
import { translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { formatDateTime } from '../../../kernel/resource/datetime.ts'
import type { Page } from '../../../kernel/resource/query.ts'
import { isCancellable } from '../cancel-task.ts'

/** Where the states that people see stand in the queue, and what comes first. */
const STATES: Readonly<Record<JobState, { where: SQL; order: SQL }>> = {
  waiting: { where: sql`j.state < 'active'`, order: sql`j.start_after, j.id` },
  running: { where: sql`j.state = 'active'`, order: sql`j.started_on, j.id` },
  failed: { where: sql`j.state = 'failed'`, order: sql`j.completed_on DESC, j.id` },
  done: { where: sql`j.state = 'completed'`, order: sql`j.completed_on DESC, j.id` },
  cancelled: { where: sql`j.state = 'cancelled'`, order: sql`j.completed_on DESC, j.id` },
}

export const isJobState = (text: string): text is JobState => Object.hasOwn(STATES, text)

/** Every queue, now and in the last hour: one statement. */
export async function queueFigures({ db, jobs }: Kernel, call: Call): Promise<QueueFigures[]> {
  const hour = sql`j.completed_on > now() - interval '1 hour'`
  const { rows } = await db.execute<Omit<QueueFigures, 'title' | 'oldest_waiting'> & { oldest: string | null }>(sql`
    SELECT q.name AS queue,
      count(*) FILTER (WHERE j.state < 'active' AND j.start_after <= now())::int AS waiting,
      count(*) FILTER (WHERE j.state < 'active' AND j.start_after > now())::int AS later,
      count(*) FILTER (WHERE j.state = 'active')::int AS running,
      count(*) FILTER (WHERE j.state = 'failed')::int AS failed,
      count(*) FILTER (WHERE j.state = 'completed' AND ${hour})::int AS done_hour,
      count(*) FILTER (WHERE j.state = 'failed' AND ${hour})::int AS failed_hour,
      extract(epoch FROM avg(j.completed_on - j.started_on) FILTER (WHERE j.state = 'completed' AND ${hour}))::float AS seconds,
      min(j.start_after) FILTER (WHERE j.state < 'active' AND j.start_after <= now()) AS oldest
    FROM jobs.queue q LEFT JOIN jobs.job j ON j.name = q.name GROUP BY q.name ORDER BY q.name`)
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
  state: string
  created: string
  due: string
  started: string | null
  finished: string | null
  tries: number
  error: string | null
  task: string | null
}

/** Jobs of one state, and of one queue where it is named; what they work on is not told. */
export async function listJobs(
  { db, jobs }: Kernel,
  call: Call,
  { state, queue, page }: { state: JobState; queue: string | undefined; page: Page },
): Promise<{ count: number; results: MonitoredJob[] }> {
  const { where, order } = STATES[state]
  const narrowed = sql`${where}${queue ? sql` AND j.name = ${queue}` : sql``}`
  const { rows } = await db.execute<StoredJob>(sql`
    SELECT ${COLUMNS} FROM jobs.job j LEFT JOIN ops_background_task t ON t.id = j.id
    WHERE ${narrowed} ORDER BY ${order} LIMIT ${page.limit} OFFSET ${page.offset}`)
  const { rows: counted } = await db.execute<{ count: number }>(
    sql`SELECT count(*)::int AS count FROM jobs.job j WHERE ${narrowed}`,
  )
  return { count: counted[0]?.count ?? 0, results: rows.map((row) => shown(row, jobs, call)) }
}

/** One job; undefined where there is none of that id. */
export async function findJob({ db, jobs }: Kernel, call: Call, id: string): Promise<MonitoredJob | undefined> {
  const { rows } = await db.execute<StoredJob>(
    sql`SELECT ${COLUMNS} FROM jobs.job j LEFT JOIN ops_background_task t ON t.id = j.id WHERE j.id = ${id}`,
  )
  return rows[0] && shown(rows[0], jobs, call)
}

const COLUMNS = sql`j.id, j.name AS queue, j.state, j.created_on AS created, j.start_after AS due, j.started_on AS started,
  j.completed_on AS finished, j.retry_count + (j.started_on IS NOT NULL)::int AS tries,
  left(j.output->>'message', 2000) AS error, t.name AS task`

function shown(row: StoredJob, jobs: Kernel['jobs'], call: Call): MonitoredJob {
  const time = (value: string | null) => (value ? formatDateTime(new Date(value), call.timeZone) : null)
  const state = stateOf(row.state)
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
    // What failed and is to be tried again keeps the reason; what worked at last does not.
    error: state === 'done' ? '' : (row.error ?? ''),
    has_log: row.task !== null,
    can_cancel: isCancellable({ queue: row.queue, isRunning: state === 'running', isWaiting: state === 'waiting' }),
    can_retry: state === 'failed',
  }
}

function stateOf(stored: string): JobState {
  if (stored === 'active') return 'running'
  if (stored === 'completed') return 'done'
  return stored === 'failed' || stored === 'cancelled' ? stored : 'waiting'
}
