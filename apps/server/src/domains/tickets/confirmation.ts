import { spoken } from '@sallyport/contract/names.ts'
import { and, eq, type SQL, sql } from 'drizzle-orm'
import { inBackground } from '../../kernel/background.ts'
import type { Database } from '../../kernel/database/database.ts'
import { lockUntilCommit } from '../../kernel/database/locks.ts'
import { refused } from '../../kernel/errors/app-error.ts'
import { until } from '../../kernel/events/until.ts'
import type { Say } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { changeCards, notify } from '../notifications/index.ts'
import { usersAccount } from '../users/index.ts'
import { noteOnTicket } from './comment.resource.ts'
import { logConfirmation } from './confirmation-log.ts'
import { cardOf, notifyOfWithdrawal } from './notices.ts'
import { nextSerial } from './serial.ts'
import { closeTicket, TICKET_DECIDED } from './settle.ts'
import { processStep, ticketsAssignee, ticketsTicket } from './tables.ts'
import type { Withdrawal } from './withdrawal.ts'

/**
 * A ticket that the server opens while somebody waits for its decision
 * (docs/rules/tickets.md#reviews).
 */
export interface Confirmation {
  type: 'login_confirm' | 'login_asset_confirm' | 'command_confirm'
  title: string
  orgId: string
  /** `display`: Name(username). */
  applicant: { id: string; display: string }
  /** Where the applicant is, for the operate log; empty where that is not known. */
  remoteAddress?: string
  meta: Record<string, unknown>
  /** Ids of the reviewers: one level, which any of them decides. */
  assignees: readonly string[]
  /** The message to the reviewers, in paragraphs. */
  waiting(say: Say): readonly string[]
}

export type Decision = 'open' | 'approved' | 'rejected' | 'closed'

export interface ConfirmationState {
  id: string
  state: Decision
  reviewers: string[]
  /** `Name(username)` of the person who decided; empty until then. */
  processor: string
  meta: Record<string, unknown>
}

/** Open confirmations of one type that a person may have: each is mailed to those who decide. */
const MAX_OPEN = 100

/**
 * Opens a ticket with one level of approval, and notifies those who decide. Throws 400 where too
 * many of that person are open.
 */
export async function openConfirmation(kernel: Kernel, confirmation: Confirmation): Promise<ConfirmationState> {
  const ticket = await storeConfirmation(kernel, confirmation)
  const { applicant, assignees, waiting } = confirmation
  // Not awaited: the ticket exists whether or not its notice can be sent.
  inBackground(
    notify(kernel, assignees, (say) => ({
      subject: say('{{applicant}} is waiting for your confirmation', { applicant: spoken(applicant.display) }),
      paragraphs: waiting(say),
      link: { text: say('Open the ticket'), path: `/ui/tickets/tickets/${ticket.id}` },
      ...cardOf(kernel, ticket, say),
    })),
  )
  return stateOf(ticket)
}

async function storeConfirmation(
  kernel: Kernel,
  { type, title, orgId, applicant, remoteAddress, meta, assignees }: Confirmation,
): Promise<typeof ticketsTicket.$inferSelect> {
  return kernel.db.transaction(async (inside) => {
    await refuseTooMany(inside, type, applicant.id)
    const reviewers = await reviewersOf(inside, assignees)
    const [ticket] = await inside
      .insert(ticketsTicket)
      .values({
        type,
        title: title.slice(0, 256),
        meta,
        applicant: applicant.id,
        applicant_display: applicant.display,
        process_map: [processStep(1, reviewers)],
        org_id: orgId,
        serial_num: await nextSerial(inside),
      })
      .returning()
    if (!ticket) throw new Error('the ticket was not stored')
    if (reviewers.length)
      await inside
        .insert(ticketsAssignee)
        .values(reviewers.map(({ id }) => ({ ticket_id: ticket.id, level: 1, user_id: id })))
    await noteOnTicket(inside, ticket.id, applicant, 'open')
    await logConfirmation(kernel, inside, ticket, 'open', remoteAddress)
    return ticket
  })
}

async function refuseTooMany(db: Database, type: Confirmation['type'], applicant: string): Promise<void> {
  await lockUntilCommit(db, `confirmations of ${applicant}`)
  const open = await db
    .select({ id: ticketsTicket.id })
    .from(ticketsTicket)
    .where(and(eq(ticketsTicket.applicant, applicant), eq(ticketsTicket.type, type), eq(ticketsTicket.status, 'open')))
    .limit(MAX_OPEN)
  if (open.length === MAX_OPEN)
    throw refused('too_many_tickets', 'Too many of your confirmations are open: wait until some are decided')
}

