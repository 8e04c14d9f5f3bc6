import { type SQL, sql } from 'drizzle-orm'
import type { ArrivalRun, ArrivingRow, Outcomes } from '../../../kernel/arrivals/arrival.ts'
import { arriveHistory } from '../../../kernel/arrivals/history.ts'
import { ticketsComment, ticketsSessionRelation, ticketsTicket } from '../tables.ts'

export type { ProcessStep } from '../tables.ts'
export { type ArrivingFlow, arriveFlow, FLOW_KIND, hasFlows, takeBackFlows } from './flows.ts'

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

/** Stores which sessions tickets let in; answers those of rows whose ticket and session are here, of one organization. */
export async function arriveTicketSessions(
  run: ArrivalRun,
  rows: readonly ArrivingRow[],
): Promise<{ rows: ArrivingRow[]; outcomes: Outcomes }> {
  const asked = JSON.stringify(rows.map(({ id, values }) => ({ id, ...values })))
  const { rows: found } = await run.db.execute<{ id: string }>(sql`
    SELECT r.id::text AS id FROM json_to_recordset(${asked}) AS r (id uuid, ticket uuid, session uuid)
    JOIN tickets_ticket t ON t.id = r.ticket JOIN terminal_listed_session s ON s.id = r.session AND s.org_id = t.org_id`)
  const ids = new Set(found.map(({ id }) => id))
  const here = rows.filter(({ id }) => ids.has(id))
  return { rows: here, outcomes: await arriveHistory(run, ticketsSessionRelation, here) }
}
/** Numbers of tickets that came; those of here begin with a day. */
const CAME_FROM_JUMPSERVER = 'JS-'

/** How many tickets have come, and what was said about them. */
export async function arrivedTickets({ db }: Pick<ArrivalRun, 'db'>): Promise<{ tickets: number; comments: number }> {
  const { rows } = await db.execute<{ tickets: number; comments: number }>(sql`
    WITH came AS (SELECT id FROM tickets_ticket WHERE starts_with(serial_num, ${CAME_FROM_JUMPSERVER}))
    SELECT (SELECT count(*) FROM came)::int AS tickets,
      (SELECT count(*) FROM tickets_comment c WHERE c.ticket IN (SELECT id FROM came))::int AS comments`)
  return rows[0] ?? { tickets: 0, comments: 0 }
}

/** SQL: whether an organization has tickets. */
export const hasTickets = (org: SQL): SQL => sql`EXISTS (SELECT 1 FROM tickets_ticket one WHERE one.org_id = ${org})`
