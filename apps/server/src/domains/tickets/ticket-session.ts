import { ROOT_ORG_ID } from '@sallyport/contract/constants.ts'
import { ticket as ticketDefinition } from '@sallyport/contract/resources/tickets/ticket.ts'
import { and, desc, eq, sql } from 'drizzle-orm'
import { callerOf, isSuperAdmin } from '../../kernel/access/call.ts'
import type { Database } from '../../kernel/database/database.ts'
import { AppError } from '../../kernel/errors/app-error.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { isUuid } from '../../kernel/resource/conditions.ts'
import { plainFields } from '../../kernel/resource/plain-fields.ts'
import { presentOne } from '../../kernel/resource/read.ts'
import { resourcesOf } from '../../kernel/resource/registry.ts'
import { contextOf } from '../../kernel/resource/routes.ts'
import { findSession, killSessions, type StoredSession, sessionIds, terminalListedSession } from '../terminal/index.ts'
import { alsoWatchedBy, canJoin } from '../terminal/sharing/index.ts'
import { ticketsSessionRelation, ticketsTicket } from './tables.ts'
import { concerns } from './visibility.ts'

/**
 * The session of a ticket, shown on its page: those who confirmed that it begins may watch and end
 * it (docs/rules/tickets.md#ticket, docs/rules/terminal.md#session), those who confirm a command
 * only know of it.
 */
export function registerTicketSessions(kernel: Kernel): void {
  alsoWatchedBy(isApprover)
  kernel.app.route({
    method: 'GET',
    url: `${ticketDefinition.path}:id/session/`,
    config: {
      access: ['authenticated'],
      summary: 'The session of a ticket: that it let in, or in which its command was sent',
      answers: 'anything',
    },
    handler: async (request) => {
      const context = contextOf(kernel, request)
      const { id = '' } = context.parameters
      const session = isUuid(id)
        ? await sessionOf(kernel.db, id, isSuperAdmin(request.call) ? undefined : concerns(request.call))
        : undefined
      const sessions = resourcesOf(kernel).find('session')
      // The page polls until there is a session: an answer without an error message.
      if (!session || !sessions) throw new AppError(404, 'object_does_not_exist', 'Not found.', { body: {} })
      const { user } = request.call
      // In any organization.
      const call = { ...request.call, org: { id: ROOT_ORG_ID, name: '' } }
      const { command_amount: _, ...row } = await presentOne(sessions, session, { ...context, call })
      const mayEnd = user !== undefined && (await isApprover(kernel.db, user.id, session.id))
      return {
        ...row,
        can_join: await canJoin(kernel.db, call, session),
        can_terminate: mayEnd && !session.is_finished,
      }
    },
  })
  kernel.app.route({
    method: 'POST',
    url: '/api/v1/terminal/tasks/kill-session-for-ticket/',
    config: {
      access: ['authenticated'],
      summary: 'Session: end it, as who confirmed it',
      answers: { fields: plainFields({ ok: 'list' }) },
    },
    handler: async (request) => {
      const user = callerOf(request.call)
      const ids = [...new Set(sessionIds(request))]
      for (const id of ids)
        if (!(await isApprover(kernel.db, user.id, id)))
          throw new AppError(403, 'permission_denied', 'Not found.', { body: {} })
      return { ok: await killSessions(kernel, { ...request.call, org: { id: ROOT_ORG_ID, name: '' } }, ids) }
    },
  })
}

/** The session that the ticket let in, or in which its command was sent. */
async function sessionOf(
  db: Database,
  ticket: string,
  visible: ReturnType<typeof concerns> | undefined,
): Promise<StoredSession | undefined> {
  const [command] = await db
    .select({ org_id: ticketsTicket.org_id, meta: ticketsTicket.meta })
    .from(ticketsTicket)
    .where(and(eq(ticketsTicket.id, ticket), eq(ticketsTicket.type, 'command_confirm'), visible))
  if (!command) return admittedSession(db, ticket, visible)
  const id = String(command.meta.apply_from_session_id)
  const session = isUuid(id) ? await findSession(db, id) : undefined
  return session?.org_id === command.org_id ? session : undefined
}

/** The latest session of the ticket: a component may have let the person in more than once. */
async function admittedSession(
  db: Database,
  ticket: string,
  visible: ReturnType<typeof concerns> | undefined,
): Promise<StoredSession | undefined> {
  const [found] = await db
    .select({ id: terminalListedSession.id })
    .from(ticketsSessionRelation)
    .innerJoin(ticketsTicket, eq(ticketsTicket.id, ticketsSessionRelation.ticket))
    .innerJoin(terminalListedSession, eq(terminalListedSession.id, ticketsSessionRelation.session))
    .where(and(eq(ticketsTicket.id, ticket), visible))
    .orderBy(desc(ticketsSessionRelation.date_created))
    .limit(1)
  return found && findSession(db, found.id)
}

/**
 * Whether a person, who can still sign in, decides at any level of the first ticket that let the
 * session in.
 */
async function isApprover(db: Database, userId: string, sessionId: string): Promise<boolean> {
  const { rows } = await db.execute(sql`
    SELECT 1 FROM tickets_assignee a JOIN users_account u ON u.id = a.user_id
    WHERE a.user_id = ${userId} AND u.is_valid
    AND a.ticket_id = (SELECT r.ticket FROM tickets_session_relation r WHERE r.session = ${sessionId} ORDER BY r.date_created, r.id LIMIT 1)`)
  return rows.length > 0
}
