import type { ReplaySearch } from '@sallyport/contract/replay.ts'
import { AppError } from '../../../kernel/errors/app-error.ts'
import { Threads } from '../../../kernel/threads.ts'
import type { PackTask } from './pack.ts'
import type { ScreenTask } from './screen-now.ts'

export type RecordingTask =
  | ({ do: 'pack' } & PackTask)
  | ({ do: 'screen' } & ScreenTask)
  | { do: 'search'; path: string; wanted: string; seconds: number; hits: number }

/** Memory limit of a thread, whatever a recording contains. */
const MEMORY_MB = 512
/** So many recordings are being read that this one could not be. */
export const tooManyRead = () => new AppError(503, 'busy', 'Too many recordings are being read. Try again in a moment.')

const threads = (size: number, maxWaiting: number, timeoutMs: number) =>
  new Threads<RecordingTask>(
    new URL('./worker.ts', import.meta.url),
    { size, maxWaiting, timeoutMs, memoryMb: MEMORY_MB },
    tooManyRead,
  )

/** Unbounded, since any number of sessions may end at once, and a waiting task takes little memory. */
const packing = threads(2, Number.POSITIVE_INFINITY, 15 * 60_000)
/** For older recordings that somebody opens; sessions that end do not wait for them. */
const indexing = threads(1, 16, 15 * 60_000)
/** People wait for these. */
const searching = threads(1, 8, 30_000)
const SEARCH_SECONDS = 15
const SEARCH_HITS = 100
/** People who join a running session wait for these; without an answer they are shown less. */
const showing = threads(1, 64, 10_000)

/** Packs in a thread, see `packCast`. */
export function packInThread(task: PackTask): Promise<boolean> {
  return packing.run({ do: 'pack', ...task }) as Promise<boolean>
}

/** Makes the index of a packed recording. Throws 503 when too many wait. */
export function indexInThread(task: PackTask): Promise<boolean> {
  return indexing.run({ do: 'pack', ...task }) as Promise<boolean>
}

/** Finds text in a packed recording; answers the first hits. Throws 503 when too many search. */
export function searchInThread(
  path: string,
  wanted: string,
  seconds = SEARCH_SECONDS,
  hits = SEARCH_HITS,
): Promise<ReplaySearch> {
  return searching.run({ do: 'search', path, wanted, seconds, hits }) as Promise<ReplaySearch>
}

/**
 * The screen of a recording that is still being written, see `screenNow`. Throws 503 when too many
 * ask, and ThreadLost.
 */
export function screenInThread(task: ScreenTask): Promise<string> {
  return showing.run({ do: 'screen', ...task }) as Promise<string>
}
