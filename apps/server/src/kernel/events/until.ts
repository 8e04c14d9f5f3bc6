import { type Events, RECONNECTED } from './events.ts'

/** An event may be lost, so what is waited for is also read this often. */
const POLL_MS = 5000

/** A read that takes longer counts as a fault. */
const ANSWER_MS = 5000

interface Wait<T> {
  /** Tells that what is read may have changed. */
  event: string
  /** Whether an event of that name is about what is waited for. */
  concerns(payload: Record<string, unknown>): boolean
  read(): Promise<T>
  isOver(value: T): boolean
  signal: AbortSignal
}

/**
 * Reads until it is over. Answers what was read last when the signal aborts first.
 * @throws when it can't be read, or not within five seconds
 */
export function until<T>(events: Events, { event, concerns, read, isOver, signal }: Wait<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    let done = false
    const finish = (act: () => void) => {
      if (done) return
      done = true
      clearInterval(timer)
      for (const stop of stops) stop()
      signal.removeEventListener('abort', look)
      act()
    }
    const look = () => {
      const late = setTimeout(
        () => finish(() => reject(new Error('the database does not answer in time'))),
        ANSWER_MS,
      ).unref()
      read()
        .then(
          (value) => {
            if (signal.aborted || isOver(value)) finish(() => resolve(value))
          },
          (error) => finish(() => reject(error)),
        )
        .finally(() => clearTimeout(late))
    }
    const timer = setInterval(look, POLL_MS)
    const stops = [
      events.subscribe(event, (payload) => (concerns(payload) ? look() : undefined)),
      events.subscribe(RECONNECTED, look),
    ]
    signal.addEventListener('abort', look)
    look()
  })
}
