import { setTimeout as delay } from 'node:timers/promises'
import { and, asc, eq, isNull, sql } from 'drizzle-orm'
import type { Kernel } from '../../../kernel/kernel.ts'
import { withRecordingLock } from '../recording/recording-lock.ts'
import { removeReplay } from '../recording/replay-file.ts'
import { terminalRecordingMoveItem as item } from '../tables.ts'
import { drop, type Move, sessionNow } from './ledger.ts'
import { type Place, requireOwnDisk } from './places.ts'

const BATCH = 100

interface Clearing {
  /** So long after a recording was moved its files stay in the old storage. */
  graceMs: number
  /** Whether to wait for those that were moved just now. */
  toTheEnd: boolean
  cleared(session: string): Promise<void> | void
}

/** Removes from the old storage what has been moved; where that fails its files are left, and named. */
export async function clearSources(
  kernel: Kernel,
  move: Move,
  source: Place,
  { graceMs, toTheEnd, cleared }: Clearing,
): Promise<void> {
  for (;;) {
    const moved = await kernel.db
      .select({
        session: item.session,
        wait: sql<number>`(${graceMs} - extract(epoch FROM now() - date_moved) * 1000)::float8`,
      })
      .from(item)
      .where(and(eq(item.move, move.id), eq(item.state, 'moved'), isNull(item.reason)))
      .orderBy(asc(item.date_moved))
      .limit(BATCH)
    const [oldest] = moved
    if (!oldest) return
    if (oldest.wait > 0) {
      if (!toTheEnd) return
      await delay(oldest.wait)
      continue
    }
    for (const { session, wait } of moved) {
      if (wait > 0) break
      await withRecordingLock(kernel.pool, session, () => clearOne(kernel, move, source, session))
      await cleared(session)
    }
  }
}

async function clearOne(kernel: Kernel, move: Move, source: Place, id: string): Promise<void> {
  const { app, db } = kernel
  const session = await sessionNow(db, id)
  try {
    // Unless another move has brought it back.
    if (session && session.replay_storage !== source.pointer) {
      await requireOwnDisk(kernel, source, session)
      await removeReplay(source.store, session)
    }
    await drop(db, move, id)
  } catch (error) {
    app.log.warn({ err: error, session: id, move: move.id }, 'the files of a moved recording could not be deleted')
    await db
      .update(item)
      .set({ reason: 'left' })
      .where(and(eq(item.move, move.id), eq(item.session, id)))
  }
}
