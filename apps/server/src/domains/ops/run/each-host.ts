import { awaitedLater } from '../../../kernel/background.ts'
import { Slots } from '../../../kernel/slots.ts'

/** Machines of one run at a time (docs/rules/ops.md#adhoc). */
const OF_A_RUN = 10

/** Machines of all tasks of this node at a time: a thousand machines must not mean a thousand connections. */
const ofTasks = new Slots(50)

export interface EachHost {
  /** Once it is aborted no further machine is begun. */
  signal?: AbortSignal
  /** What it shares with other runs of this node; those with a time limit have slots of their own. */
  slots?: Slots
}

/** Does the work on each machine: some of a run at a time, and so many as the slots allow. Never begins one twice. */
export async function eachHost<H>(
  hosts: readonly H[],
  work: (host: H) => Promise<void>,
  { signal, slots = ofTasks }: EachHost = {},
): Promise<void> {
  const queue = hosts.values()
  const worker = async () => {
    for (const host of queue) {
      if (signal?.aborted) return
      await slots.use(async () => {
        if (!signal?.aborted) await work(host)
      })
    }
  }
  await Promise.all(Array.from({ length: Math.min(OF_A_RUN, hosts.length) }, worker))
}

const GATHER_MS = 200

/** Stores what comes one by one in batches: a thousand machines must not mean a thousand writes a second. */
export class Gathered<T> {
  readonly #store: (items: readonly T[]) => Promise<void>
  readonly #items: T[] = []
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()

  constructor(store: (items: readonly T[]) => Promise<void>) {
    this.#store = store
  }

  add(item: T): void {
    this.#items.push(item)
    this.#timer ??= setTimeout(() => void this.flush().catch(() => {}), GATHER_MS)
  }

  /** Settles once all is stored; rejected where some could not be. */
  flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#writing = awaitedLater(this.#writing.then(() => this.#store(this.#items.splice(0))))
    return this.#writing
  }
}
