import { and, asc, eq, sql } from 'drizzle-orm'
import type { Database } from '../../../kernel/database/database.ts'
import { type MoveFault, terminalRecordingMove, terminalRecordingMoveItem, terminalSession } from '../tables.ts'
import type { MovedSession } from './copy-recording.ts'
import type { Place } from './places.ts'

/** What of a move is done, and what is left, as the database has it. */
export type Move = typeof terminalRecordingMove.$inferSelect

const BATCH = 100
const item = terminalRecordingMoveItem
const itemOf = ({ id }: Pick<Move, 'id'>, session: string) => and(eq(item.move, id), eq(item.session, session))

/** Sessions whose recordings wait to be moved. */
export async function nextSessions(db: Database, { id }: Move): Promise<string[]> {
  const rows = await db
    .select({ session: item.session })
    .from(item)
    .where(and(eq(item.move, id), eq(item.state, 'waiting')))
    .orderBy(asc(item.session))
    .limit(BATCH)
  return rows.map(({ session }) => session)
}

/** Where the recording of a session is now. */
export async function sessionNow(db: Database, session: string): Promise<MovedSession | undefined> {
  const { id, date_start, replay_sha256, replay_storage, terminal } = terminalSession
  const [row] = await db
    .select({ id, date_start, replay_sha256, replay_storage, terminal })
    .from(terminalSession)
    .where(eq(id, session))
  return row
}

/** Has the session name its new storage; false where its recording is no more in the old one. */
export function switchPointer(
  db: Database,
  { move, source, target }: { move: Move; source: Place; target: Place },
  session: MovedSession,
  bytes: number,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    const { id, replay_storage } = terminalSession
    const { rowCount } = await tx
      .update(terminalSession)
      .set({ replay_storage: target.pointer })
      .where(and(eq(id, session.id), sql`${replay_storage} IS NOT DISTINCT FROM ${source.pointer}`))
    if (!rowCount) return false
    await tx.update(item).set({ state: 'moved', reason: null, date_moved: sql`now()` }).where(itemOf(move, session.id))
    await tx
      .update(terminalRecordingMove)
      .set({ moved: sql`moved + 1`, bytes: sql`bytes + ${bytes}` })
      .where(eq(terminalRecordingMove.id, move.id))
    return true
  })
}

/** Notes why a recording stays where it is. */
export async function noteFault(db: Database, move: Move, session: string, reason: MoveFault): Promise<undefined> {
  await db.update(item).set({ state: 'failed', reason }).where(itemOf(move, session))
}

/** Nothing is left to do for that session. */
export async function drop(db: Database, move: Pick<Move, 'id'>, session: string): Promise<void> {
  await db.delete(item).where(itemOf(move, session))
}

/** How many recordings of each of these moves stayed where they were. */
export async function countFailed(db: Database, moves: readonly string[]): Promise<Map<string, number>> {
  const { rows } = await db.execute<{ move: string; count: number }>(sql`
    SELECT move, count(*)::int AS count FROM terminal_recording_move_item
    WHERE move = ANY(${sql.param([...moves])}::uuid[]) AND state = 'failed' GROUP BY move`)
  return new Map(rows.map(({ move, count }) => [move, count]))
}

/** How a move stands, as its log says it. */
export async function progressOf(db: Database, { id }: Move): Promise<string> {
  const [now] = await db.select().from(terminalRecordingMove).where(eq(terminalRecordingMove.id, id))
  const failed = (await countFailed(db, [id])).get(id) ?? 0
  return `moved=${now?.moved} of ${now?.amount} (${now?.bytes} bytes) failed=${failed}`
}

/** Notes that all was tried; answers the result of the task. */
export async function endMove(db: Database, { id }: Move): Promise<Record<string, unknown>> {
  const [ended] = await db
    .update(terminalRecordingMove)
    .set({ date_finished: sql`now()` })
    .where(eq(terminalRecordingMove.id, id))
    .returning({ moved: terminalRecordingMove.moved })
  return { success: ended?.moved ?? 0, failed: (await countFailed(db, [id])).get(id) ?? 0, skipped: 0 }
}
