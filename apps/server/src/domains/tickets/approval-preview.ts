import { ROOT_ORG_ID } from '@sallyport/contract/constants.ts'
import type { FastifyRequest } from 'fastify'
import { callerOf } from '../../kernel/access/call.ts'
import { may } from '../../kernel/access/guard.ts'
import { AppError, forbidden } from '../../kernel/errors/app-error.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { previewed } from '../../kernel/resource/preview/preview.ts'
import { getStored } from '../../kernel/resource/read.ts'
import type { MountedResource } from '../../kernel/resource/registry.ts'
import { contextOf } from '../../kernel/resource/routes.ts'
import { grantAccessRequest, organizationName, processorsOf } from './access-request.ts'
import { isAssignee, refuseOwn } from './deciding/decision.ts'
import { requestKind } from './request-kinds.ts'
import type { ticketsTicket } from './tables.ts'

/**
 * The rights of a request if all levels accept it, once it begins: for those who decide now. Names are
 * for administrators of its organization: a node may hold machines that others know nothing of.
 * @returns for `config.previews` of the route that approves
 */
export function approvalPreview(
  kernel: Kernel,
  tickets: MountedResource<typeof ticketsTicket>,
): (request: FastifyRequest) => Promise<unknown> {
  return async (request) => {
    const { call } = request
    const context = contextOf(kernel, request)
    const user = callerOf(call)
    const ticket = await getStored(tickets, context.parameters.id ?? '', context)
    const kind = requestKind(ticket.type)
    if (!kind) throw new AppError(400, 'no_preview', 'This call decides about no rights: it has no preview.')
    if (ticket.status !== 'open') throw new AppError(400, 'ticket_closed', 'This ticket is already closed')
    if (!(await isAssignee(kernel.db, ticket, user))) throw forbidden()
    await refuseOwn(kernel.db, ticket, user)
    const org = { id: ticket.org_id, name: await organizationName(kernel.db, ticket.org_id) }
    const isHere = [ROOT_ORG_ID, org.id].includes(call.org.id)
    const own = { ...call, org, orgRoles: isHere ? call.orgRoles : [] }
    const grant = () =>
      kernel.db.transaction((db) =>
        grantAccessRequest(kernel, db, own, kind, ticket, processorsOf(ticket, user), { beginsNow: true }),
      )
    // The answer is about the organization of the ticket, wherever the approver is.
    request.call = own
    try {
      const answer = await previewed(kernel, grant)(request)
      return may(['org_admin'], own) ? answer : withoutNames(answer)
    } finally {
      request.call = call
    }
  }
}

/** The numbers of an answer alone. */
function withoutNames(part: unknown): unknown {
  if (typeof part !== 'object' || part === null) return part
  return Object.fromEntries(
    Object.entries(part).map(([key, value]) => [key, Array.isArray(value) ? [] : withoutNames(value)]),
  )
}
