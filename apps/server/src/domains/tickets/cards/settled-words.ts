import { spoken } from '@sallyport/contract/names.ts'
import { TICKET_TYPES } from '@sallyport/contract/resources/tickets/ticket-types.ts'
import { eq } from 'drizzle-orm'
import type { Say } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { ticketsTicket } from '../tables.ts'
import { WITHDRAWAL_TEXT } from '../withdrawal.ts'

/** The places of a decision, as people call them. */
const PLACES: Readonly<Record<string, string>> = {
  console: 'the console',
  api: 'the API',
  wecom: 'WeCom',
  dingtalk: 'DingTalk',
  feishu: 'FeiShu',
  slack: 'Slack',
  teams: 'Microsoft Teams',
}

/**
 * The words of a card about a level of a ticket once that level is settled: who decided, and where;
 * undefined while it waits, and for a ticket that is gone.
 */
export async function settledWords(
  { db }: Pick<Kernel, 'db'>,
  { topic, part }: { topic: string; part: number },
  say: Say,
): Promise<{ subject: string; paragraphs: string[]; link: { text: string; path: string } } | undefined> {
  const [ticket] = await db.select().from(ticketsTicket).where(eq(ticketsTicket.id, topic))
  const step = ticket?.process_map.find(({ approval_level }) => approval_level === part)
  if (!ticket || !step) return undefined
  const isOpen = ticket.status === 'open'
  if (isOpen && step.state === 'notified') return undefined
  const { title, applicant_display, type, id } = ticket
  return {
    subject: title,
    paragraphs: [
      verdictOf(step, say),
      ...(isOpen ? [say('It now waits for the next level.')] : []),
      `${say('Applicant')}: ${spoken(applicant_display)}`,
      `${say('Type')}: ${say(TICKET_TYPES[type])}`,
    ],
    link: { text: say('Open the ticket'), path: `/ui/tickets/tickets/${id}` },
  }
}

type Step = (typeof ticketsTicket.$inferSelect)['process_map'][number]

function verdictOf({ state, processor_display, decided_in, withdrawn }: Step, say: Say): string {
  const values = { person: spoken(processor_display), place: say(PLACES[decided_in ?? ''] ?? 'the console') }
  if (state === 'approved') return say('Approved by {{person}}, in {{place}}', values)
  if (state === 'rejected') return say('Rejected by {{person}}, in {{place}}', values)
  // Also a level that was never reached.
  return withdrawn ? say(WITHDRAWAL_TEXT[withdrawn]) : say('Withdrawn by the applicant')
}
