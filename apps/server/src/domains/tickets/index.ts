import { ticket } from '@sallyport/contract/resources/tickets/ticket.ts'
import { and, inArray, lt, sql } from 'drizzle-orm'
import type { Kernel } from '../../kernel/kernel.ts'
import { isUuid, NOTHING } from '../../kernel/resource/conditions.ts'
import { mountResource } from '../../kernel/resource/routes.ts'
import { registerAmendments } from './amendment.ts'
import { mountComments } from './comment.ts'
import { withdraw } from './confirmation.ts'
import { registerDecisions } from './decision.ts'
import { followDepartures } from './departures.ts'
import { mountFlows } from './flow.ts'
import { registerOpening } from './open.ts'
import { describeForm, presentTicket, requestsAsOpened, ticketBodies } from './present.ts'
import { mountSessionRelations } from './session-relation.ts'
import { ticketsTicket } from './tables.ts'
import { registerTicketSessions } from './ticket-session.ts'
import { assignedTo, concerns } from './visibility.ts'

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
export { linkSession } from './session-relation.ts'

/**
 * After so many hours nobody waits for a confirmation any more
 * (docs/rules/authentication.md#login_page: the page waits one).
 */
const CONFIRMATION_HOURS = 1

/**
 * Clients that read the count for their badge append a slash to the address, and so to its last
 * parameter (docs/rules/tickets.md#ticket).
 */
const bare = (value: string) => value.replace(/\/$/, '')

/**
 * Tickets: applicants and approvers see theirs, across all organisations
 * (docs/rules/tickets.md#ticket).
 */
export function registerTickets(kernel: Kernel): void {
  const tickets = mountResource(kernel, ticket, {
    table: ticketsTicket,
    scope: ({ call }) => concerns(call),
    filters: {
      assignees__id: (value) => (isUuid(bare(value)) ? assignedTo(bare(value)) : NOTHING),
      status: (value) => sql`${ticketsTicket.status} = ${bare(value)}`,
    },
    computed: [
      ticketBodies,
      requestsAsOpened,
      {
        fields: ['org_name'],
        async load(rows) {
          const names = await kernel.orgNames()
          return rows.map(({ org_id }) => ({ org_name: names.get(org_id) ?? '' }))
        },
      },
    ],
    present: presentTicket,
    metadata: describeForm,
  })
  registerOpening(kernel, tickets)
  mountComments(kernel)
  mountFlows(kernel)
  mountSessionRelations(kernel)
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
