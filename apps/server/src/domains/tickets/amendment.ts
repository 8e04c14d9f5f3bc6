import { actionNames } from '@sallyport/contract/actions.ts'
import type { Fields } from '@sallyport/contract/define.ts'
import { TICKET_META } from '@sallyport/contract/resources/tickets/ticket-form.ts'
import type { TicketType } from '@sallyport/contract/resources/tickets/ticket-types.ts'
import { and, eq, sql } from 'drizzle-orm'
import { type Call, callerOf, displayName, isSuperAdmin } from '../../kernel/access/call.ts'
import type { FieldChange } from '../../kernel/audit/audit.ts'
import type { Database } from '../../kernel/database/database.ts'
import { AppError, forbidden, invalid } from '../../kernel/errors/app-error.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { ReadContext } from '../../kernel/resource/mount.ts'
import { getStored, presentOne } from '../../kernel/resource/read.ts'
import type { MountedResource } from '../../kernel/resource/registry.ts'
import { contextOf } from '../../kernel/resource/routes.ts'
import { readBody } from '../../kernel/resource/schema.ts'
import { orgsMembership } from '../orgs/index.ts'
import { type AccessRequest, momentOf, organizationName, readAccessRequest, readMoment } from './access-request.ts'
import { type Amended, askedNow, words } from './amended-words.ts'
import { isAssignee, refuseOwn } from './deciding/decision.ts'
import { notifyOfAmendment } from './notices.ts'
import { requestKind } from './request-kinds.ts'
import type { StoredTicket } from './settle.ts'
import { ticketsComment, ticketsTicket } from './tables.ts'

const LISTS = ['apply_nodes', 'apply_assets', 'apply_applications', 'apply_system_users'] as const
const DATES = ['apply_date_start', 'apply_date_expired'] as const

/**
 * The fields of a request that can be amended: all but its name and, with applications, their type;
 * none is required.
 */
const amendable = (type: TicketType): Fields =>
  Object.fromEntries(
    Object.entries(TICKET_META[type] as Fields).flatMap(([name, field]) =>
      [...LISTS, ...DATES, 'apply_actions'].includes(name as never) ? [[name, { ...field, required: false }]] : [],
    ),
  )

/**
 * PUT and PATCH …/{id}/amend/: who decides a request now changes what it asks for before they accept
 * it, within what they may grant: who administers the organization anything there, others no more
 * than was asked for. Answers the ticket.
 */
export function registerAmendments(kernel: Kernel, tickets: MountedResource<typeof ticketsTicket>): void {
  kernel.app.route({
    method: ['PUT', 'PATCH'],
    url: `${tickets.definition.path}:id/amend/`,
    config: {
      access: ['authenticated'],
      summary: 'Amend what a ticket asks for',
      rows: tickets.definition,
      takes: ({ type }) => ({
        fields: { meta: { type: 'object', label: 'Meta', required: true, fields: amendable(typeOf(type)) } },
      }),
    },
    handler: async (request) => {
      const context = contextOf(kernel, request)
      const { id = '' } = context.parameters
      const seen = await getStored(tickets, id, context)
      const amended = await kernel.db.transaction(async (db) => {
        const ticket = await getStored(tickets, id, { ...context, db }, true)
        if (ticket.status !== 'open') throw new AppError(400, 'ticket_closed', 'This ticket is already closed')
        if (ticket.approval_step !== seen.approval_step)
          throw new AppError(400, 'level_decided', 'Somebody else has just decided this level')
        return amend({ ...context, db }, tickets, ticket, request.body)
      })
      if (amended.changes.length) notifyOfAmendment(kernel, amended.ticket, callerOf(request.call))
      return presentOne(tickets, amended.ticket, context)
    },
  })
}

const typeOf = (type: string | undefined): TicketType => (type === 'apply_application' ? type : 'apply_asset')

