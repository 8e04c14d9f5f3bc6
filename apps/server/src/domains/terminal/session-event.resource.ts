import { type END_REASONS, sessionEvent } from '@sallyport/contract/resources/terminal/session-event.ts'
import { and, desc, eq } from 'drizzle-orm'
import type { Kernel } from '../../kernel/kernel.ts'
import { mountResource } from '../../kernel/resource/routes.ts'
import { alarmOfRecording } from './alarms.ts'
import { terminalSession, terminalSessionEvent } from './tables.ts'

export type EndReason = keyof typeof END_REASONS

export default function mountSessionEvent(kernel: Kernel): void {
  mountResource(kernel, sessionEvent, { table: terminalSessionEvent, unaudited: true })
}

export interface SessionEventNote {
  session: string
  org_id: string
  event:
    | 'detached'
    | 'resumed'
    | 'locked'
    | 'unlocked'
    | 'unrecorded'
    | 'unseen_full_screen'
    | 'unseen_transfer'
    | 'unseen_no_echo'
    | 'exported'
    | 'forwarded'
    | 'ended'
  /** Name(username). */
  user?: string
  remote_addr?: string
  reason?: EndReason
}

/**
 * Adds an event to a session's history. That a session goes on unrecorded is also reported to
 * subscribers.
 */
export async function noteSessionEvent(kernel: Kernel, note: SessionEventNote): Promise<void> {
  await kernel.db.insert(terminalSessionEvent).values(note)
  if (note.event === 'unrecorded') await alarmOfRecording(kernel, note)
}

/**
 * What became of a person's own session: whether it runs and, if not, why it ended; undefined for
 * anybody else's. A session without a reason was lost with its server.
 */
export async function findSessionOutcome(
  { db }: Pick<Kernel, 'db'>,
  sessionId: string,
  userId: string,
): Promise<{ isFinished: boolean; reason: EndReason | undefined } | undefined> {
  const [row] = await db
    .select({ isFinished: terminalSession.is_finished, reason: terminalSessionEvent.reason })
    .from(terminalSession)
    .leftJoin(
      terminalSessionEvent,
      and(eq(terminalSessionEvent.session, terminalSession.id), eq(terminalSessionEvent.event, 'ended')),
    )
    .where(and(eq(terminalSession.id, sessionId), eq(terminalSession.user_id, userId)))
    .orderBy(desc(terminalSessionEvent.date_created))
    .limit(1)
  return row && { isFinished: row.isFinished, reason: (row.reason ?? undefined) as EndReason | undefined }
}
