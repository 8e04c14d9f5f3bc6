import type { Fields } from '@sallyport/contract/define.ts'
import { spoken } from '@sallyport/contract/names.ts'
import { TICKET_META } from '@sallyport/contract/resources/tickets/ticket-form.ts'
import { TICKET_TYPES, type TicketType } from '@sallyport/contract/resources/tickets/ticket-types.ts'
import type { Say } from '../../../kernel/i18n/translate.ts'
import { serverZone } from '../../../kernel/server-zone.ts'
import type { Fact } from '../../notifications/index.ts'
import { askedNow } from '../amended-words.ts'
import type { ticketsTicket } from '../tables.ts'

/** Fields of a ticket that its card shows, in order: the thing, the place, the account, the end. */
const SHOWN: Readonly<Record<TicketType, readonly string[]>> = {
  general: [],
  login_confirm: ['apply_login_ip', 'apply_login_city'],
  apply_asset: ['apply_nodes_display', 'apply_assets_display', 'apply_system_users_display', 'apply_date_expired'],
  apply_application: ['apply_applications_display', 'apply_system_users_display', 'apply_date_expired'],
  login_asset_confirm: ['apply_login_asset', 'apply_login_system_user'],
  command_confirm: ['apply_run_asset', 'apply_run_system_user', 'apply_run_command'],
}

/** Characters of a value on a card. */
const MAX_VALUE = 300

type CardTicket = Pick<
  typeof ticketsTicket.$inferSelect,
  'type' | 'meta' | 'amended' | 'applicant_display' | 'date_created'
>

/** The lines of a ticket's card. `waitsUntil`: after that nobody waits for a decision. */
export function factsOf(ticket: CardTicket, say: Say, waitsUntil?: Date): Fact[] {
  const meta = askedNow(ticket)
  const fields: Fields = TICKET_META[ticket.type]
  const asked = SHOWN[ticket.type].flatMap((name): Fact[] => {
    const value = shownValue(meta[name])
    const label = (fields[name.replace(/_display$/, '')] ?? fields[name])?.label
    return value && label ? [{ label: say(label), value }] : []
  })
  return [
    { label: say('Applicant'), value: spoken(ticket.applicant_display) },
    { label: say('Type'), value: say(TICKET_TYPES[ticket.type]) },
    ...asked,
    ...(waitsUntil ? [{ label: say('Waits until'), value: timeOf(waitsUntil) }] : []),
  ]
}

function shownValue(value: unknown): string {
  const text = Array.isArray(value) ? value.map(String).join(', ') : String(value ?? '')
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE - 1)}…` : text
}

const timeOf = (date: Date) => date.toLocaleString('sv-SE', { timeZone: serverZone() }).slice(0, 16)
