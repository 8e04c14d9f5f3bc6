import { arriveTicketSessions } from '../../../domains/tickets/arriving/index.ts'
import type { ArrivingRow } from '../../../kernel/arrivals/arrival.ts'
import { bring, type ImportContext } from '../context.ts'
import { derivedId } from '../derived-id.ts'
import { inChunk } from '../history/history.ts'
import { uuid } from '../values.ts'

/** The sessions that tickets let in, where both have come. */
export async function importTicketSessions(context: ImportContext): Promise<void> {
  const { source, report } = context
  const notes = report.kind('Sessions of tickets')
  const columns = ['ticket_id', 'session_id']
  for await (const batch of source.read({ table: 'tickets.ticketsession', columns })) {
    notes.read += batch.length
    const rows = batch.flatMap((row): ArrivingRow[] => {
      const [ticket, session] = [uuid(row.ticket_id), uuid(row.session_id)]
      if (!ticket || !session) return []
      const id = derivedId('ticket session', ticket, session)
      return [{ key: id, id, name: session, values: { ticket, session } }]
    })
    await inChunk(context, async (within) => {
      const come = await arriveTicketSessions(within.run, rows)
      const others = batch.length - come.rows.length
      notes.behind += others
      notes.many(others, 'Their ticket or their session has not come')
      await bring(within, notes, async () => come.outcomes, come.rows)
    })
  }
}
