import { type Call, callerOf } from '../../kernel/access/call.ts'
import { awaitedLater } from '../../kernel/background.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { StoredSession } from './session.resource.ts'
import { sessionInWords } from './session-in-words.ts'

/** A person who reads on in a recording for longer leaves another row. */
const READING_MS = 3_600_000
/** Limit of the readings that this node remembers; beyond it the oldest leave another row. */
const MAX_READINGS = 10_000

/** Notes that the caller takes a recording. */
export function noteDownload(kernel: Kernel, call: Call, session: StoredSession): Promise<void> {
  return kernel.audit.record(kernel.db, call, [
    {
      action: 'download',
      resourceType: 'Replay',
      resource: sessionInWords(session),
      orgId: session.org_id,
      object: { type: 'session', id: session.id },
    },
  ])
}

/**
 * Notes who reads a recording piece by piece, as the player does: all its pieces are the recording. One row
 * for as long as they read.
 */
export function replayReaders(kernel: Kernel): (call: Call, session: StoredSession) => Promise<void> {
  const readings = new Map<string, { at: number; noted: Promise<void> }>()
  return async (call, session) => {
    const key = `${callerOf(call).id} ${session.id}`
    const known = readings.get(key)
    if (known && performance.now() - known.at < READING_MS) return known.noted
    // Pieces that are asked for at once wait for the one row; without it, none is answered.
    const noted = awaitedLater(noteDownload(kernel, call, session))
    readings.delete(key)
    readings.set(key, { at: performance.now(), noted })
    const [oldest] = readings.keys()
    if (readings.size > MAX_READINGS && oldest) readings.delete(oldest)
    await noted.catch((error) => {
      readings.delete(key)
      throw error
    })
  }
}
