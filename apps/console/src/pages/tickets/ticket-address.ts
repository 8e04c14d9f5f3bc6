import type { Ticket } from '@sallyport/contract/resources/tickets/ticket.ts'
import { addressOf } from '../../navigation/routes.ts'

/** Kinds with a page of their own; the others share the plain one. */
const PAGE_OF: Readonly<Record<string, string>> = {
  apply_asset: 'AssetsTicketDetail',
  apply_application: 'ApplicationsTicketDetail',
  login_confirm: 'LoginAssetTicketDetail',
  login_asset_confirm: 'LoginAssetTicketDetail',
  command_confirm: 'CommandConfirmDetail',
}

/** Where a ticket is read; undefined for people without such a page. */
export const ticketAddress = ({ id, type }: Pick<Ticket, 'id' | 'type'>): string | undefined =>
  addressOf(PAGE_OF[type] ?? 'TicketDetail', { id })
