import type { FastifyBaseLogger } from 'fastify'
import type { NewCommand } from '../../domains/terminal/index.ts'
import { withRetries } from './retry.ts'

/**
 * Rows are stored together once there are so many, or after this time (contract/gateway.yaml
 * command_upload).
 */
const BATCH_ROWS = 5
const BATCH_MS = 2000
/** If the database does not answer, rows are dropped rather than memory used up. */
const MAX_WAITING = 1000
/** The pause between attempts grows to this many times BATCH_MS. */
const MAX_PAUSE = 15

/**
 * Collects a session's commands and stores them in batches, trying again after failures. A long
 * failure drops the oldest.
 */
export class CommandStore {
  readonly #store: (rows: readonly NewCommand[]) => Promise<void>
  readonly #log: FastifyBaseLogger
  #waiting: NewCommand[] = []
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> = Promise.resolve()
  #failures = 0
  #closed = false

  constructor(store: (rows: readonly NewCommand[]) => Promise<void>, log: FastifyBaseLogger) {
    this.#store = store
    this.#log = log
  }

  add(command: NewCommand): void {
    this.#waiting.push(command)
    if (this.#waiting.length > MAX_WAITING) {
      this.#waiting.shift()
      this.#log.error({ session: command.session }, 'command dropped: the store does not take it')
    }
    // After a failure the next try is the timer's: whoever types must not hammer at the database.
    if (this.#waiting.length >= BATCH_ROWS && this.#failures === 0) void this.#flush()
    else this.#timer ??= setTimeout(() => void this.#flush(), BATCH_MS)
  }

  /** Stores the rest, with a bounded number of attempts. */
  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    await this.#running
    const rows = this.#waiting.splice(0)
    try {
      if (rows.length) await withRetries(() => this.#store(rows))
    } catch (error) {
      this.#log.error({ err: error, rows: rows.length }, 'commands lost: the store does not take them')
    }
  }

  #flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#running = this.#running.then(async () => {
      const rows = this.#waiting.splice(0)
      if (!rows.length) return
      try {
        await this.#store(rows)
        this.#failures = 0
      } catch (error) {
        this.#failures++
        this.#log.error({ err: error, rows: rows.length }, 'commands could not be stored')
        this.#waiting.unshift(...rows)
        if (!this.#closed)
          this.#timer ??= setTimeout(() => void this.#flush(), BATCH_MS * Math.min(this.#failures, MAX_PAUSE))
      }
    })
    return this.#running
  }
}
