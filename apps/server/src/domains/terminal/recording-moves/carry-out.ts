import { setTimeout as delay } from 'node:timers/promises'
import { eq } from 'drizzle-orm'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { TaskLog } from '../../ops/index.ts'
import { withRecordingLock } from '../recording/recording-lock.ts'
import { removeReplay } from '../recording/replay-file.ts'
import { terminalRecordingMove } from '../tables.ts'
import { clearSources } from './clear-sources.ts'
import { copyRecording, type MovedSession, NotMoved, type Pace } from './copy-recording.ts'
import { drop, endMove, type Move, nextSessions, noteFault, progressOf, sessionNow, switchPointer } from './ledger.ts'
import { type Place, placeOf, requireOwnDisk, requireTwoPlaces } from './places.ts'

const MEGABYTE = 1024 * 1024
/** A line of progress is written at most this often. */
const NOTE_MS = 5_000
/**
 * Time for which an old storage keeps the files of a moved recording: a reader that looked up its
 * place just before still opens it there.
 */
const GRACE_MS = 15_000
/** A job has a day. */
const A_RUN_MS = 23 * 3_600_000

export interface MoveTask {
  move: string
  log: TaskLog
  signal: AbortSignal
}

/** What trials of single steps need. */
export interface MoveOptions {
  graceMs?: number
  at?: (step: 'copied' | 'switched' | 'cleared', session: string) => Promise<void> | void
}

/**
 * A storage does not answer any more, or is full, or a job may take no longer: what is left waits
 * until somebody goes on.
 */
export class MoveStopped extends Error {
  override name = 'MoveStopped'
}

/**
 * Moves the recordings of a move that are still to be moved, one after the other: the files are
 * copied and read back, then the session's row names the new storage, and only then the old files
 * go. If something breaks off in between, a recording is where its row says, and the next run
 * begins with the rest. A recording that cannot be moved stays, with its reason. Throws
 * MoveStopped, and the signal's reason.
 */
export async function carryOutMove(
  kernel: Kernel,
  { move: id, log, signal }: MoveTask,
  { graceMs = GRACE_MS, at = () => {} }: MoveOptions = {},
): Promise<Record<string, unknown>> {
  const { db } = kernel
  const [move] = await db
    .update(terminalRecordingMove)
    .set({ date_finished: null, reason: null })
    .where(eq(terminalRecordingMove.id, id))
    .returning()
  const [source, target] = move ? [await placeOf(kernel, move.source), await placeOf(kernel, move.target)] : []
  if (!move || !source || !target) return {}
  await requireTwoPlaces(kernel, source, target)
  const moving = { kernel, move, source, target, at, signal, pace: paceOf(move.rate_limit * MEGABYTE, signal) }
  const clear = (toTheEnd: boolean) =>
    clearSources(kernel, move, source, { graceMs, toTheEnd, cleared: (session) => at('cleared', session) })
  let notedAt = 0
  const until = performance.now() + A_RUN_MS
  while (!signal.aborted) {
    if (performance.now() > until) throw new MoveStopped('It has taken a day: go on with it')
    const sessions = await nextSessions(db, move)
    if (!sessions.length) break
    for (const session of sessions) {
      if (signal.aborted) break
      await moveOne(moving, session)
      if (Date.now() - notedAt < NOTE_MS) continue
      notedAt = Date.now()
      await log(await progressOf(db, move))
    }
    await clear(false)
  }
  await log(await progressOf(db, move))
  // Also for a cancelled move: its moved recordings are read elsewhere by now.
  await clear(true)
  signal.throwIfAborted()
  return endMove(db, move)
}

interface Moving {
  kernel: Kernel
  move: Move
  source: Place
  target: Place
  at: NonNullable<MoveOptions['at']>
  signal: AbortSignal
  pace: Pace
}

function moveOne(moving: Moving, session: string): Promise<void> {
  const { kernel, move, source, target, at } = moving
  const { db } = kernel
  return withRecordingLock(kernel.pool, session, async () => {
    const now = await sessionNow(db, session)
    // Another move was quicker.
    if (!now || now.replay_storage !== source.pointer) return drop(db, move, session)
    const bytes = await tryToCopy(moving, now)
    if (bytes === undefined) return
    await at('copied', session)
    if (!(await switchPointer(db, { move, source, target }, now, bytes))) {
      // Its age, or somebody, removed it meanwhile. Where it is there by another way, it stays.
      if ((await sessionNow(db, session))?.replay_storage !== target.pointer) await removeReplay(target.store, now)
      await drop(db, move, session)
    }
    await at('switched', session)
  })
}

/** The bytes that were copied; undefined where the recording stays. Throws MoveStopped. */
async function tryToCopy(moving: Moving, session: MovedSession): Promise<number | undefined> {
  const { kernel, move, source, target, pace, signal } = moving
  try {
    for (const place of [source, target]) await requireOwnDisk(kernel, place, session)
    return await copyRecording(source.store, target.store, session, pace)
  } catch (error) {
    if (signal.aborted) return undefined
    if (error instanceof NotMoved) return noteFault(kernel.db, move, session.id, error.fault)
    kernel.app.log.warn({ err: error, session: session.id, move: move.id }, 'a recording could not be moved')
    await requireBoth(source, target, error)
    return noteFault(kernel.db, move, session.id, 'refused')
  }
}

/** Throws MoveStopped where it is not about one recording. */
async function requireBoth(source: Place, target: Place, cause: unknown): Promise<void> {
  if ((cause as NodeJS.ErrnoException).code === 'ENOSPC') throw new MoveStopped('The disk is full', { cause })
  for (const { store } of [source, target])
    await store.check().catch((error) => {
      throw new MoveStopped('A storage does not answer, or refuses everything', { cause: error })
    })
}

/** No more than so many bytes in a second, from one file to the next. */
function paceOf(bytesPerSecond: number, signal: AbortSignal): Pace {
  let begin = performance.now()
  return async (bytes) => {
    const wait = begin + (bytes / bytesPerSecond) * 1000 - performance.now()
    if (wait > 0) await delay(wait, undefined, { signal })
    begin = performance.now()
  }
}
