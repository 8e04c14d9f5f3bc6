import { setTimeout as delay } from 'node:timers/promises'
import { AppError } from '../../../kernel/errors/app-error.ts'
import type { ReplayFile } from '../replay-file.ts'
import { readIndex, type StoredIndex } from './stored-index.ts'
import { packInThread } from './threads.ts'

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
  const done = await Promise.race([job.then(() => true), delay(PATIENCE_MS, false, { ref: false })])
  return done ? ((await readIndex(path)) ?? 'unavailable') : 'running'
}

async function makeIndex({ path, bytes }: ReplayFile): Promise<void> {
  // No ending that the sweep of interrupted packings would take away.
  const indexed = await packInThread({ source: path, isPacked: true, target: path, suffix: '.indexing', maxBytes: MAX_BYTES }).catch(
    () => false,
  )
  if (indexed) return
  unindexable.set(path, bytes)
  for (const oldest of unindexable.keys()) {
    if (unindexable.size <= MAX_REMEMBERED) break
    unindexable.delete(oldest)
  }
}

/** The index of a recording that is being played. Throws 409 while there is none. */
export async function readyIndexOf(replay: ReplayFile): Promise<StoredIndex> {
  const index = await indexOf(replay)
  if (typeof index !== 'string') return index
  throw new AppError(409, 'replay_not_indexed', 'This recording cannot be read in pieces.')
}
