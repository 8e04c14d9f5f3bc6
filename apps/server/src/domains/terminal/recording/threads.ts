import { Worker } from 'node:worker_threads'
import type { ReplaySearch } from '@sallyport/contract/replay.ts'
import { AppError } from '../../../kernel/errors/app-error.ts'
import type { PackTask } from './pack.ts'
import type { ScreenTask } from './screen-now.ts'

export type RecordingTask =
  | ({ do: 'pack' } & PackTask)
  | ({ do: 'screen' } & ScreenTask)
  | { do: 'search'; path: string; wanted: string; seconds: number; hits: number }

/** Memory limit of a thread, whatever a recording contains. */
const MEMORY_MB = 512
/** Idle threads end after this. */
const IDLE_MS = 30_000

/** So many recordings are being read that this one could not be. */
export const tooManyRead = () => new AppError(503, 'busy', 'Too many recordings are being read. Try again in a moment.')

/** The thread ran out of memory or time before it answered. */
export class ThreadLost extends Error {}

interface Waiting {
  task: RecordingTask
  resolve: (result: unknown) => void
  reject: (error: Error) => void
}

/**
 * A few threads that run one task at a time, with a queue. They start when needed, and never keep
 * the process from ending.
 */
class Threads {
  readonly #size: number
  readonly #maxWaiting: number
  readonly #timeoutMs: number
  /** Threads without a task, each with the timer that ends it. */
  readonly #idle = new Map<Worker, NodeJS.Timeout>()
  readonly #waiting: Waiting[] = []
  #busy = 0

  constructor(size: number, maxWaiting: number, timeoutMs: number) {
    this.#size = size
    this.#maxWaiting = maxWaiting
    this.#timeoutMs = timeoutMs
  }

  /** Throws 503 when too many tasks wait, ThreadLost, or the error of the task. */
  run(task: RecordingTask): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#busy >= this.#size && this.#waiting.length >= this.#maxWaiting) return reject(tooManyRead())
      this.#waiting.push({ task, resolve, reject })
      this.#next()
    })
  }

  #next(): void {
    if (this.#busy >= this.#size) return
    const waiting = this.#waiting.shift()
    if (!waiting) return
    this.#busy++
    const worker = this.#take()
    const finish = (settle: () => void) => {
      clearTimeout(timer)
      worker.off('exit', lost).off('message', answered)
      this.#busy--
      settle()
      this.#next()
    }
    const lost = () =>
      finish(() => waiting.reject(new ThreadLost('the recording could not be read in the time and memory allowed')))
    const answered = (answer: { result: unknown } | { error: string; code?: string }) => {
      this.#rest(worker)
      finish(() =>
        'result' in answer
          ? waiting.resolve(answer.result)
          : waiting.reject(Object.assign(new Error(answer.error), { code: answer.code })),
      )
    }
    const timer = setTimeout(() => void worker.terminate(), this.#timeoutMs)
    timer.unref()
    worker.on('exit', lost).on('message', answered)
    worker.postMessage(waiting.task)
  }

  #take(): Worker {
    for (const [worker, timer] of this.#idle) {
      clearTimeout(timer)
      this.#idle.delete(worker)
      worker.ref()
      return worker
    }
    const worker = new Worker(new URL('./worker.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
    })
    // Errors outside of a task, and the memory limit, end the thread, which is handled there.
    worker.on('error', () => {})
    worker.on('exit', () => {
      clearTimeout(this.#idle.get(worker))
      this.#idle.delete(worker)
    })
    return worker
  }

  #rest(worker: Worker): void {
    worker.unref()
    const timer = setTimeout(() => void worker.terminate(), IDLE_MS)
    timer.unref()
    this.#idle.set(worker, timer)
  }
}

/** Unbounded, since any number of sessions may end at once, and a waiting task takes little memory. */
const packing = new Threads(2, Number.POSITIVE_INFINITY, 15 * 60_000)
/** For older recordings that somebody opens; sessions that end do not wait for them. */
const indexing = new Threads(1, 16, 15 * 60_000)
/** People wait for these. */
const searching = new Threads(1, 8, 30_000)
const SEARCH_SECONDS = 15
const SEARCH_HITS = 100
/** People who join a running session wait for these; without an answer they are shown less. */
const showing = new Threads(1, 64, 10_000)

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
