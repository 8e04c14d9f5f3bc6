import { ticket } from '@sallyport/contract/resources/tickets/ticket.ts'
import { and, inArray, lt, sql } from 'drizzle-orm'
import type { Kernel } from '../../kernel/kernel.ts'
import { mountedResource } from '../../kernel/resource/registry.ts'
import { registerAmendments } from './amendment.ts'
import { withdraw } from './confirmation.ts'
import { registerDecisions } from './decision.ts'
import { followDepartures } from './departures.ts'
import { registerOpening } from './open.ts'
import { ticketsTicket } from './tables.ts'
import { registerTicketSessions } from './ticket-session.ts'

export {
  anyOpenConfirmation,
  type Confirmation,
  type ConfirmationState,
  confirmationState,
  decisionOf,
  openConfirmation,
  openConfirmations,
  withdrawConfirmation,
  withdrawSignIn,
} from './confirmation.ts'
export { addApprovalCheck } from './decision.ts'
export { openTicket } from './open.ts'
export { linkSession } from './session-relation.resource.ts'

/**
 * After so many hours nobody waits for a confirmation any more
 * (docs/rules/authentication.md#login_page: the page waits one).
 */
const CONFIRMATION_HOURS = 1

/** Tickets, and what is decided by them. */
export function registerTickets(kernel: Kernel): void {
  const tickets = mountedResource(kernel, ticket, ticketsTicket)
  registerOpening(kernel, tickets)
  registerTicketSessions(kernel)
  followDepartures(kernel)
  registerDecisions(kernel, tickets)
  registerAmendments(kernel, tickets)
  kernel.jobs.schedule(
    {
      name: 'tickets.forget_waiting',
      cron: '*/5 * * * *',
      title: 'Forget confirmations that nobody waits for',
      isEssential: true,
    },
    () =>
      withdraw(
        kernel,
        and(
          inArray(ticketsTicket.type, ['login_confirm', 'login_asset_confirm', 'command_confirm']),
          lt(ticketsTicket.date_created, sql`now() - make_interval(hours => ${CONFIRMATION_HOURS})`),
        ),
        'time',
      ),
  )
}
