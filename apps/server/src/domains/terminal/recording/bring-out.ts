import { and, asc, eq, isNotNull } from 'drizzle-orm'
import type { Kernel } from '../../../kernel/kernel.ts'
import { terminalSession } from '../tables.ts'
import { withRecordingLock } from './recording-lock.ts'
import { recordingStore, replayNames } from './replay-file.ts'
import { outsideStore } from './storages/outside-stores.ts'
import type { RecordingStore } from './store/recording-store.ts'

type MovingKernel = Pick<Kernel, 'app' | 'db' | 'pool' | 'config' | 'secrets'>

/** Recordings of one round; the next begins with those that waited longest. */
const A_ROUND = 200

/**
 * Brings recordings that are due to the storage outside that is to have them, the oldest first:
 * those of this terminal, or of all where nodes share a store. What fails stays where it is, and is
 * tried again in the next round; a storage that does not answer is left alone for this one.
 */
export async function bringRecordingsOut(kernel: MovingKernel, terminalId: string): Promise<void> {
  const { id, date_start, replay_due, terminal } = terminalSession
  const due = await kernel.db
    .select({ id, date_start, replay_due })
    .from(terminalSession)
    .where(and(isNotNull(replay_due), recordingStore(kernel.config).ofThisNode ? eq(terminal, terminalId) : undefined))
    .orderBy(asc(date_start))
    .limit(A_ROUND)
  const away = new Set<string>()
  for (const session of due) {
    const storage = session.replay_due ?? ''
    if (away.has(storage)) continue
    try {
      await withRecordingLock(kernel.pool, session.id, () => bringOut(kernel, session, storage))
    } catch (error) {
      away.add(storage)
      kernel.app.log.warn({ err: error, session: session.id, storage }, 'a recording waits for its storage')
    }
  }
}

async function bringOut(
  kernel: MovingKernel,
  session: { id: string; date_start: Date },
  storage: string,
): Promise<void> {
  const here = recordingStore(kernel.config)
  const there = await outsideStore(kernel, storage)
  const copied: string[] = []
  for (const name of replayNames(session)) if (there && (await copy(here, there, name))) copied.push(name)
  const { id, replay_due } = terminalSession
  await kernel.db
    .update(terminalSession)
    .set({ replay_due: null, ...(copied.length ? { replay_storage: storage } : {}) })
    .where(and(eq(id, session.id), eq(replay_due, storage)))
  // From now on it is read there; what a crash leaves here goes with its age.
  for (const name of copied) await here.remove(name)
}

/** Answers whether there was such a file. Throws unless all of it has arrived. */
async function copy(here: RecordingStore, there: RecordingStore, name: string): Promise<boolean> {
  const file = await here.find(name)
  if (!file) return false
  await here.withLocalFile(name, (path) => there.take(name, path))
  const arrived = await there.find(name)
  if (arrived?.bytes !== file.bytes) throw new Error(`${name} has ${arrived?.bytes} of ${file.bytes} bytes there`)
  return true
}
