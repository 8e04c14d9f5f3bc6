import type { RouteOptions } from 'fastify'
import { notFound } from '../../kernel/errors/app-error.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { isUuid } from '../../kernel/resource/conditions.ts'
import { settingsOf } from '../settings/index.ts'
import { type Confirmation, type ConfirmationState, confirmationState, withdrawConfirmation } from '../tickets/index.ts'

/** Confirmations of one type, as components ask for and follow them. */
export interface FollowedConfirmation {
  type: Confirmation['type']
  /** Address of the ticket's status, with `:ticket_id`. */
  url: string
  /** What GET and DELETE are for. */
  summaries: { GET: string; DELETE: string }
}

/** The state of a ticket for the component that opened it (docs/rules/tickets.md#reviews). */
export function followAddresses(
  kernel: Kernel,
  { type, url: pattern }: FollowedConfirmation,
  ticket: ConfirmationState,
) {
  const url = pattern.replace(':ticket_id', ticket.id)
  return {
    check_confirm_status: { method: 'GET', url },
    close_confirm: { method: 'DELETE', url },
    ticket_detail_url: `${settingsOf(kernel).get('SITE_URL')}/ui/tickets/tickets/${ticket.id}?type=${type}`,
    reviewers: ticket.reviewers,
  }
}

/** GET and DELETE of the status: how far it is, and giving it up in the applicant's name. */
export function registerConfirmationStatus(kernel: Kernel, { type, url, summaries }: FollowedConfirmation): void {
  const route = (method: 'GET' | 'DELETE', handler: (ticketId: string) => Promise<unknown>): RouteOptions => ({
    method,
    url,
    config: { access: ['component'], summary: summaries[method] },
    handler: (request) => handler((request.params as { ticket_id: string }).ticket_id),
  })
  const statusOf = async (id: string) => {
    const ticket = isUuid(id) ? await confirmationState(kernel.db, type, id) : undefined
    if (!ticket) throw notFound()
    const { state, processor } = ticket
    const status = state === 'open' ? 'await' : state === 'approved' ? 'approved' : 'rejected'
    return { status, action: state, processor }
  }
  kernel.app.route(route('GET', statusOf))
  kernel.app.route(
    route('DELETE', async (id) => {
      await statusOf(id)
      await withdrawConfirmation(kernel, type, id)
      return statusOf(id)
    }),
  )
}
