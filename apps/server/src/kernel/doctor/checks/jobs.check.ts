import { type Check, type Outcome, ok, warning, wrong } from '../check.ts'

/** A queue may be full for a while; a node that works takes what is due at once. */
const LATE_MINUTES = 10
const STUCK_MINUTES = 60
/** A node says every ten seconds what it is about. */
const SILENT_SECONDS = 120
const FAILED_HOURS = 24
const NAMED = 5

interface Standing {
  late: number
  oldest: number | null
  silent: number
  failed: { queue: string; count: number; late: number }[] | null
}

const check: Check = {
  name: 'jobs',
  title: 'Background work',
  async run(place) {
    const { pool } = await place.database()
    const { rows } = await pool.query<Standing>(
      `SELECT count(*) FILTER (WHERE state = 'waiting' AND date_due < now() - make_interval(mins => $1))::int AS late,
         (extract(epoch FROM now() - min(date_due) FILTER (WHERE state = 'waiting')) / 60)::int AS oldest,
         count(*) FILTER (WHERE state = 'running' AND date_heard < now() - make_interval(secs => $2))::int AS silent,
         (SELECT jsonb_agg(one) FROM (
           SELECT queue, count(*)::int AS count, count(*) FILTER (WHERE error LIKE 'not done within %')::int AS late
           FROM kernel_job WHERE state = 'failed' AND date_finished > now() - make_interval(hours => $3)
           GROUP BY queue ORDER BY count(*) DESC, queue LIMIT ${NAMED}) AS one) AS failed
       FROM kernel_job WHERE state IN ('waiting', 'running')`,
      [LATE_MINUTES, SILENT_SECONDS, FAILED_HOURS],
    )
    const { late = 0, oldest = 0, silent = 0, failed } = rows[0] ?? {}
    const found: Outcome[] = []
    if (late)
      found.push(
        ((oldest ?? 0) >= STUCK_MINUTES ? wrong : warning)(
          (say) =>
            say('{{count|job has|jobs have}} waited for long, the oldest for {{minutes|minute|minutes}}.', {
              count: late,
              minutes: oldest,
            }),
          (say) =>
            say('Look at the task monitor for what the workers are about, and start a node with the role worker.'),
        ),
      )
    if (silent)
      found.push(
        wrong(
          (say) => say('{{count|job is|jobs are}} said to run, and no node says so.', { count: silent }),
          (say) => say('Their node has died or hangs: restart it. A worker takes them up once more.'),
        ),
      )
    for (const { queue, count, late: expired } of failed ?? [])
      found.push(
        warning(
          (say) =>
            say('{{count|job|jobs}} of {{queue}} failed within a day, {{expired}} of them as they took too long.', {
              count,
              queue,
              expired,
            }),
          (say) => say('The task monitor has the reason of each, and does them again.'),
          queue,
        ),
      )
    return found.length
      ? found
      : ok((say) => say('Nothing waits for long, nothing is stuck, nothing failed within a day.'))
  },
}
export default check
