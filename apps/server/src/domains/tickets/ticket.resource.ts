import { ticket } from '@sallyport/contract/resources/tickets/ticket.ts'
import { sql } from 'drizzle-orm'
import type { Kernel } from '../../kernel/kernel.ts'
import { isUuid, NOTHING } from '../../kernel/resource/conditions.ts'
import { mountResource } from '../../kernel/resource/routes.ts'
import { describeForm, presentTicket, requestsAsOpened, ticketBodies } from './present.ts'
import { ticketsTicket } from './tables.ts'
import { assignedTo, concerns } from './visibility.ts'

/**
 * Clients that read the count for their badge append a slash to the address, and so to its last
 * parameter (docs/rules/tickets.md#ticket).
 */
const bare = (value: string) => value.replace(/\/$/, '')

/**
 * Tickets: applicants and approvers see theirs, across all organizations
 * (docs/rules/tickets.md#ticket).
 */
export default function mountTickets(kernel: Kernel): void {
  mountResource(kernel, ticket, {
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
}
