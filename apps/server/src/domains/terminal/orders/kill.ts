import { session as sessionDefinition } from '@sallyport/contract/resources/terminal/session.ts'
import { and, eq, inArray } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import { type Call, callerOf, displayName } from '../../../kernel/access/call.ts'
import { AppError } from '../../../kernel/errors/app-error.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { isUuid } from '../../../kernel/resource/conditions.ts'
import { inOrganization } from '../../../kernel/resource/in-organization.ts'
import { plainFields } from '../../../kernel/resource/plain-fields.ts'
import { sessionInWords } from '../session-in-words.ts'
import { terminalSession, terminalTask } from '../tables.ts'

/**
 * Told when somebody ends a session: `{ session, task, terminated_by }`. The node that carries the
 * session listens; the task is stored in case it did not get the event.
 */
export const KILL_EVENT = 'terminal.kill'

/**
 * POST tasks/kill-session/: makes an order for each session that is open in the current
 * organization.
 */
export function registerKill(kernel: Kernel): void {
  kernel.app.route({
    method: 'POST',
    url: '/api/v1/terminal/tasks/kill-session/',
    config: {
      access: ['org_admin', 'component'],
      summary: 'Session: end it',
      answers: { fields: plainFields({ ok: 'list' }) },
    },
    handler: async (request) => ({ ok: await killSessions(kernel, request.call, sessionIds(request)) }),
  })
}

/**
 * Ids of sessions in a body: a JSON list or, as the session page sends it, a form whose only key is
 * the id. Throws 400.
 */
export function sessionIds({ body }: FastifyRequest): string[] {
  const ids = Array.isArray(body) ? body : typeof body === 'object' && body !== null ? Object.keys(body) : undefined
  if (!ids || ids.length > 10_000 || ids.some((id) => typeof id !== 'string'))
    throw new AppError(400, 'bad_request', 'Expected a list of ids.')
  return ids.map((id) => String(id).toLowerCase()).filter(isUuid)
}

/**
 * Orders the end of sessions and tells all nodes. Answers the ids that were accepted: of open
 * sessions in the caller's organization.
 */
export async function killSessions(kernel: Kernel, call: Call, ids: readonly string[]): Promise<string[]> {
  if (!ids.length) return []
  const terminatedBy = displayName(callerOf(call))
  const tasks = await kernel.db.transaction(async (db) => {
    const sessions = await db
      .select()
      .from(terminalSession)
      .where(
        and(
          inArray(terminalSession.id, [...ids]),
          eq(terminalSession.is_finished, false),
          inOrganization(call, terminalSession.org_id),
        ),
      )
    if (!sessions.length) return []
    await kernel.audit.record(
      db,
      call,
      sessions.map((row) => ({
        action: 'update' as const,
        resourceType: sessionDefinition.label,
        resource: sessionInWords(row),
        orgId: row.org_id,
        object: { type: sessionDefinition.name, id: row.id },
        changes: [{ field: 'is_finished', before: false, after: true }],
      })),
    )
    return db
      .insert(terminalTask)
      .values(
        sessions.map(({ id, terminal }) => ({
          name: 'kill_session',
          args: id,
          kwargs: { terminated_by: terminatedBy },
          terminal,
        })),
      )
      .returning({ id: terminalTask.id, session: terminalTask.args })
  })
  for (const { id, session } of tasks)
    await kernel.events.publish(KILL_EVENT, { session, task: id, terminated_by: terminatedBy })
  return tasks.map(({ session }) => session)
}

export interface KillOrder {
  session: string
  terminated_by: string
}

/**
 * Orders for these sessions that have not been carried out. Asked with every heartbeat, since
 * events may be lost.
 */
export async function openKillOrders({ db }: Pick<Kernel, 'db'>, sessionIds: readonly string[]): Promise<KillOrder[]> {
  if (!sessionIds.length) return []
  const rows = await db
    .select({ session: terminalTask.args, kwargs: terminalTask.kwargs })
    .from(terminalTask)
    .where(and(eq(terminalTask.is_finished, false), inArray(terminalTask.args, [...sessionIds])))
  return rows.map(({ session, kwargs }) => ({
    session,
    terminated_by: String((kwargs as { terminated_by?: string }).terminated_by ?? ''),
  }))
}

/** Marks the orders for a session as carried out. */
export async function finishKillOrders({ db }: Pick<Kernel, 'db'>, sessionId: string): Promise<void> {
  await db
    .update(terminalTask)
    .set({ is_finished: true, date_finished: new Date() })
    .where(and(eq(terminalTask.args, sessionId), eq(terminalTask.is_finished, false)))
}
