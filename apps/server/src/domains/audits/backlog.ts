import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/database/database.ts'
import { auditsBacklog } from './tables.ts'

/** Each in a transaction of its own, so that nobody waits for it. */
const BATCH = 5_000
/** In one round; the next goes on. */
const A_ROUND_MS = 45_000

/**
 * Chains commands from before commands were chained, a batch after the other, the oldest first. An
 * installation may have millions of them, and people go on working meanwhile. Answers how many it
 * chained.
 */
export async function chainBacklog(db: Database, roundMs = A_ROUND_MS): Promise<number> {
  const until = performance.now() + roundMs
  for (let chained = 0; ; ) {
    const { rows } = await db.execute<{ done: number }>(sql`SELECT audits_chain_backlog(${BATCH}) AS done`)
    const done = rows[0]?.done ?? 0
    chained += done
    if (done < BATCH || performance.now() > until) return chained
  }
}

/** Whether any are left. */
export const hasBacklog = (): SQL => sql`EXISTS (SELECT 1 FROM ${auditsBacklog})`
