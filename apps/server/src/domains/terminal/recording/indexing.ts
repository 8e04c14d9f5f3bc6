import { setTimeout as delay } from 'node:timers/promises'
import { awaitedLater } from '../../../kernel/background.ts'
import { AppError } from '../../../kernel/errors/app-error.ts'
import { ThreadLost } from '../../../kernel/threads.ts'
import { STATEMENTS } from '../replay-suffix.ts'
import { isDamaged } from './packed-file.ts'
import type { ReplayFile } from './replay-file.ts'
import { filesBeside, readIndex, type StoredIndex } from './stored-index.ts'
import { indexInThread } from './threads.ts'

/**
 * An uploaded recording that unpacks to more is not indexed: a small file can expand to very much.
 */
const MAX_BYTES = 4 * 1024 ** 3
/** Most recordings are indexed within this time, so that one answer is enough. */
const TIMEOUT_MS = 1500
const MAX_REMEMBERED = 1000

const running = new Map<string, Promise<void>>()
/** Packed files that can't be indexed: name → version. */
const unindexable = new Map<string, string>()

/**
 * The index of a recording. Older and uploaded recordings have none: it is created when somebody
 * first asks, and the answer is `running` until then, or `unavailable` if it can't be created.
 */
export async function indexOf(replay: ReplayFile): Promise<StoredIndex | 'running' | 'unavailable'> {
  const { name, suffix, version } = replay
  if (suffix === STATEMENTS) return 'unavailable'
  const known = await readIndex(replay)
  if (known) return known
  if (unindexable.get(name) === version) return 'unavailable'
  let job = running.get(name)
  if (!job) {
    job = awaitedLater(makeIndex(replay).finally(() => running.delete(name)))
    running.set(name, job)
  }
  const outcome = await Promise.race([
    job.then(() => 'done' as const, whyNot),
    delay(TIMEOUT_MS, 'running' as const, { ref: false }),
  ])
  return outcome === 'done' ? ((await readIndex(replay)) ?? 'unavailable') : outcome
}

/**
 * While the queue is full the player asks again. Any other failure does not concern the recording,
 * which can still be played as a whole.
 */
function whyNot(error: unknown): 'running' | 'unavailable' {
  return error instanceof AppError ? 'running' : 'unavailable'
}

async function makeIndex({ store, name, version }: ReplayFile): Promise<void> {
  const target = await store.draft(name)
  const indexed = await store
    // Another suffix than interrupted packings have, which crash recovery removes.
    .withLocalFile(name, (source) =>
      indexInThread({ source, isPacked: true, target, suffix: '.indexing', maxBytes: MAX_BYTES }),
    )
    .catch((error: unknown) => {
      if (isOfTheRecording(error)) return false
      throw error
    })
  const { screens, index } = filesBeside(name)
  // Packed again, so that it can be read in pieces. The index comes last, as it vouches for the
  // other files.
  if (indexed) for (const made of [name, screens, index]) await store.keep(made)
  if (indexed) return
  unindexable.set(name, version)
  for (const oldest of unindexable.keys()) {
    if (unindexable.size <= MAX_REMEMBERED) break
    unindexable.delete(oldest)
  }
}

/**
 * Whether it would fail again because the recording is damaged or too large. A full disk or a long
 * queue is temporary.
 */
function isOfTheRecording(error: unknown): boolean {
  return error instanceof ThreadLost || isDamaged(error)
}

/** The index of a recording that is being played. Throws 409 while there is none. */
export async function readyIndexOf(replay: ReplayFile): Promise<StoredIndex> {
  const index = await indexOf(replay)
  if (typeof index !== 'string') return index
  throw new AppError(409, 'replay_not_indexed', 'This recording cannot be read in pieces.')
}
