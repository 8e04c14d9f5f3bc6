import type { Kernel } from '../../../kernel/kernel.ts'

const CANCELLED = 'ops.run_cancelled'

/** The reason of a cancelled run. */
export class Cancelled extends Error {
  override name = 'Cancelled'

  constructor() {
    super('Cancelled')
  }
}

/** Tells the node that carries out a run to end it; a run that is over or unknown stays as it is. */
export function cancelRun({ events }: Pick<Kernel, 'events'>, id: string): Promise<void> {
  return events.publish(CANCELLED, { id })
}

/** The runs of one kind that this node carries out, each ended early by `cancelRun` on any node. */
export class CancellableRuns {
  readonly #running = new Map<string, AbortController>()

  /** `reason` makes what the signal of a cancelled run is aborted with. */
  constructor({ events }: Pick<Kernel, 'events'>, reason: () => Error) {
    events.subscribe(CANCELLED, ({ id }) => this.#running.get(String(id))?.abort(reason()))
  }

  /** Does the work of a run, which may be cancelled until it is done. */
  async during<T>(id: string, work: (cancelled: AbortSignal) => Promise<T>): Promise<T> {
    const cancelling = new AbortController()
    this.#running.set(id, cancelling)
    try {
      return await work(cancelling.signal)
    } finally {
      this.#running.delete(id)
    }
  }
}
