import { ticket } from '@sallyport/contract/resources/tickets/ticket.ts'
import { and, inArray, lt, sql } from 'drizzle-orm'
import { translate } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { isUuid, NOTHING } from '../../kernel/resource/conditions.ts'
import { mountResource } from '../../kernel/resource/routes.ts'
import { withdraw } from './confirmation.ts'
import { registerDecisions } from './decision.ts'
import { ticketsTicket } from './tables.ts'

export {
  type Confirmation,
  type ConfirmationState,
  confirmationState,
  decisionOf,
  openConfirmation,
  withdraw as withdrawTickets,
  withdrawConfirmation,
} from './confirmation.ts'
export { ticketsTicket } from './tables.ts'

/** Hours after which nobody can be waiting for a confirmation any more (contract/authentication.yaml: the page waits one). */
const CONFIRMATION_HOURS = 1

const assignedTo = (user: string) =>
  sql`EXISTS (SELECT 1 FROM tickets_assignee a WHERE a.ticket_id = ${ticketsTicket.id} AND a.user_id = ${user})`

/** Tickets: whoever applied or decides sees them, over all organisations (contract/tickets.yaml). */
export function registerTickets(kernel: Kernel): void {
  const tickets = mountResource(kernel, ticket, {
    table: ticketsTicket,
    scope: ({ call }) => (call.user ? sql`(${ticketsTicket.applicant} = ${call.user.id} OR ${assignedTo(call.user.id)})` : NOTHING),
    filters: { assignees__id: (value) => (isUuid(value) ? assignedTo(value) : NOTHING) },
    computed: [
      {
        fields: ['body'],
        load: async (rows, { call: { language } }) =>
          rows.map(({ title, applicant_display }) => ({
            body: translate(language, 'Title: {{title}}; applicant: {{applicant}}', { title, applicant: applicant_display }),
          })),
      },
    ],
  })
  registerDecisions(kernel, tickets)
  kernel.jobs.schedule('tickets.forget_waiting', '*/5 * * * *', () =>
    withdraw(
      kernel,
      and(
        inArray(ticketsTicket.type, ['login_confirm', 'login_asset_confirm']),
        lt(ticketsTicket.date_created, sql`now() - make_interval(hours => ${CONFIRMATION_HOURS})`),
      ),
    ),
  )
}
