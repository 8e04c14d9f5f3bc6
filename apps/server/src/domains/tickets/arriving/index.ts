import { sql } from 'drizzle-orm'
import type { ArrivalRun, ArrivingRow, Outcomes } from '../../../kernel/arrivals/arrival.ts'
import { arriveHistory } from '../../../kernel/arrivals/history.ts'
import { ticketsComment, ticketsTicket } from '../tables.ts'

export type { ProcessStep } from '../tables.ts'
export { type ArrivingFlow, arriveFlow } from './flows.ts'

/** Stores tickets that were decided elsewhere: they are evidence, and nobody decides them here. */
export async function arriveTickets(run: ArrivalRun, rows: readonly ArrivingRow[]): Promise<Outcomes> {
  const outcomes = await arriveHistory(run, ticketsTicket, rows)
  // Those who decided go on to see them.
  await run.db.execute(sql`
    INSERT INTO tickets_assignee (ticket_id, level, user_id)
    SELECT DISTINCT t.id, (step ->> 'approval_level')::int, u.id
    FROM tickets_ticket t CROSS JOIN LATERAL jsonb_array_elements(t.process_map) step
    CROSS JOIN LATERAL jsonb_array_elements_text(step -> 'assignees') person
    JOIN users_account u ON u.id::text = person
    WHERE t.id = ANY (${sql.param(rows.filter(({ key }) => outcomes.get(key) === 'added').map(({ id }) => id))}::uuid[])
    ON CONFLICT DO NOTHING`)
  return outcomes
}

export const arriveTicketComments = (run: ArrivalRun, rows: readonly ArrivingRow[]): Promise<Outcomes> =>
  arriveHistory(run, ticketsComment, rows)
