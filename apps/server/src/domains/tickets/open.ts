import { randomUUID } from 'node:crypto'
import { ticket as ticketDefinition } from '@sallyport/contract/resources/tickets/ticket.ts'
import { openFields } from '@sallyport/contract/resources/tickets/ticket-form.ts'
import { TICKET_TYPES, type TicketType } from '@sallyport/contract/resources/tickets/ticket-types.ts'
import { and, eq } from 'drizzle-orm'
import { type CallOrg, callerOf, displayName } from '../../kernel/access/call.ts'
import type { Database } from '../../kernel/database/database.ts'
import { invalid, refused } from '../../kernel/errors/app-error.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { ReadContext } from '../../kernel/resource/mount.ts'
import { presentOne } from '../../kernel/resource/read.ts'
import type { MountedResource } from '../../kernel/resource/registry.ts'
import { contextOf } from '../../kernel/resource/routes.ts'
import { readBody } from '../../kernel/resource/schema.ts'
import { isMember, readAccessRequest } from './access-request.ts'
import { approversOf } from './approvers.ts'
import { noteOnTicket } from './comment.resource.ts'
import { notifyApprovers } from './notices.ts'
import { requestKind } from './request-kinds.ts'
import { nextSerial } from './serial.ts'
import { processStep, ticketsAssignee, ticketsTicket } from './tables.ts'

/** Open tickets that one person may have: each is mailed to those who decide. */
const MAX_OPEN = 100

/** A ticket that a person opens, as read from the body. */
interface Opening {
  type: TicketType
  title: string
  comment: string
  org: CallOrg
  meta: Record<string, unknown>
}

/** POST tickets/open/: applies for something (docs/rules/tickets.md#meta_by_type). */
export function registerOpening(kernel: Kernel, tickets: MountedResource): void {
  kernel.app.route({
    method: 'POST',
    url: `${ticketDefinition.path}open/`,
    config: {
      access: ['authenticated'],
      needsLicense: true,
      summary: 'Open a ticket',
      answerStatus: 201,
      rows: ticketDefinition,
      takes: ({ type }) => ({ fields: openFields(isTicketType(type) ? type : 'general') }),
    },
    handler: async (request, reply) => {
      const context = contextOf(kernel, request)
      const stored = await openTicket(context, request.body)
      reply.status(201)
      return presentOne(tickets, stored, context)
    },
  })
}

/**
 * Opens a ticket in the caller's name and tells those who decide. Throws 400 by field, and where
 * nobody decides on such tickets.
 */
export async function openTicket(context: ReadContext, body: unknown): Promise<typeof ticketsTicket.$inferSelect> {
  const stored = await store(context, await readOpening(context, body))
  notifyApprovers(context.kernel, stored)
  return stored
}

async function readOpening(context: ReadContext, body: unknown): Promise<Opening> {
  const { call, query } = context
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw invalid({ non_field_errors: 'Invalid data. Expected an object.' })
  const sent = body as Record<string, unknown>
  const type = typeOf(sent.type, query.type)
  const { values, errors } = readBody({ name: `open ${type}`, fields: openFields(type) }, 'create', call.language, sent)
  if (Object.keys(errors).length) throw invalid(errors)
  const org = await organizationOf(context, String(values.org_id).toLowerCase())
  return {
    type,
    title: String(values.title),
    comment: String(values.comment ?? ''),
    org,
    meta: values.meta as Record<string, unknown>,
  }
}

const isTicketType = (text: unknown): text is TicketType =>
  typeof text === 'string' && Object.hasOwn(TICKET_TYPES, text)

/** The type in the body; one in the address must be the same. Throws 400 on `type`. */
function typeOf(sent: unknown, inAddress: string | undefined): TicketType {
  if (sent === undefined || sent === null || sent === '') throw invalid({ type: 'This field is required.' })
  if (!isTicketType(sent)) throw invalid({ type: 'There is no such type of ticket' })
  if (inAddress && inAddress !== sent) throw invalid({ type: 'The type is not that of the address' })
  if (sent === 'general') return sent
  const kind = requestKind(sent)
  if (kind) return kind.type
  throw invalid({ type: 'Tickets of this type are opened by the server alone' })
}

/**
 * An organization that the applicant belongs to. Throws 400 for any other as for one that does not
 * exist.
 */
async function organizationOf({ kernel, db, call }: ReadContext, id: string): Promise<CallOrg> {
  const name = (await kernel.orgNames()).get(id)
  if (name === undefined || !(await isMember(db, callerOf(call).id, id)))
    throw invalid({ org_id: 'There is no such organization, or you do not belong to it' })
  return { id, name }
}

async function store(
  context: ReadContext,
  { type, title, comment, org, meta }: Opening,
): Promise<typeof ticketsTicket.$inferSelect> {
  const { kernel, call } = context
  const applicant = callerOf(call)
  const levels = await approversOf(context.db, org.id, type)
  if (!levels?.every((people) => people.length))
    throw refused('no_flow', 'Nobody is appointed to decide on tickets of this type')
  if (await hasTooMany(context.db, applicant.id))
    throw refused('too_many_tickets', 'Too many of your tickets are open: close those that you no longer need')
  // Random, not by time as ids are elsewhere: the permission's name ends with its first characters,
  // which must differ from ticket to ticket.
  const id = randomUUID()
  const kind = requestKind(type)
  const read = kind ? await readAccessRequest(context, kind, org, { id, title, meta }) : {}
  return kernel.db.transaction(async (db) => {
    const [ticket] = await db
      .insert(ticketsTicket)
      .values({
        id,
        type,
        title,
        comment,
        meta: { ...read },
        time_zone: call.timeZone,
        applicant: applicant.id,
        applicant_display: displayName(applicant),
        process_map: levels.map((people, at) => processStep(at + 1, people)),
        org_id: org.id,
        serial_num: await nextSerial(db),
      })
      .returning()
    if (!ticket) throw new Error('the ticket was not stored')
    const [first = []] = levels
    await db.insert(ticketsAssignee).values(first.map((person) => ({ ticket_id: id, level: 1, user_id: person.id })))
    await noteOnTicket(db, id, { id: applicant.id, display: displayName(applicant) }, 'open')
    await kernel.audit.record(db, call, [
      {
        action: 'create',
        resourceType: ticketDefinition.label,
        resource: title,
        orgId: org.id,
        object: { type: ticketDefinition.name, id },
        changes: [{ field: 'type', after: ticket.type }],
      },
    ])
    return ticket
  })
}

async function hasTooMany(db: Database, applicant: string): Promise<boolean> {
  const open = await db
    .select({ id: ticketsTicket.id })
    .from(ticketsTicket)
    .where(and(eq(ticketsTicket.applicant, applicant), eq(ticketsTicket.status, 'open')))
    .limit(MAX_OPEN)
  return open.length === MAX_OPEN
}
