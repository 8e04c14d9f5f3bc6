import { spoken } from '@sallyport/contract/names.ts'
import { type CallUser, displayName } from '../../kernel/access/call.ts'
import { inBackground } from '../../kernel/background.ts'
import type { Say } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { type Content, notify } from '../notifications/index.ts'
import { decisionButtons, hoursOf } from './cards/decision-link.ts'
import { factsOf } from './cards/ticket-facts.ts'
import { requestKind } from './request-kinds.ts'
import type { ticketsTicket } from './tables.ts'
import { WITHDRAWAL_TEXT, type Withdrawal } from './withdrawal.ts'

type StoredTicket = Pick<
  typeof ticketsTicket.$inferSelect,
  'id' | 'title' | 'applicant' | 'applicant_display' | 'process_map' | 'approval_step'
>

const pageOf = (id: string) => `/ui/tickets/tickets/${id}`

/**
 * Tells those who decide the current step of a request that it waits for them. Not awaited: the
 * ticket exists whether or not the notice can be sent.
 */
export function notifyApprovers(kernel: Kernel, ticket: CardTicket): void {
  const { id, title, applicant_display, process_map, approval_step } = ticket
  const values = { applicant: spoken(applicant_display), title }
  inBackground(
    notify(kernel, process_map[approval_step - 1]?.assignees ?? [], (say) => ({
      subject: say('{{applicant}} is waiting for your approval: {{title}}', values),
      paragraphs: [say('{{applicant}} opened the ticket {{title}} and is waiting for your approval.', values)],
      link: { text: say('Open the ticket'), path: pageOf(id) },
      ...cardOf(kernel, ticket, say),
    })),
  )
}

type CardTicket = typeof ticketsTicket.$inferSelect

/** The parts of a card besides the message: the facts, and both decisions of its reader. */
export const cardOf = (
  kernel: Kernel,
  ticket: CardTicket,
  say: Say,
): Pick<Content, 'facts' | 'about' | 'buttonsFor'> => ({
  facts: factsOf(
    ticket,
    say,
    requestKind(ticket.type) ? undefined : new Date(ticket.date_created.getTime() + hoursOf(ticket) * 3_600_000),
  ),
  about: { topic: ticket.id, part: ticket.approval_step },
  buttonsFor: (userId, channel) => decisionButtons(kernel, ticket, userId, channel, say),
})

/** Tells the applicant what somebody else decided; `goesOn`: one more level follows. */
export function notifyApplicant(
  kernel: Kernel,
  { id, title, applicant }: StoredTicket,
  verdict: 'approved' | 'rejected',
  by: CallUser,
  goesOn: boolean,
): void {
  if (!applicant || applicant === by.id) return
  const values = { person: spoken(displayName(by)), title }
  inBackground(
    notify(kernel, [applicant], (say) => {
      const words = goesOn
        ? say('{{person}} approved your ticket {{title}}, which now waits for the next level', values)
        : verdict === 'approved'
          ? say('{{person}} approved your ticket {{title}}', values)
          : say('{{person}} rejected your ticket {{title}}', values)
      return { subject: words, paragraphs: [words], link: { text: say('Open the ticket'), path: pageOf(id) } }
    }),
  )
}

/** Tells the applicant that somebody who decides has changed what their ticket asks for. */
export function notifyOfAmendment(kernel: Kernel, { id, title, applicant }: StoredTicket, by: CallUser): void {
  if (!applicant || applicant === by.id) return
  const values = { person: spoken(displayName(by)), title }
  inBackground(
    notify(kernel, [applicant], (say) => {
      const words = say('{{person}} changed what your ticket {{title}} asks for', values)
      return { subject: words, paragraphs: [words], link: { text: say('Open the ticket'), path: pageOf(id) } }
    }),
  )
}

/**
 * Tells the applicant that the server closed their ticket, and why; not where they have just asked
 * again.
 */
export function notifyOfWithdrawal(kernel: Kernel, { id, title, applicant }: StoredTicket, why: Withdrawal): void {
  if (!applicant || why === 'renewed') return
  inBackground(
    notify(kernel, [applicant], (say) => ({
      subject: say('Your ticket {{title}} was closed', { title }),
      paragraphs: [say(WITHDRAWAL_TEXT[why])],
      link: { text: say('Open the ticket'), path: pageOf(id) },
    })),
  )
}
