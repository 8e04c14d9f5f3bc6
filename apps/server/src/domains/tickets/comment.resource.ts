import { spoken } from '@sallyport/contract/names.ts'
import { ticketComment } from '@sallyport/contract/resources/tickets/ticket-comment.ts'
import { and, eq, sql } from 'drizzle-orm'
import { callerOf, displayName } from '../../kernel/access/call.ts'
import type { Database } from '../../kernel/database/database.ts'
import { invalid } from '../../kernel/errors/app-error.ts'
import { translate } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { isUuid, NOTHING } from '../../kernel/resource/conditions.ts'
import type { ReadContext, WriteContext } from '../../kernel/resource/mount.ts'
import { mountResource } from '../../kernel/resource/routes.ts'
import { amendmentInWords } from './amended-words.ts'
import { ticketsComment, ticketsTicket } from './tables.ts'
import { concerns } from './visibility.ts'
import { isWithdrawal, WITHDRAWAL_TEXT, type Withdrawal } from './withdrawal.ts'

type Writing = WriteContext<typeof ticketComment, typeof ticketsComment>

type Noted = 'open' | 'approved' | 'rejected' | 'closed'

const NOTE_TEXT: Readonly<Record<Noted, string>> = {
  open: '{{person}} opened the ticket',
  approved: '{{person}} approved the ticket',
  rejected: '{{person}} rejected the ticket',
  closed: '{{person}} closed the ticket',
}

/**
 * Comments on a ticket, which every call must name (docs/rules/tickets.md#ticket_comment); for
 * the people whom the ticket concerns.
 */
export default function mountComments(kernel: Kernel): void {
  mountResource(kernel, ticketComment, {
    table: ticketsComment,
    scope: ({ query }) => (isUuid(query.ticket_id) ? eq(ticketsComment.ticket, query.ticket_id) : NOTHING),
    filters: { ticket_id: () => undefined },
    rules: { beforeRead: requireTicket, beforeWrite: [signComment] },
    present(row, stored, { call: { language } }) {
      const { action, user_display } = stored
      if (!action) return row
      if (action === 'amended')
        return {
          ...row,
          body: `${translate(language, '{{person}} changed what is asked for', { person: spoken(user_display) })}\n${amendmentInWords(stored.body, language)}`,
        }
      if (isWithdrawal(action))
        return {
          ...row,
          user_display: translate(language, 'System'),
          body: translate(language, WITHDRAWAL_TEXT[action]),
        }
      return { ...row, body: translate(language, NOTE_TEXT[action], { person: spoken(user_display) }) }
    },
    // A comment is a record in itself.
    unaudited: true,
  })
}

/** Records an event of a ticket in its comments, in the name of the person who acted. */
export async function noteOnTicket(
  db: Database,
  ticket: string,
  by: { id: string | null; display: string },
  action: Noted | Withdrawal,
): Promise<void> {
  await db.insert(ticketsComment).values({ ticket, user: by.id, user_display: by.display, action })
}

/** Throws 400 unless the query names a ticket that concerns the caller. */
async function requireTicket({ db, call, query: { ticket_id } }: ReadContext): Promise<void> {
  const fail = (text: string) => invalid({ ticket_id: translate(call.language, text) })
  if (!ticket_id) throw fail('Name the ticket: ?ticket_id=')
  const [found] = isUuid(ticket_id)
    ? await db
        .select({ one: sql`1` })
        .from(ticketsTicket)
        .where(and(eq(ticketsTicket.id, ticket_id), concerns(call)))
    : []
  if (!found) throw fail('There is no such ticket, or it is not yours')
}

async function signComment(context: Writing): Promise<void> {
  await requireTicket(context)
  const user = callerOf(context.call)
  Object.assign(context.draft, { ticket: context.query.ticket_id, user: user.id, user_display: displayName(user) })
}