/** Stores what is asked for now, with a comment of what was changed. The ticket must be locked. */
async function amend(
  context: ReadContext & { db: Database },
  tickets: MountedResource<typeof ticketsTicket>,
  ticket: StoredTicket,
  body: unknown,
): Promise<{ ticket: StoredTicket; changes: Amended[] }> {
  const { call, db, kernel } = context
  const user = callerOf(call)
  const kind = requestKind(ticket.type)
  if (!(await isAssignee(db, ticket, user))) throw forbidden()
  await refuseOwn(db, ticket, user)
  if (!kind) throw new AppError(400, 'not_a_request', 'Only requests for access can be amended')
  const before = askedNow(ticket) as AccessRequest
  const sent = readSent(kind.type, body, call)
  const org = { id: ticket.org_id, name: await organizationName(db, ticket.org_id) }
  const asForm = {
    ...before,
    ...(kind.hasActions && { apply_actions: actionNames(Number(before.apply_actions)) }),
    ...Object.fromEntries(DATES.map((name) => [name, momentOf(before[name], ticket.time_zone)])),
  }
  const inZone = { ...context, call: { ...call, timeZone: ticket.time_zone } }
  const after = await readAccessRequest(inZone, kind, org, { ...ticket, meta: { ...asForm, ...sent } })
  if (!(await mayGrantAnything(db, call, ticket.org_id))) requireWithin(after, [ticket.meta as AccessRequest, before])
  const changes = changesBetween(before, after)
  if (!changes.length) return { ticket, changes }
  const [stored] = await db
    .update(ticketsTicket)
    .set({ amended: after, date_updated: sql`now()` })
    .where(eq(ticketsTicket.id, ticket.id))
    .returning()
  if (!stored) throw new Error('the ticket was not amended')
  await db.insert(ticketsComment).values({
    ticket: ticket.id,
    user: user.id,
    user_display: displayName(user),
    action: 'amended',
    body: JSON.stringify(changes),
  })
  await kernel.audit.record(db, call, [
    {
      action: 'update',
      resourceType: tickets.definition.label,
      resource: `${ticket.title}: amended`,
      orgId: ticket.org_id,
      object: { type: tickets.definition.name, id: ticket.id },
      changes: changes.map(
        ({ field, before, after }): FieldChange => ({ field, before: words(before), after: words(after) }),
      ),
    },
  ])
  return { ticket: stored, changes }
}

/** Input of the client, with moments in the zone of the sender. Throws 400 by field. */
function readSent(type: TicketType, body: unknown, call: Call): Record<string, unknown> {
  const meta = (body as { meta?: unknown } | undefined)?.meta
  if (typeof meta !== 'object' || meta === null || Array.isArray(meta))
    throw invalid({ meta: 'Invalid data. Expected an object.' })
  const { values, errors } = readBody(
    { name: `amend ${type}`, fields: amendable(type) },
    'patch',
    call.language,
    meta as Record<string, unknown>,
  )
  if (Object.keys(errors).length)
    throw invalid(Object.fromEntries(Object.entries(errors).map(([name, messages]) => [`meta.${name}`, messages])))
  for (const name of DATES) if (name in values) values[name] = readMoment(values[name], call) ?? values[name]
  return values
}

/** Whether the caller administers the organization, so that they could make any permission there. */
async function mayGrantAnything(db: Database, call: Call, orgId: string): Promise<boolean> {
  if (isSuperAdmin(call)) return true
  const { id } = callerOf(call)
  const isThere = and(
    eq(orgsMembership.user_id, id),
    eq(orgsMembership.org_id, orgId),
    eq(orgsMembership.role, 'Admin'),
  )
  return (await db.$count(orgsMembership, isThere)) > 0
}

/** Throws 400 for what goes beyond each of these. */
function requireWithin(after: AccessRequest, asked: readonly AccessRequest[]): void {
  const errors: Record<string, string> = {}
  const beyond = 'Only who administers the organization may add to what was asked for'
  for (const name of LISTS) {
    const allowed = new Set(asked.flatMap((one) => idsOf(one[name])))
    if (idsOf(after[name]).some((id) => !allowed.has(id))) errors[`meta.${name}`] = beyond
  }
  const actions = asked.reduce((bits, one) => bits | (one.apply_actions ?? 0), 0)
  if ((after.apply_actions ?? 0) & ~actions) errors['meta.apply_actions'] = beyond
  // Written year first, in one zone: they compare as texts.
  if (asked.every((one) => after.apply_date_start < one.apply_date_start)) errors['meta.apply_date_start'] = beyond
  if (asked.every((one) => after.apply_date_expired > one.apply_date_expired))
    errors['meta.apply_date_expired'] = beyond
  if (Object.keys(errors).length) throw invalid(errors)
}

const idsOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : [])

function changesBetween(before: AccessRequest, after: AccessRequest): Amended[] {
  const lists = LISTS.flatMap((field): Amended[] => {
    const [was, is] = [idsOf(before[field]), idsOf(after[field])]
    const isSame = was.length === is.length && was.every((id) => is.includes(id))
    return isSame ? [] : [{ field, before: before[`${field}_display`] ?? [], after: after[`${field}_display`] ?? [] }]
  })
  const actions =
    before.apply_actions === after.apply_actions
      ? []
      : [
          {
            field: 'apply_actions',
            before: actionNames(before.apply_actions ?? 0),
            after: actionNames(after.apply_actions ?? 0),
          },
        ]
  const dates = DATES.flatMap((field) =>
    before[field] === after[field] ? [] : [{ field, before: before[field], after: after[field] }],
  )
  return [...lists, ...actions, ...dates]
}
