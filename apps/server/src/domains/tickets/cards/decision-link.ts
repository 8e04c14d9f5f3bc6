import { sql } from 'drizzle-orm'
import { hashKey, randomKey } from '../../../kernel/access/random-secret.ts'
import type { Database } from '../../../kernel/database/database.ts'
import type { Say } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { Button, CardChannel } from '../../notifications/index.ts'
import { requestKind } from '../request-kinds.ts'
import type { StoredTicket } from '../settle.ts'

/** So long a button counts: as long as somebody waits for a review, and a day for a request. */
const HOURS = { review: 1, request: 24 }
const PAGE = '/ui/decide-ticket'

/** A decision that a button leads to. */
export interface DecisionLink extends Record<string, unknown> {
  id: string
  ticket: string
  level: number
  user_id: string
  decision: 'approved' | 'rejected'
  place: CardChannel
  is_used: boolean
}

/** The hours for which the buttons of a ticket count. */
export const hoursOf = ({ type }: Pick<StoredTicket, 'type'>): number =>
  requestKind(type) ? HOURS.request : HOURS.review

/** Both buttons of one person, whose addresses lead to their decision of the ticket's level. */
export async function decisionButtons(
  { db }: Pick<Kernel, 'db'>,
  ticket: Pick<StoredTicket, 'id' | 'type' | 'approval_step'>,
  userId: string,
  place: CardChannel,
  say: Say,
): Promise<Button[]> {
  const codeOf = async (decision: DecisionLink['decision']) => {
    const code = randomKey()
    await db.execute(sql`
      INSERT INTO tickets_decision_link (code_hash, ticket, level, user_id, decision, place, date_expired)
      VALUES (${hashKey(code)}, ${ticket.id}, ${ticket.approval_step}, ${userId}, ${decision}, ${place},
        now() + make_interval(hours => ${hoursOf(ticket)}))`)
    return { path: `${PAGE}?code=${code}`, code }
  }
  return [
    { text: say('Approve'), ...(await codeOf('approved')), tone: 'good' },
    { text: say('Reject'), ...(await codeOf('rejected')), tone: 'danger' },
  ]
}

/** The decision behind a code, until it expires, for its person alone. `lock`: until the transaction ends. */
export async function decisionLink(
  db: Database,
  code: string,
  userId: string,
  lock = false,
): Promise<DecisionLink | undefined> {
  const { rows } = await db.execute<DecisionLink>(
    sql`${link(code)} AND user_id = ${userId} ${lock ? sql`FOR UPDATE` : sql``}`,
  )
  return rows[0]
}

/** The same for any person: never part of an answer. */
export async function decisionLinkOfAnybody(db: Database, code: string): Promise<DecisionLink | undefined> {
  const { rows } = await db.execute<DecisionLink>(link(code))
  return rows[0]
}

const link = (code: string) => sql`
  SELECT id, ticket, level, user_id, decision, place, date_used IS NOT NULL AS is_used FROM tickets_decision_link
  WHERE code_hash = ${hashKey(code)} AND date_expired > now()`

export async function useDecisionLink(db: Database, id: string): Promise<void> {
  await db.execute(sql`UPDATE tickets_decision_link SET date_used = now() WHERE id = ${id}`)
}

/** Forgets the addresses that count no more. */
export async function forgetDecisionLinks({ db }: Pick<Kernel, 'db'>): Promise<void> {
  await db.execute(sql`DELETE FROM tickets_decision_link WHERE date_expired < now()`)
}
