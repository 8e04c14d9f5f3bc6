import { and, eq, sql } from 'drizzle-orm'
import { displayName } from '../../kernel/access/call.ts'
import type { Database } from '../../kernel/database/database.ts'
import { RECONNECTED } from '../../kernel/events/events.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { notify } from '../notifications/index.ts'
import { usersAccount } from '../users/index.ts'
import { noteOnTicket } from './comment.ts'
import { nextSerial } from './serial.ts'
import { endTicket, TICKET_DECIDED } from './settle.ts'
import { processStep, ticketsAssignee, ticketsTicket } from './tables.ts'

/**
 * A ticket that the server opens while somebody waits for its decision (contract/tickets.yaml
 * "confirm_tickets").
 */
export interface Confirmation {
  type: 'login_confirm' | 'login_asset_confirm' | 'command_confirm'
  title: string
  orgId: string
  applicant: { id: string; name: string; username: string }
  meta: Record<string, unknown>
  /** Ids of the reviewers: one level, which any of them decides. */
  assignees: readonly string[]
}

export type Decision = 'open' | 'approved' | 'rejected' | 'closed'

export interface ConfirmationState {
  id: string
  state: Decision
  reviewers: string[]
  /** `Name(username)` of whoever decided; empty until then. */
  processor: string
  meta: Record<string, unknown>
}

/** Opens a ticket with one level of approval, and notifies those who decide. */
export async function openConfirmation(kernel: Kernel, confirmation: Confirmation): Promise<ConfirmationState> {
  const ticket = await storeConfirmation(kernel.db, confirmation)
  const { type, applicant, meta, assignees } = confirmation
  const values = { applicant: displayName(applicant), address: meta.apply_login_ip, asset: meta.apply_login_asset }
  // Not awaited: the ticket exists whether or not its notice can be sent.
  void notify(kernel, assignees, (say) => ({
    subject: say('{{applicant}} is waiting for your confirmation', values),
    paragraphs: [
      type === 'login_confirm'
        ? say('{{applicant}} wants to sign in from {{address}} and is waiting for your confirmation.', values)
        : say('{{applicant}} wants to connect to {{asset}} and is waiting for your confirmation.', values),
    ],
    link: { text: say('Open the ticket'), path: `/ui/tickets/tickets/${ticket.id}` },
  }))
  return ticket
}

async function storeConfirmation(
  db: Database,
  { type, title, orgId, applicant, meta, assignees }: Confirmation,
): Promise<ConfirmationState> {
  return db.transaction(async (inside) => {
    const reviewers = await reviewersOf(inside, assignees)
    const [ticket] = await inside
      .insert(ticketsTicket)
      .values({
        type,
        title: title.slice(0, 256),
        meta,
        applicant: applicant.id,
        applicant_display: displayName(applicant),
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
    await noteOnTicket(inside, ticket.id, { id: applicant.id, display: displayName(applicant) }, 'open')
    return stateOf(ticket)
  })
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

/** Withdraws a ticket in its applicant's name. A ticket that has been decided stays as it is. */
export async function withdrawConfirmation(kernel: Kernel, type: Confirmation['type'], id: string): Promise<void> {
  await withdraw(kernel, and(eq(ticketsTicket.id, id), eq(ticketsTicket.type, type)))
}

/** Withdraws the confirmations of sign-ins from an address that a person is still waiting for. */
export async function withdrawSignIn(kernel: Kernel, applicant: string, address: string): Promise<void> {
  const { type, meta } = ticketsTicket
  await withdraw(
    kernel,
    and(
      eq(type, 'login_confirm'),
      eq(ticketsTicket.applicant, applicant),
      sql`${meta}->>'apply_login_ip' = ${address}`,
    ),
  )
}

/** Withdraws the open tickets that match the condition. */
export async function withdraw(kernel: Kernel, where: ReturnType<typeof and>): Promise<void> {
  const closed = await kernel.db.transaction(async (db) => {
    const open = await db
      .select()
      .from(ticketsTicket)
      .where(and(eq(ticketsTicket.status, 'open'), where))
      .for('update')
    for (const ticket of open) await endTicket(db, ticket, 'closed', undefined)
    return open
  })
  for (const { id } of closed) await kernel.events.publish(TICKET_DECIDED, { ticket: id })
}

/** An event may be lost, so the ticket is also read this often (contract/gateway.yaml). */
const POLL_MS = 5000

/**
 * Waits until the ticket is no longer open. Answers its state as it is, `open`, when the signal
 * aborts first.
 */
export function decisionOf(
  kernel: Kernel,
  type: Confirmation['type'],
  id: string,
  signal: AbortSignal,
): Promise<ConfirmationState | undefined> {
  return new Promise((resolve, reject) => {
    let done = false
    const finish = (act: () => void) => {
      if (done) return
      done = true
      clearInterval(timer)
      for (const stop of stops) stop()
      signal.removeEventListener('abort', look)
      act()
    }
    const look = () => {
      confirmationState(kernel.db, type, id).then(
        (state) => {
          if (signal.aborted || state?.state !== 'open') finish(() => resolve(state))
        },
        (error) => finish(() => reject(error)),
      )
    }
    const timer = setInterval(look, POLL_MS)
    const stops = [
      kernel.events.subscribe(TICKET_DECIDED, ({ ticket }) => (ticket === id ? look() : undefined)),
      kernel.events.subscribe(RECONNECTED, look),
    ]
    signal.addEventListener('abort', look)
    look()
  })
}