async function reviewersOf(db: Database, ids: readonly string[]) {
  return db
    .select({ id: usersAccount.id, name: usersAccount.name, username: usersAccount.username })
    .from(usersAccount)
    .where(sql`${usersAccount.id} = ANY(${sql.param([...ids])}::uuid[])`)
    .orderBy(usersAccount.name)
}

/** The state of a ticket of that type; undefined when there is none. */
export async function confirmationState(
  db: Database,
  type: Confirmation['type'],
  id: string,
): Promise<ConfirmationState | undefined> {
  const [ticket] = await db
    .select()
    .from(ticketsTicket)
    .where(and(eq(ticketsTicket.id, id), eq(ticketsTicket.type, type)))
  return ticket && stateOf(ticket)
}

function stateOf({ id, state, process_map, meta }: typeof ticketsTicket.$inferSelect): ConfirmationState {
  const step = process_map.at(-1)
  return {
    id,
    state: state as Decision,
    reviewers: step?.assignees_display ?? [],
    processor: step?.processor_display ?? '',
    meta,
  }
}

/**
 * Closes a ticket for its applicant, who does not wait any longer, or, for that reason, by the server
 * alone. A ticket that has been decided stays as it is.
 */
export async function withdrawConfirmation(
  kernel: Kernel,
  type: Confirmation['type'],
  id: string,
  why?: Withdrawal,
): Promise<void> {
  await withdraw(kernel, and(eq(ticketsTicket.id, id), eq(ticketsTicket.type, type)), why)
}

/** Whether any ticket of a type is open, as a condition. */
export const anyOpenConfirmation = (type: Confirmation['type']): SQL =>
  sql`EXISTS (SELECT 1 FROM ${ticketsTicket} WHERE ${eq(ticketsTicket.type, type)} AND ${ticketsTicket.status} = 'open')`

/** The open tickets of a type, at most so many, oldest first. */
export async function openConfirmations(
  db: Database,
  type: Confirmation['type'],
  limit: number,
): Promise<{ id: string; applicant: string | null; meta: Record<string, unknown>; assignees: string[] }[]> {
  const rows = await db
    .select()
    .from(ticketsTicket)
    .where(and(eq(ticketsTicket.type, type), eq(ticketsTicket.status, 'open')))
    .orderBy(ticketsTicket.date_created)
    .limit(limit)
  return rows.map(({ id, applicant, meta, process_map }) => ({
    id,
    applicant,
    meta,
    assignees: process_map.at(-1)?.assignees ?? [],
  }))
}

/**
 * Withdraws the confirmations of sign-ins from an address for which a person who asks again is
 * still waiting.
 */
export async function withdrawSignIn(kernel: Kernel, applicant: string, address: string): Promise<void> {
  const { type, meta } = ticketsTicket
  await withdraw(
    kernel,
    and(
      eq(type, 'login_confirm'),
      eq(ticketsTicket.applicant, applicant),
      sql`${meta}->>'apply_login_ip' = ${address}`,
    ),
    'renewed',
  )
}

/**
 * Closes the open tickets that match the condition. Without a reason it is their applicant who gave
 * up, and the operate log says so; with one the server did, and tells the applicant.
 */
export async function withdraw(kernel: Kernel, where: ReturnType<typeof and>, why?: Withdrawal): Promise<void> {
  const closed = await kernel.db.transaction(async (db) => {
    const open = await db
      .select()
      .from(ticketsTicket)
      .where(and(eq(ticketsTicket.status, 'open'), where))
      .for('update')
    for (const ticket of open) {
      await closeTicket(db, ticket, why)
      if (!why) await logConfirmation(kernel, db, ticket, 'closed')
    }
    return open
  })
  for (const ticket of closed) {
    inBackground(changeCards(kernel, ticket.id))
    if (why) notifyOfWithdrawal(kernel, ticket, why)
    await kernel.events.publish(TICKET_DECIDED, { ticket: ticket.id })
  }
}

/**
 * Waits until the ticket is no longer open. Answers its state as it is, `open`, when the signal
 * aborts first. Rejected when the ticket can't be read.
 */
export function decisionOf(
  kernel: Kernel,
  type: Confirmation['type'],
  id: string,
  signal: AbortSignal,
): Promise<ConfirmationState | undefined> {
  return until(kernel.events, {
    event: TICKET_DECIDED,
    concerns: ({ ticket }) => ticket === id,
    read: () => confirmationState(kernel.db, type, id),
    isOver: (state) => state?.state !== 'open',
    signal,
  })
}
