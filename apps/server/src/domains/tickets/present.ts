import type { Fields } from '@sallyport/contract/define.ts'
import { type Ticket, ticket as ticketDefinition } from '@sallyport/contract/resources/tickets/ticket.ts'
import { openFields, TICKET_META } from '@sallyport/contract/resources/tickets/ticket-form.ts'
import { TICKET_TYPES, type TicketType } from '@sallyport/contract/resources/tickets/ticket-types.ts'
import type { Call } from '../../kernel/access/call.ts'
import { type Language, translate } from '../../kernel/i18n/translate.ts'
import { fieldsMetadata } from '../../kernel/resource/described/metadata.ts'
import type { Computed, ReadContext } from '../../kernel/resource/mount.ts'
import { escapeHtml } from '../notifications/index.ts'
import { presentAccessRequest } from './access-request.ts'
import { askedNow } from './amended-words.ts'
import { requestKind } from './request-kinds.ts'
import type { StoredTicket } from './settle.ts'
import type { ProcessStep, ticketsTicket } from './tables.ts'
import { WITHDRAWAL_TEXT } from './withdrawal.ts'

/**
 * A ticket on the wire; `meta` is as its own type has it, in every answer (contract/README "Keep
 * the shape, mend the fault"). A level that the server closed also says why, in words.
 */
export function presentTicket(
  row: Partial<Ticket>,
  stored: StoredTicket,
  { call }: ReadContext,
): Record<string, unknown> {
  return {
    ...row,
    ...('meta' in row && { meta: metaOf(stored, call.language) }),
    ...('process_map' in row && { process_map: stored.process_map.map((step) => stepInWords(step, call.language)) }),
  }
}

const stepInWords = (step: ProcessStep, language: Language) =>
  step.withdrawn ? { ...step, withdrawn_display: translate(language, WITHDRAWAL_TEXT[step.withdrawn]) } : step

/** `body`: the ticket in words. */
export const ticketBodies: Computed<'body', typeof ticketsTicket> = {
  fields: ['body'],
  load: async (rows, { call: { language } }) =>
    rows.map((row) => ({ body: bodyOf(row, metaOf(row, language), language) })),
}

/** `requested`: what was asked for, where those who decide have amended it. */
export const requestsAsOpened: Computed<'requested', typeof ticketsTicket> = {
  fields: ['requested'],
  load: async (rows, { call: { language } }) =>
    rows.map((row) => ({ requested: row.amended && metaOf(row, language, row.meta) })),
}

function metaOf(
  { type, ...stored }: StoredTicket,
  language: Language,
  meta: Record<string, unknown> = askedNow(stored),
): Record<string, unknown> {
  const kind = requestKind(type)
  return kind ? presentAccessRequest(kind, meta, language) : meta
}

/** HTML, a line for each fact: who applied, and for what. */
function bodyOf(
  { title, type, status, applicant_display }: StoredTicket,
  meta: Record<string, unknown>,
  language: Language,
): string {
  const fields: Fields = TICKET_META[type]
  const line = (label: string, value: unknown) =>
    `${translate(language, label)}: ${escapeHtml(Array.isArray(value) ? value.join(', ') : String(value ?? ''))}`
  const basic = [
    line('Title', title),
    line('Type', translate(language, TICKET_TYPES[type])),
    line('Status', translate(language, ticketDefinition.fields.status.choices[status])),
    line('Applicant', applicant_display),
  ]
  // Fields with a `_display` twin are shown by that, not by their ids.
  const applied = Object.keys(fields)
    .filter((name) => name in meta && !(`${name}_display` in meta) && !name.endsWith('_id'))
    .map((name) => line((fields[name.replace(/_display$/, '')] ?? fields[name])?.label ?? name, meta[name]))
  return [...basic, ...(applied.length ? ['', ...applied] : [])].join('<br>')
}

/**
 * With `action=open`, OPTIONS describes the form that opens a ticket; with a type, `meta` is that
 * of the type (docs/rules/tickets.md#ticket).
 */
export function describeForm(
  actions: Record<string, Record<string, Record<string, unknown>>>,
  call: Call,
  query: ReadContext['query'],
): void {
  const type = Object.hasOwn(TICKET_TYPES, query.type ?? '') ? (query.type as TicketType) : undefined
  if (query.action === 'open') actions.POST = fieldsMetadata(openFields(type ?? 'general'), call)
  const meta = actions.GET?.meta
  if (meta && type) meta.children = fieldsMetadata(TICKET_META[type], call)
}
