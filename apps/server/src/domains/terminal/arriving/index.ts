import { type SQL, sql } from 'drizzle-orm'
import type { ArrivalRun, ArrivingRow, Outcomes } from '../../../kernel/arrivals/arrival.ts'
import { arriveHistory } from '../../../kernel/arrivals/history.ts'
import { terminalCommand, terminalSession } from '../tables.ts'

export {
  type ArrivedSession,
  type ArrivingRecording,
  arrivedSessions,
  markArrivedRecordings,
  type PlacedRecording,
  placeRecording,
} from './recordings.ts'

/** Sessions that were over when they came; `arrived_from` says from which product. */
export const arriveSessions = (run: ArrivalRun, rows: readonly ArrivingRow[]): Promise<Outcomes> =>
  arriveHistory(run, terminalSession, rows)

/** Commands of such sessions. */
export const arriveCommands = (run: ArrivalRun, rows: readonly ArrivingRow[]): Promise<Outcomes> =>
  arriveHistory(run, terminalCommand, rows)

/** How much of the history of sessions has come from a product. Commands have no mark: those of its sessions. */
export async function arrivedHistory(
  { db }: Pick<ArrivalRun, 'db'>,
  product: string,
): Promise<{ sessions: number; recordings: number; commands: number }> {
  const { rows } = await db.execute<{ sessions: number; recordings: number; commands: number }>(sql`
    WITH came AS MATERIALIZED (SELECT id, has_replay FROM terminal_session WHERE arrived_from = ${product})
    SELECT (SELECT count(*) FROM came)::int AS sessions, (SELECT count(*) FROM came WHERE has_replay)::int AS recordings,
      (SELECT count(*) FROM terminal_command c WHERE c.session IN (SELECT id::text FROM came))::int AS commands`)
  return rows[0] ?? { sessions: 0, recordings: 0, commands: 0 }
}

/** SQL: whether an organization has sessions or commands. */
export const hasSessions = (org: SQL): SQL => sql`(EXISTS (SELECT 1 FROM terminal_session s WHERE s.org_id = ${org})
  OR EXISTS (SELECT 1 FROM terminal_command c WHERE c.org_id = ${org}))`
