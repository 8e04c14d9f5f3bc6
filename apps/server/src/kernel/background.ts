import type { FastifyBaseLogger } from 'fastify'

type Log = Pick<FastifyBaseLogger, 'error'>

/** The log of the server that was opened last; threads and commands have none. */
let log: Log | undefined

/** Has faults of the background told there. */
export function logBackgroundTo(one: Log): void {
  log = one
}

/** Logs a fault that nobody was waiting for. */
export function noteBackgroundFault(error: unknown): void {
  if (log) log.error({ err: error }, 'work in the background failed')
  else console.error('work in the background failed', error)
}

/**
 * The door of work that nobody waits for: its fault is logged, and the process goes on. Without it a
 * promise that fails ends the node, with the sessions of everybody (`scripts/check-promises.mjs`).
 */
export function inBackground(work: Promise<unknown> | undefined): void {
  work?.catch(noteBackgroundFault)
}

/**
 * Work that begins now and is awaited later, after something else or by another caller. Those who
 * await it get its error; where nobody does, because something else failed first, the error is
 * dropped.
 */
export function awaitedLater<T>(work: Promise<T>): Promise<T> {
  work.catch(() => {})
  return work
}
