import { sql } from 'drizzle-orm'
import { BY_AGENT } from '../../../kernel/access/agent-call.ts'
import type { Database } from '../../../kernel/database/database.ts'

/**
 * Milliseconds that runs of somebody's agents took which they began in this hour: of each run its
 * slowest machine, and while one of them runs, the time since. To wait for a confirmation takes none: a
 * machine that was held counts once it is done.
 */
export async function agentRunMilliseconds(db: Database, userId: string): Promise<number> {
  const { rows } = await db.execute<{ milliseconds: number }>(sql`
    SELECT coalesce(sum(took), 0)::float8 AS milliseconds FROM (
      SELECT max(CASE WHEN h.state = 'running' AND h.ticket IS NULL
        THEN extract(epoch FROM now() - coalesce(e.date_start, e.date_created)) * 1000 ELSE h.milliseconds END) AS took
      FROM ops_command_execution e JOIN ops_command_execution_host h ON h.execution = e.id
      WHERE e.user_id = ${userId}::uuid AND e.date_created >= date_trunc('hour', now()) AND strpos(e.on_behalf_of, ${BY_AGENT}) > 0
      GROUP BY e.id) runs`)
  return rows[0]?.milliseconds ?? 0
}
