import { ticket } from '@sallyport/contract/resources/tickets/ticket.ts'
import { and, inArray, lt, sql } from 'drizzle-orm'
import { translate } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { isUuid, NOTHING } from '../../kernel/resource/conditions.ts'
import { mountResource } from '../../kernel/resource/routes.ts'
import { onMembershipEnded } from '../orgs/index.ts'
import { mountComments } from './comment.ts'
import { withdraw } from './confirmation.ts'
import { registerDecisions } from './decision.ts'
import { mountFlows } from './flow.ts'
import { mountSessionRelations } from './session-relation.ts'
import { ticketsFlow, ticketsFlowAssignee, ticketsTicket } from './tables.ts'
import { assignedTo, concerns } from './visibility.ts'

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

/** Tickets: whoever applied or decides sees them, over all organisations (contract/tickets.yaml). */
export function registerTickets(kernel: Kernel): void {
  const tickets = mountResource(kernel, ticket, {
    table: ticketsTicket,
    scope: ({ call }) => concerns(call),
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
    // What a type needs is read with the type, or with the one ticket (contract/tickets.yaml `meta`).
    present: (row, _stored, { query, parameters }) => (parameters.id || query.type ? row : { ...row, meta: {} }),
  })
  mountComments(kernel)
  mountFlows(kernel)
  mountSessionRelations(kernel)
  onMembershipEnded({
    label: 'Ticket flow',
    links: ticketsFlowAssignee,
    person: ticketsFlowAssignee.user_id,
    thing: ticketsFlowAssignee.flow_id,
    orgId: ticketsFlow.org_id,
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
