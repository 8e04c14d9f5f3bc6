import { ticketSessionRelation } from '@sallyport/contract/resources/tickets/ticket-session-relation.ts'
import { and, eq } from 'drizzle-orm'
import { isComponent, isRoot } from '../../kernel/access/call.ts'
import type { Database } from '../../kernel/database/database.ts'
import { invalid } from '../../kernel/errors/app-error.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { StoredRow, WriteContext } from '../../kernel/resource/mount.ts'
import { mountResource } from '../../kernel/resource/routes.ts'
import { findSession } from '../terminal/index.ts'
import { ticketsSessionRelation, ticketsTicket } from './tables.ts'

type Writing = WriteContext<typeof ticketSessionRelation, typeof ticketsSessionRelation>

/**
 * Components report which session a confirmed ticket let in
 * (docs/rules/tickets.md#ticket_session_relation).
 */
export default function mountSessionRelations(kernel: Kernel): void {
  mountResource(kernel, ticketSessionRelation, {
    table: ticketsSessionRelation,
    rules: { beforeWrite: [checkPair], existing: findRelation },
    // What components report is a record in itself.
    unaudited: isComponent,
  })
}

/** Records that a ticket let this session in. */
export async function linkSession(db: Database, ticket: string, session: string): Promise<void> {
  await db.insert(ticketsSessionRelation).values({ ticket, session }).onConflictDoNothing()
}

/**
 * Requires an approved confirmation and a session of its applicant in the same organization; this
 * must be the current one, unless a component or root calls.
 */
async function checkPair({ db, call, draft }: Writing): Promise<void> {
  const pair = pairOf(draft)
  const mayKnow = (orgId: string) => isComponent(call) || isRoot(call) || orgId === call.org.id
  const [ticket] = await db.select().from(ticketsTicket).where(eq(ticketsTicket.id, pair.ticket))
  if (!ticket || !mayKnow(ticket.org_id)) throw invalid({ ticket: 'Not found.' })
  if (ticket.type !== 'login_asset_confirm' || ticket.state !== 'approved')
    throw invalid({ ticket: 'This ticket has not let a session in' })
  const session = await findSession(db, pair.session)
  if (session?.org_id !== ticket.org_id || session.user_id !== ticket.applicant)
    throw invalid({ session: 'Not found.' })
}

/** The pair of a new relation. Throws 400 where a part is missing. */
function pairOf({ ticket, session }: Writing['draft']): { ticket: string; session: string } {
  if (!ticket) throw invalid({ ticket: 'This field is required.' })
  if (!session) throw invalid({ session: 'This field is required.' })
  return { ticket, session }
}

async function findRelation({ db, draft }: Writing): Promise<StoredRow<typeof ticketsSessionRelation> | undefined> {
  const { ticket, session } = ticketsSessionRelation
  const pair = pairOf(draft)
  const [row] = await db
    .select()
    .from(ticketsSessionRelation)
    .where(and(eq(ticket, pair.ticket), eq(session, pair.session)))
  return row
}
