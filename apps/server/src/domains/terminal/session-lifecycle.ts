import type { Target } from '@sallyport/contract/target.ts'
import { and, eq, gte, inArray, or, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/database/database.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { isUuid } from '../../kernel/resource/conditions.ts'
import { chainAmendedSessions } from '../audits/index.ts'
import { usersAccount } from '../users/index.ts'
import { terminalSession } from './tables.ts'

/**
 * How long a session counts as alive after the last heartbeat that named it, one every 20 seconds,
 * where nobody can ask who carries it.
 */
export const LEASE_SECONDS = 90

export type NewSession = Omit<
  typeof terminalSession.$inferInsert,
  'is_finished' | 'date_end' | 'has_replay' | 'is_locked' | 'date_last_active'
>
export type SessionChange = Partial<
  Pick<typeof terminalSession.$inferInsert, 'is_success' | 'has_replay' | 'protocol' | 'remote_addr'>
>

/**
 * Inserts a session's row, with its lease; `is_success` is false until the target has accepted.
 * Answers its id.
 */
export async function createSession(db: Database, session: NewSession): Promise<string> {
  const { user, asset, system_user } = session
  const cut = { user: user.slice(0, 128), asset: asset.slice(0, 128), system_user: system_user.slice(0, 128) }
  const owner = isUuid(session.user_id)
    ? sql<string>`(SELECT u.on_behalf_of FROM ${usersAccount} u WHERE u.id = ${session.user_id}::uuid)`
    : undefined
  const on_behalf_of = session.on_behalf_of ?? owner
  const [row] = await db
    .insert(terminalSession)
    .values({ ...session, ...cut, on_behalf_of })
    .returning({ id: terminalSession.id })
  if (!row) throw new Error('session was not stored')
  return row.id
}

/** A session that is over, with its id. */
export type PastSession = NewSession & { id: string; date_start: Date; date_end: Date }

/** Inserts sessions that are over, such as those of the demo's past; texts are short enough. */
export async function storePastSessions(db: Database, sessions: readonly PastSession[]): Promise<void> {
  const rows = sessions.map((session) => ({ ...session, is_finished: true, date_last_active: session.date_start }))
  if (rows.length) await db.insert(terminalSession).values(rows)
}

/**
 * Stores new facts of a running session, such as that the target accepted it. A session that was
 * ended meanwhile does not change any more.
 */
export async function patchSession(db: Database, id: string, change: SessionChange): Promise<void> {
  await db
    .update(terminalSession)
    .set(change)
    .where(and(eq(terminalSession.id, id), eq(terminalSession.is_finished, false)))
}

/** Ends a session, unless it has ended. Answers whether it was open. */
export async function finishSession(
  db: Database,
  id: string,
  { isSuccess, dateEnd = new Date() }: { isSuccess?: boolean; dateEnd?: Date } = {},
): Promise<boolean> {
  const { rowCount } = await db
    .update(terminalSession)
    .set({
      is_finished: true,
      date_end: sql`greatest(${terminalSession.date_start}, ${dateEnd.toISOString()}::timestamptz)`,
      ...(isSuccess === undefined ? {} : { is_success: isSuccess }),
    })
    .where(and(eq(terminalSession.id, id), eq(terminalSession.is_finished, false)))
  return (rowCount ?? 0) > 0
}

/**
 * Rows that others ended for a node that could not: at its last heartbeat, as both columns say.
 */
const isEndedForItsNode = eq(terminalSession.date_end, terminalSession.date_last_active)

/** The same of a row. */
export const wasEndedForItsNode = (row: Pick<typeof terminalSession.$inferSelect, 'date_end' | 'date_last_active'>) =>
  row.date_end?.getTime() === row.date_last_active.getTime()

/**
 * Ends a session where its recording ends, also when it was ended for its node that was lost; what
 * its own node ended stays as it is.
 */
export async function endSessionAtRecordingEnd(
  kernel: Pick<Kernel, 'db' | 'secrets'>,
  id: string,
  lastRecorded: Date,
): Promise<void> {
  await kernel.db.transaction(async (tx) => {
    const { is_finished, date_start } = terminalSession
    const [before] = await tx
      .select({ is_finished })
      .from(terminalSession)
      .where(eq(terminalSession.id, id))
      .for('update')
    const changed = await tx
      .update(terminalSession)
      .set({ is_finished: true, date_end: sql`greatest(${date_start}, ${lastRecorded.toISOString()}::timestamptz)` })
      .where(and(eq(terminalSession.id, id), or(eq(is_finished, false), isEndedForItsNode)))
      .returning({ id: terminalSession.id })
    if (before?.is_finished)
      await chainAmendedSessions(
        kernel,
        tx,
        changed.map((row) => row.id),
      )
  })
}

/**
 * Renews the leases of all of a node's live sessions at once. Answers those that are still open:
 * the others were ended from elsewhere.
 */
export async function heartbeat(db: Database, ids: readonly string[]): Promise<string[]> {
  if (!ids.length) return []
  const rows = await db
    .update(terminalSession)
    .set({ date_last_active: sql`now()` })
    .where(and(inArray(terminalSession.id, [...ids]), eq(terminalSession.is_finished, false)))
    .returning({ id: terminalSession.id })
  return rows.map(({ id }) => id)
}

/**
 * Which of these sessions a node has said it carries within the time of a lease: also those that it
 * has just ended, as it may still be at their recording, but not those that were ended for it.
 */
export async function carriedSessions(db: Database, ids: readonly string[]): Promise<string[]> {
  if (!ids.length) return []
  const rows = await db
    .select({ id: terminalSession.id })
    .from(terminalSession)
    .where(
      and(
        inArray(terminalSession.id, [...ids]),
        gte(terminalSession.date_last_active, sql`now() - make_interval(secs => ${LEASE_SECONDS})`),
        sql`${isEndedForItsNode} IS NOT TRUE`,
      ),
    )
  return rows.map(({ id }) => id)
}

/**
 * Ends what a node carried when it was killed, also what was still connecting: at its start it
 * carries nothing. They end at the last sign of life. Answers how many there were.
 */
export async function endSessionsLeftBy(db: Database, terminalId: string): Promise<number> {
  const { rowCount } = await db
    .update(terminalSession)
    .set({ is_finished: true, date_end: sql`${terminalSession.date_last_active}` })
    .where(and(eq(terminalSession.is_finished, false), eq(terminalSession.terminal, terminalId)))
  return rowCount ?? 0
}

/**
 * Live sessions of a person, on a target, or of that person on that target, across all
 * organizations.
 */
export async function countLiveSessions(
  db: Database,
  { userId, target }: { userId?: string; target?: Target },
): Promise<number> {
  const [row] = await db
    .select({ count: sql<number>`count(*)::int` })
    .from(terminalSession)
    .where(
      and(
        eq(terminalSession.is_finished, false),
        userId === undefined ? undefined : eq(terminalSession.user_id, userId),
        target && and(eq(terminalSession.asset_id, target.id), eq(terminalSession.target_family, target.family)),
      ),
    )
  return row?.count ?? 0
}
