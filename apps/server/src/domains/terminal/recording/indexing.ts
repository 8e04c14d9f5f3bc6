import { setTimeout as delay } from 'node:timers/promises'
import { AppError } from '../../../kernel/errors/app-error.ts'
import type { ReplayFile } from '../replay-file.ts'
import { readIndex, type StoredIndex } from './stored-index.ts'
import { indexInThread, ThreadLost } from './threads.ts'

/** An uploaded recording that unpacks to more is read as a whole or not at all: a small file can hold very much. */
const MAX_BYTES = 4 * 1024 ** 3
/** Most recordings are indexed sooner: then one answer is enough. */
const PATIENCE_MS = 1500
const MAX_REMEMBERED = 1000

const running = new Map<string, Promise<void>>()
/** Packed files of which no index can be made, by path with their size. */
const unindexable = new Map<string, number>()

/**
 * The index of a recording. Older and uploaded ones have none: it is made when somebody first asks, and until then the answer is `running`;
 * `unavailable` when it can't be made.
 */
export async function indexOf(replay: ReplayFile): Promise<StoredIndex | 'running' | 'unavailable'> {
  const { path, suffix, bytes } = replay
  if (suffix !== '.cast.gz') return 'unavailable'
  const known = await readIndex(path)
  if (known) return known
  if (unindexable.get(path) === bytes) return 'unavailable'
  let job = running.get(path)
  if (!job) {
    job = makeIndex(replay).finally(() => running.delete(path))
    running.set(path, job)
  }
  const outcome = await Promise.race([job.then(() => 'done' as const, whyNot), delay(PATIENCE_MS, 'running' as const, { ref: false })])
  return outcome === 'done' ? ((await readIndex(path)) ?? 'unavailable') : outcome
}

/** With a long queue the player asks again; what else went wrong has nothing to do with the recording, which plays as a whole. */
function whyNot(error: unknown): 'running' | 'unavailable' {
  return error instanceof AppError ? 'running' : 'unavailable'
}

async function makeIndex({ path, bytes }: ReplayFile): Promise<void> {
  // No ending that the sweep of interrupted packings would take away.
  const task = { source: path, isPacked: true, target: path, suffix: '.indexing', maxBytes: MAX_BYTES }
  const indexed = await indexInThread(task).catch((error: unknown) => {
    if (isOfTheRecording(error)) return false
    throw error
  })
  if (indexed) return
  unindexable.set(path, bytes)
  for (const oldest of unindexable.keys()) {
    if (unindexable.size <= MAX_REMEMBERED) break
    unindexable.delete(oldest)
  }
}

/** Whether it will fail again: the recording is damaged or too much. A full disk or a long queue will pass. */
function isOfTheRecording(error: unknown): boolean {
  return error instanceof ThreadLost || String((error as NodeJS.ErrnoException).code).startsWith('Z_')
}

/** The index of a recording that is being played. Throws 409 while there is none. */
export async function readyIndexOf(replay: ReplayFile): Promise<StoredIndex> {
  const index = await indexOf(replay)
  if (typeof index !== 'string') return index
  throw new AppError(409, 'replay_not_indexed', 'This recording cannot be read in pieces.')
}
