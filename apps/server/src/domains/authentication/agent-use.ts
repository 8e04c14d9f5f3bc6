import { sql } from 'drizzle-orm'
import type { Database } from '../../kernel/database/database.ts'

/** What somebody uses by agents: calls of tools, rows that they answer, and the time that they take. */
export interface AgentUse {
  calls: number
  rows: number
  milliseconds: number
}

/** The most that is counted: enough for any budget, and for the columns. */
const MOST = 2_000_000_000

/** Adds to what somebody has used in this hour, on all nodes together, or gives back; answers all of it. */
export async function addAgentUse(
  db: Database,
  userId: string,
  { calls, rows, milliseconds }: AgentUse,
): Promise<AgentUse> {
  const added = (column: string, more: number) => {
    const used = sql.raw(`used.${column}`)
    // An hour in which something is given back may be another one than that in which it was taken.
    return sql`least(${MOST}::bigint, greatest(0, CASE WHEN used.date_begin = excluded.date_begin THEN ${used}::bigint ELSE 0 END + ${more}::bigint))::int`
  }
  const time = Math.round(milliseconds)
  // The row is missing when something is given back after PostgreSQL crashed: this table is not logged.
  const first = (more: number) => sql`${Math.max(0, more)}::int`
  const { rows: found } = await db.execute<AgentUse & Record<string, unknown>>(sql`
    INSERT INTO authentication_agent_use AS used (user_id, date_begin, calls, rows, milliseconds)
    VALUES (${userId}::uuid, date_trunc('hour', now()), ${first(calls)}, ${first(rows)}, ${first(time)})
    ON CONFLICT (user_id) DO UPDATE SET date_begin = excluded.date_begin, calls = ${added('calls', calls)},
      rows = ${added('rows', rows)}, milliseconds = ${added('milliseconds', time)}
    RETURNING calls, rows, milliseconds`)
  const [use] = found
  if (!use) throw new Error('the use of an agent was not stored')
  return use
}
