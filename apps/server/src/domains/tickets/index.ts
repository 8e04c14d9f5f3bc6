import { ticket } from '@sallyport/contract/resources/tickets/ticket.ts'
import { and, inArray, lt, sql } from 'drizzle-orm'
import type { Kernel } from '../../kernel/kernel.ts'
import { mountedResource } from '../../kernel/resource/registry.ts'
import { cardStates } from '../notifications/index.ts'
import { registerAmendments } from './amendment.ts'
import { approvalPreview } from './approval-preview.ts'
import { forgetDecisionLinks } from './cards/decision-link.ts'
import { settledWords } from './cards/settled-words.ts'
import { withdraw } from './confirmation.ts'
import { registerCardDecisions } from './deciding/card-decision.ts'
import { registerDecisions } from './deciding/decision.ts'
import { followDepartures } from './departures.ts'
import { registerOpening } from './open.ts'
import { forgetSlackCalls } from './slack/account.ts'
import { registerSlackBindings } from './slack/bindings.ts'
import { registerSlackInteractions } from './slack/interactions.ts'
import { ticketsTicket } from './tables.ts'
import { registerTicketSessions } from './ticket-session.ts'
import { addTicketsToPreviews } from './tickets-touched.ts'

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
export { freshProof } from './deciding/card-decision.ts'
export { addApprovalCheck } from './deciding/decision.ts'
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
  cardStates.provide({ settled: settledWords })
  registerOpening(kernel, tickets)
  registerTicketSessions(kernel)
  followDepartures(kernel)
  addTicketsToPreviews(kernel)
  registerDecisions(kernel, tickets, approvalPreview(kernel, tickets))
  registerAmendments(kernel, tickets)
  registerCardDecisions(kernel, tickets)
  registerSlackBindings(kernel)
  registerSlackInteractions(kernel, tickets)
  kernel.jobs.schedule(
    { name: 'tickets.forget_decision_links', cron: '50 3 * * *', title: 'Remove expired buttons of cards' },
    async () => {
      await forgetDecisionLinks(kernel)
      await forgetSlackCalls(kernel)
    },
  )
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
