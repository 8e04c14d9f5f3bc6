import { session as sessionDefinition } from '@sallyport/contract/resources/terminal/session.ts'
import { and, eq, sql } from 'drizzle-orm'
import { z } from 'zod'
import { callerOf, displayName } from '../../../kernel/access/call.ts'
import { notFound } from '../../../kernel/errors/app-error.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { inOrganization } from '../../../kernel/resource/in-organization.ts'
import { plainFields } from '../../../kernel/resource/plain-fields.ts'
import { noteSessionEvent } from '../session-event.resource.ts'
import { sessionInWords } from '../session-in-words.ts'
import { terminalSession } from '../tables.ts'

/** Told when somebody locks or unlocks a session's input: `{ session, locked, by }`. */
export const LOCK_EVENT = 'terminal.lock'

/** POST sessions/<id>/lock/ and unlock/: stops and resumes all input of a session. */
export function registerLock(kernel: Kernel): void {
  for (const [word, locked] of [
    ['lock', true],
    ['unlock', false],
  ] as const) {
    kernel.app.route({
      method: 'POST',
      url: `/api/v1/terminal/sessions/:id/${word}/`,
      config: {
        access: ['org_auditor'],
        summary: `Session: ${word} its input`,
        answers: { fields: plainFields({ msg: 'string' }) },
      },
      handler: async ({ params, call }) => {
        const { id } = z.object({ id: z.guid() }).parse(params)
        const row = await kernel.db.transaction(async (db) => {
          const [row] = await db
            .update(terminalSession)
            .set({ is_locked: locked })
            .where(
              and(
                eq(terminalSession.id, id),
                eq(terminalSession.is_finished, false),
                inOrganization(call, terminalSession.org_id),
              ),
            )
            .returning()
          if (!row) throw notFound()
          await kernel.audit.record(db, call, [
            {
              action: 'update',
              resourceType: sessionDefinition.label,
              resource: sessionInWords(row),
              orgId: row.org_id,
              object: { type: sessionDefinition.name, id },
              changes: [{ field: 'is_locked', before: !locked, after: locked }],
            },
          ])
          return row
        })
        const by = displayName(callerOf(call))
        await noteSessionEvent(kernel, {
          session: id,
          org_id: row.org_id,
          event: locked ? 'locked' : 'unlocked',
          user: by,
          remote_addr: call.remoteAddress,
        })
        await kernel.events.publish(LOCK_EVENT, { session: id, locked, by })
        return { msg: 'ok' }
      },
    })
  }
}

export interface LockOrder {
  session: string
  locked: boolean
  /** The person who changed it last. */
  by: string
}

/**
 * How those of these sessions stand that somebody has locked or unlocked, for a node that may have
 * missed the news.
 */
export async function lockOrders({ db }: Pick<Kernel, 'db'>, sessionIds: readonly string[]): Promise<LockOrder[]> {
  if (!sessionIds.length) return []
  const { rows } = await db.execute<{ session: string; locked: boolean; by: string }>(sql`
    SELECT DISTINCT ON (s.id) s.id AS session, s.is_locked AS locked, e."user" AS by
    FROM terminal_session s
    JOIN terminal_session_event e ON e.session = s.id AND e.event IN ('locked', 'unlocked')
    WHERE s.id = ANY(${sql.param([...sessionIds])}::uuid[])
    ORDER BY s.id, e.date_created DESC`)
  return rows
}
