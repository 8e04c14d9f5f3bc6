import { and, eq } from 'drizzle-orm'
import { type CallUser, callerOf, displayName } from '../../kernel/access/call.ts'
import type { Database } from '../../kernel/database/database.ts'
import { AppError, forbidden, notFound } from '../../kernel/errors/app-error.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { getStored, presentOne } from '../../kernel/resource/read.ts'
import type { MountedResource } from '../../kernel/resource/registry.ts'
import { contextOf } from '../../kernel/resource/routes.ts'
import { notify } from '../notifications/index.ts'
import { noteOnTicket } from './comment.ts'
import { ticketsAssignee, ticketsTicket } from './tables.ts'

/** Announced when a ticket was approved, rejected or closed; the payload is `ticket`, its id. */
export const TICKET_DECIDED = 'tickets.decided'

type Verdict = 'approved' | 'rejected' | 'closed'
type StoredTicket = typeof ticketsTicket.$inferSelect

const ACTIONS: readonly { path: string; verdict: Verdict; summary: string }[] = [
  { path: 'approve', verdict: 'approved', summary: 'Approve a ticket' },
  { path: 'reject', verdict: 'rejected', summary: 'Reject a ticket' },
  { path: 'close', verdict: 'closed', summary: 'Withdraw a ticket of mine' },
]

/** PUT …/{id}/approve/, reject/ and close/ (contract/tickets.yaml `ticket`): bodies are ignored, a closed ticket is final. */
export function registerDecisions(kernel: Kernel, tickets: MountedResource): void {
  for (const { path, verdict, summary } of ACTIONS)
    kernel.app.route({
      method: ['PUT', 'PATCH'],
      url: `${tickets.definition.path}:id/${path}/`,
      config: { access: ['authenticated'], summary },
      handler: async (request) => {
        const context = contextOf(kernel, request)
        const user = callerOf(request.call)
        const { id = '' } = context.parameters
        const decided = await kernel.db.transaction(async (db) => {
          const ticket = (await getStored(tickets, id, { ...context, db }, true)) as StoredTicket
          if (ticket.status !== 'open') throw new AppError(400, 'ticket_closed', 'This ticket is closed already')
          const may = verdict === 'closed' ? ticket.applicant === user.id : await isAssignee(db, ticket, user)
          if (!may) throw forbidden()
          await settle(db, ticket, verdict, user)
          await kernel.audit.record(db, request.call, [
            { action: 'update', resourceType: tickets.definition.label, resource: `${ticket.title}: ${verdict}`, orgId: ticket.org_id },
          ])
          return ticket
        })
        tellApplicant(kernel, decided, verdict, user)
        await kernel.events.publish(TICKET_DECIDED, { ticket: id })
        return presentOne(tickets, await getStored(tickets, id, context), context)
      },
    })
}

async function isAssignee(db: Database, { id, approval_step }: StoredTicket, user: CallUser): Promise<boolean> {
  const [found] = await db
    .select({ id: ticketsAssignee.id })
    .from(ticketsAssignee)
    .where(and(eq(ticketsAssignee.ticket_id, id), eq(ticketsAssignee.level, approval_step), eq(ticketsAssignee.user_id, user.id)))
  return found !== undefined
}

/** Stores the verdict on the current, and only, level. The ticket must be locked. */
export async function settle(db: Database, ticket: StoredTicket, verdict: Verdict, by: CallUser | undefined): Promise<void> {
  const decided = {
    state: verdict,
    approval_date: new Date().toISOString(),
    // Closing has no processor: it is the applicant's own doing.
    processor: verdict === 'closed' ? '' : (by?.id ?? ''),
    processor_display: verdict === 'closed' || !by ? '' : displayName(by),
  }
  const stored = await db
    .update(ticketsTicket)
    .set({
      state: verdict,
      status: 'closed',
      process_map: ticket.process_map.map((step) => (step.approval_level === ticket.approval_step ? { ...step, ...decided } : step)),
    })
    .where(and(eq(ticketsTicket.id, ticket.id), eq(ticketsTicket.status, 'open')))
    .returning({ id: ticketsTicket.id })
  if (!stored.length) throw notFound()
  const applicant = { id: ticket.applicant, display: ticket.applicant_display }
  await noteOnTicket(db, ticket.id, verdict === 'closed' || !by ? applicant : { id: by.id, display: displayName(by) }, verdict)
}

/** Tells the applicant what was decided; who closed a ticket of their own knows it. */
function tellApplicant(kernel: Kernel, { id, title, applicant }: StoredTicket, verdict: Verdict, by: CallUser): void {
  if (verdict === 'closed' || !applicant || applicant === by.id) return
  const values = { person: displayName(by), title }
  // Nobody waits for the message: the decision stands.
  void notify(kernel, [applicant], (say) => {
    const words =
      verdict === 'approved'
        ? say('{{person}} approved your ticket {{title}}', values)
        : say('{{person}} rejected your ticket {{title}}', values)
    return { subject: words, paragraphs: [words], link: { text: say('Open the ticket'), path: `/ui/tickets/tickets/${id}` } }
  })
}
