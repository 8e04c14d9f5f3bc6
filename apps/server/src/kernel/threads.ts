import { parentPort, Worker } from 'node:worker_threads'
import { awaitedLater, inBackground } from './background.ts'
import { Slots } from './slots.ts'

/** Idle threads end after this. */
const IDLE_MS = 30_000

/** The thread ran out of memory or time before it answered. */
export class ThreadLost extends Error {}

export interface ThreadLimits {
  /** Threads at a time. */
  size: number
  /** Tasks that may wait for one. */
  maxWaiting: number
  /** Likewise of one owner; as many as of all where it is not given. */
  maxWaitingOfOwner?: number
  /** A task that takes longer is given up, and its thread with it. */
  timeoutMs: number
  /**
   * Likewise one that takes so much of a processor. Where that is the limit, the other may be far: on a busy machine
   * a task of little work takes long by the clock.
   */
  processorMs?: number
  /** Memory limit of a thread, for any task. */
  memoryMb: number
}

/**
 * A few threads that run one task at a time, with a queue. They start when needed, and never keep
 * the process from ending. Their file calls `serveTasks`.
 */
export class Threads<Task> {
  readonly #file: URL
  readonly #limits: ThreadLimits
  readonly #tooMany: () => Error
  readonly #slots: Slots
  /** Threads without a task, each with the timer that ends it. */
  readonly #idle = new Map<Worker, NodeJS.Timeout>()

  /** @param tooMany what is thrown when too many tasks wait */
  constructor(file: URL, limits: ThreadLimits, tooMany: () => Error) {
    this.#file = file
    this.#limits = limits
    this.#tooMany = tooMany
    this.#slots = new Slots(limits.size)
  }

  /**
   * Answers what the task does. Owners take turns. Throws `tooMany()`, ThreadLost, or an error with
   * the message and the code of the task's own.
   */
  async run(task: Task, owner = ''): Promise<unknown> {
    const { maxWaiting, maxWaitingOfOwner = maxWaiting } = this.#limits
    if (this.#slots.waiting >= maxWaiting || this.#slots.waitingOf(owner) >= maxWaitingOfOwner) throw this.#tooMany()
    return this.#slots.use(() => this.#runOne(task), owner)
  }

  #runOne(task: Task): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const worker = this.#take()
      const { timeoutMs, processorMs } = this.#limits
      const stopWatching = processorMs === undefined ? undefined : endWhenSpent(worker, processorMs)
      const finish = () => {
        clearTimeout(timer)
        stopWatching?.()
        worker.off('exit', lost).off('message', answered)
      }
      const lost = () => {
        finish()
        reject(new ThreadLost('this could not be read in the time and memory allowed'))
      }
      const answered = (answer: { result: unknown } | { error: string; code?: string }) => {
        finish()
        this.#rest(worker)
        if ('result' in answer) resolve(answer.result)
        else reject(Object.assign(new Error(answer.error), { code: answer.code }))
      }
      const timer = setTimeout(() => inBackground(worker.terminate()), timeoutMs)
      timer.unref()
      worker.on('exit', lost).on('message', answered)
      worker.postMessage(task)
    })
  }

  #take(): Worker {
    for (const [worker, timer] of this.#idle) {
      clearTimeout(timer)
      this.#idle.delete(worker)
      worker.ref()
      return worker
    }
    const worker = new Worker(this.#file, { resourceLimits: { maxOldGenerationSizeMb: this.#limits.memoryMb } })
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
    const timer = setTimeout(() => inBackground(worker.terminate()), IDLE_MS)
    timer.unref()
    this.#idle.set(worker, timer)
  }
}

/** Ends the thread once it has taken so much more of a processor; answers how to let it be. */
function endWhenSpent(worker: Worker, limitMs: number): () => void {
  const before = awaitedLater(spentBy(worker))
  let timer: NodeJS.Timeout
  let isOver = false
  const look = async () => {
    const left = limitMs - ((await spentBy(worker)) - (await before))
    if (isOver) return
    if (left <= 0) await worker.terminate()
    // No sooner can it have taken that.
    else lookIn(left)
  }
  const lookIn = (ms: number) => {
    timer = setTimeout(() => inBackground(look()), Math.ceil(ms))
    timer.unref()
  }
  lookIn(limitMs)
  return () => {
    isOver = true
    clearTimeout(timer)
  }
}

/** Milliseconds that a thread has taken of a processor; none before it has begun, nor once it has ended. */
async function spentBy(worker: Worker): Promise<number> {
  const { user, system } = await worker.cpuUsage().catch(() => ({ user: 0, system: 0 }))
  return (user + system) / 1000
}

/** In a thread: answers each task by what `done` makes of it. */
export function serveTasks<Task>(done: (task: Task) => Promise<unknown>): void {
  const answer = async (task: Task) => {
    try {
      parentPort?.postMessage({ result: await done(task) })
    } catch (error) {
      const { message, code } = error as NodeJS.ErrnoException
      parentPort?.postMessage({ error: message, code })
    }
  }
  parentPort?.on('message', (task: Task) => inBackground(answer(task)))
}
