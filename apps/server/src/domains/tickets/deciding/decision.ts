import type { TicketType } from '@sallyport/contract/resources/tickets/ticket-types.ts'
import { and, eq, ne, sql } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import { type Call, type CallUser, callerOf } from '../../../kernel/access/call.ts'
import { refuseLimited } from '../../../kernel/access/limited-key.ts'
import { inBackground } from '../../../kernel/background.ts'
import type { Database } from '../../../kernel/database/database.ts'
import { AppError, forbidden } from '../../../kernel/errors/app-error.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { ReadContext } from '../../../kernel/resource/mount.ts'
import { getStored, presentOne } from '../../../kernel/resource/read.ts'
import type { MountedResource } from '../../../kernel/resource/registry.ts'
import { contextOf } from '../../../kernel/resource/routes.ts'
import { changeCards } from '../../notifications/index.ts'
import { grantAccessRequest, processorsOf } from '../access-request.ts'
import { notifyApplicant, notifyApprovers } from '../notices.ts'
import { requestKind } from '../request-kinds.ts'
import { endTicket, hasNextLevel, passOn, type StoredTicket, TICKET_DECIDED, type Verdict } from '../settle.ts'
import { type DecisionPlace, ticketsAssignee, type ticketsTicket } from '../tables.ts'

/**
 * What must still be so when a ticket is approved; throws AppError otherwise. The ticket is locked.
 */
export type ApprovalCheck = (db: Database, ticket: StoredTicket, by: CallUser) => Promise<void>

const approvalChecks = new Map<string, ApprovalCheck>()

/** Has the approval of tickets of a type depend on what lies beyond the ticket. */
export function addApprovalCheck(type: TicketType, check: ApprovalCheck): void {
  approvalChecks.set(type, check)
}

const ACTIONS: readonly { path: string; verdict: Verdict; summary: string }[] = [
  { path: 'approve', verdict: 'approved', summary: 'Approve a ticket' },
  { path: 'reject', verdict: 'rejected', summary: 'Reject a ticket' },
  { path: 'close', verdict: 'closed', summary: 'Withdraw a ticket of mine' },
]

/**
 * PUT …/{id}/approve/, reject/ and close/ (docs/rules/tickets.md#ticket). Bodies are ignored; a
 * closed ticket stays closed. @param previews what an approval gives
 */
export function registerDecisions(
  kernel: Kernel,
  tickets: MountedResource<typeof ticketsTicket>,
  previews: (request: FastifyRequest) => Promise<unknown>,
): void {
  for (const { path, verdict, summary } of ACTIONS)
    kernel.app.route({
      method: ['PUT', 'PATCH'],
      url: `${tickets.definition.path}:id/${path}/`,
      config: {
        access: ['authenticated'],
        summary,
        answers: { fields: tickets.definition.fields },
        ...(verdict === 'approved' ? { previews } : {}),
      },
      handler: (request) => {
        const context = contextOf(kernel, request)
        const place = request.call.via === 'session' ? 'console' : 'api'
        return decideTicket(kernel, tickets, context, { id: context.parameters.id ?? '', verdict, place })
      },
    })
}

/** A decision of the caller. */
export interface TicketDecision {
  id: string
  verdict: Verdict
  /** Where the caller decides. */
  place: DecisionPlace
  /** The level that was shown; the present one where not given. */
  level?: number
  /** Runs first in the transaction, and may refuse. */
  first?: (db: Database) => Promise<void>
}

/**
 * Decides a ticket in the name of the caller, if it is theirs to decide: once, also where others do so
 * at the same time. Answers the ticket, and sends a message to those whom it concerns.
 */
export async function decideTicket(
  kernel: Kernel,
  tickets: MountedResource<typeof ticketsTicket>,
  context: ReadContext,
  { id, verdict, place, level, first }: TicketDecision,
): Promise<Record<string, unknown>> {
  const { call } = context
  const user = callerOf(call)
  const seen = level ?? (await getStored(tickets, id, context)).approval_step
  const stored = await kernel.db.transaction(async (db) => {
    await first?.(db)
    const ticket = await getStored(tickets, id, { ...context, db }, true)
    if (ticket.status !== 'open') throw new AppError(400, 'ticket_closed', 'This ticket is already closed')
    // Otherwise the second of two people who decide the same level at once would decide the
    // next one, unseen.
    if (ticket.approval_step !== seen)
      throw new AppError(400, 'level_decided', 'Somebody else has just decided this level')
    const may = verdict === 'closed' ? ticket.applicant === user.id : await isAssignee(db, ticket, user)
    if (!may) throw forbidden()
    const after = await decide(kernel, db, call, ticket, verdict, place)
    await kernel.audit.record(db, call, [
      {
        action: 'update',
        resourceType: tickets.definition.label,
        resource: `${ticket.title}: ${verdict}`,
        orgId: ticket.org_id,
        object: { type: tickets.definition.name, id: ticket.id },
        changes: [{ field: 'state', before: ticket.state, after: after.state }],
      },
    ])
    return after
  })
  inBackground(changeCards(kernel, id))
  const goesOn = stored.status === 'open'
  if (verdict !== 'closed') notifyApplicant(kernel, stored, verdict, user, goesOn)
  if (goesOn) notifyApprovers(kernel, stored)
  else await kernel.events.publish(TICKET_DECIDED, { ticket: id })
  return presentOne(tickets, stored, context)
}

/** Stores the verdict and carries out its effect, both or neither. The ticket must be locked. */
async function decide(
  kernel: Kernel,
  db: Database,
  call: Call,
  ticket: StoredTicket,
  verdict: Verdict,
  place: DecisionPlace,
): Promise<StoredTicket> {
  const user = callerOf(call)
  if (verdict !== 'approved') return endTicket(db, ticket, verdict, { user, place })
  if (ticket.type === 'login_confirm') refuseLimited(call)
  await refuseOwn(db, ticket, user)
  await approvalChecks.get(ticket.type)?.(db, ticket, user)
  if (hasNextLevel(ticket)) return passOn(db, ticket, { user, place })
  const kind = requestKind(ticket.type)
  if (kind) await grantAccessRequest(kernel, db, call, kind, ticket, processorsOf(ticket, user))
  return endTicket(db, ticket, verdict, { user, place })
}

/** SQL: whether a row of assignees is of the level that the ticket waits at. */
const decidesNow = ({ id, approval_step }: StoredTicket) =>
  and(eq(ticketsAssignee.ticket_id, id), eq(ticketsAssignee.level, approval_step))

/** Whether somebody decides the level that the ticket waits at. */
export async function isAssignee(db: Database, ticket: StoredTicket, user: CallUser): Promise<boolean> {
  const [found] = await db
    .select({ id: ticketsAssignee.id })
    .from(ticketsAssignee)
    .where(and(decidesNow(ticket), eq(ticketsAssignee.user_id, user.id)))
  return found !== undefined
}

/**
 * Nobody approves their own ticket unless nobody else can: an installation with a single
 * administrator must go on working.
 */
export async function refuseOwn(db: Database, ticket: StoredTicket, user: CallUser): Promise<void> {
  if (ticket.applicant !== user.id) return
  const [other] = await db
    .select({ id: ticketsAssignee.id })
    .from(ticketsAssignee)
    .where(
      and(
        decidesNow(ticket),
        ne(ticketsAssignee.user_id, user.id),
        sql`EXISTS (SELECT 1 FROM users_account u WHERE u.id = ${ticketsAssignee.user_id} AND u.is_valid)`,
      ),
    )
    .limit(1)
  if (other) throw forbidden('This ticket is your own: somebody else must approve it')
}
