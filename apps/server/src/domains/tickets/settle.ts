import { and, eq } from 'drizzle-orm'
import { type CallUser, displayName } from '../../kernel/access/call.ts'
import type { Database } from '../../kernel/database/database.ts'
import { notFound } from '../../kernel/errors/app-error.ts'
import { approversOf, stillActive } from './approvers.ts'
import { noteOnTicket } from './comment.resource.ts'
import { type DecisionPlace, type ProcessStep, processStep, ticketsAssignee, ticketsTicket } from './tables.ts'
import { isWithdrawal, type Withdrawal } from './withdrawal.ts'

/**
 * Told on every node when a ticket was approved at its last level, rejected or closed; the payload
 * has its id as `ticket`.
 */
export const TICKET_DECIDED = 'tickets.decided'

export type Verdict = 'approved' | 'rejected' | 'closed'
/** The person who decides, and the place. */
export interface Decider {
  user: CallUser
  place: DecisionPlace
}
export type StoredTicket = typeof ticketsTicket.$inferSelect

/** Stores the verdict on the current level, which ends the ticket. The ticket must be locked. */
export async function endTicket(
  db: Database,
  ticket: StoredTicket,
  verdict: Verdict,
  by: Decider,
): Promise<StoredTicket> {
  const process_map = decided(ticket, verdict, by)
  return store(db, ticket, { state: verdict, status: 'closed', process_map }, verdict, by.user)
}

/**
 * Closes a ticket, which must be locked, without a request of a person: for its applicant, or, for
 * that reason, by the server alone.
 */
export async function closeTicket(db: Database, ticket: StoredTicket, why?: Withdrawal): Promise<StoredTicket> {
  const process_map = decided(ticket, 'closed', undefined, why)
  return store(db, ticket, { state: 'closed', status: 'closed', process_map }, why ?? 'closed')
}

/**
 * Stores the approval of a level that is not the last: the ticket stays open and waits for those
 * whom the next level of its flow means now. If the flow has lost that level since, for those who
 * were named when the ticket was opened. The ticket must be locked.
 */
export async function passOn(db: Database, ticket: StoredTicket, by: Decider): Promise<StoredTicket> {
  const level = ticket.approval_step + 1
  const meant = (await approversOf(db, ticket.org_id, ticket.type))?.[level - 1]
  const people = meant ?? (await stillActive(db, ticket.process_map[level - 1]?.assignees ?? []))
  const process_map = decided(ticket, 'approved', by).map((step) =>
    step.approval_level === level ? processStep(level, people) : step,
  )
  if (people.length)
    await db
      .insert(ticketsAssignee)
      .values(people.map(({ id }) => ({ ticket_id: ticket.id, level, user_id: id })))
      .onConflictDoNothing()
  return store(db, ticket, { approval_step: level, process_map }, 'approved', by.user)
}

/** Whether one more level follows the current one. */
export const hasNextLevel = ({ process_map, approval_step }: StoredTicket): boolean =>
  process_map.length > approval_step

function decided(
  { process_map, approval_step }: StoredTicket,
  state: Verdict,
  by?: Decider,
  why?: Withdrawal,
): ProcessStep[] {
  // Closing has no processor: the applicant does it.
  const processor = state === 'closed' ? undefined : by?.user
  const change = {
    state,
    approval_date: new Date().toISOString(),
    processor: processor?.id ?? '',
    processor_display: processor ? displayName(processor) : '',
    ...(by && { decided_in: by.place }),
    ...(why && { withdrawn: why }),
  }
  return process_map.map((step) => (step.approval_level === approval_step ? { ...step, ...change } : step))
}

async function store(
  db: Database,
  ticket: StoredTicket,
  values: Partial<StoredTicket>,
  what: Verdict | Withdrawal,
  by?: CallUser,
): Promise<StoredTicket> {
  const [stored] = await db
    .update(ticketsTicket)
    .set(values)
    .where(and(eq(ticketsTicket.id, ticket.id), eq(ticketsTicket.status, 'open')))
    .returning()
  if (!stored) throw notFound()
  await noteOnTicket(db, ticket.id, noterOf(ticket, what, by), what)
  return stored
}

/** In whose name a comment says it: nobody's where the server did it. */
function noterOf(
  { applicant, applicant_display }: StoredTicket,
  what: Verdict | Withdrawal,
  by: CallUser | undefined,
): { id: string | null; display: string } {
  if (isWithdrawal(what)) return { id: null, display: '' }
  if (what === 'closed' || !by) return { id: applicant, display: applicant_display }
  return { id: by.id, display: displayName(by) }
}
