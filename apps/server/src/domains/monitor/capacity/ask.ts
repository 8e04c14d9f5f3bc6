import { sql } from 'drizzle-orm'
import type { Database } from '../../../kernel/database/database.ts'
import { publishIn } from '../../../kernel/events/events.ts'
import { monitorCapacity } from '../tables.ts'
import type { FaultCode } from './words.ts'

/** All is measured so many times, with a pause in between: one busy moment does not decide. */
export const ROUNDS = 3
export const MAX_ROUNDS = 10

/** Told to all nodes: the one that is named measures itself. */
export const ASKED = 'monitor.capacity_asked'
export const CANCELED = 'monitor.capacity_canceled'

/** A node that does not begin within this time does not answer. */
export const BEGIN_SECONDS = 20
/** A node says so often that it is still at it, and is lost after so long. */
export const BEAT_MS = 2_000
export const LOST_SECONDS = 60

/** Runs that nobody is at any more, as a condition. */
export const isLost = sql`date_finished IS NULL AND date_seen < now() - make_interval(secs =>
  CASE state WHEN 'waiting' THEN ${BEGIN_SECONDS}::int ELSE ${LOST_SECONDS}::int END)`
/** What became of them. */
export const lostFault = sql`CASE state WHEN 'waiting' THEN ${'silent' satisfies FaultCode} ELSE ${'lost' satisfies FaultCode} END`

/**
 * Asks a node to measure itself, in the transaction of the caller. Answers the id of the run;
 * undefined while another goes on anywhere in the installation, or where that node does not run or
 * carries no sessions.
 */
export async function askNode(
  db: Database,
  { node, askedBy, rounds = ROUNDS }: { node: string; askedBy: string; rounds?: number },
): Promise<{ id: string; node_name: string } | undefined> {
  await db.execute(sql`UPDATE ${monitorCapacity} SET state = 'failed', fault = ${lostFault}, date_finished = now()
    WHERE ${isLost}`)
  const { rows } = await db.execute<{ id: string; node_name: string }>(sql`
    INSERT INTO ${monitorCapacity} (node, node_name, asked_by, rounds)
    SELECT id, name, ${askedBy}, ${rounds} FROM kernel_node WHERE id = ${node} AND ${isMeasurable}
    ON CONFLICT DO NOTHING RETURNING id, node_name`)
  const [asked] = rows
  if (asked) await publishIn(db, ASKED, { node })
  return asked
}

/** A node that runs and carries sessions. */
export const isMeasurable = sql`is_running AND date_seen > now() - interval '1 minute' AND 'gateway' = ANY (roles)`

/** Stops a run; one that has not begun is over at once. Answers its node's name; undefined where nothing goes on. */
export async function cancelRun(db: Database): Promise<{ id: string; node_name: string } | undefined> {
  const { rows } = await db.execute<{ id: string; node_name: string }>(sql`
    UPDATE ${monitorCapacity} SET is_canceled = true,
      state = CASE state WHEN 'waiting' THEN 'canceled' ELSE state END,
      date_finished = CASE state WHEN 'waiting' THEN now() END
    WHERE date_finished IS NULL RETURNING id, node_name`)
  const [canceled] = rows
  if (canceled) await publishIn(db, CANCELED, { id: canceled.id })
  return canceled
}
