import { randomUUID } from 'node:crypto'
import { type Call, callerOf } from '../../kernel/access/call.ts'
import { AppError, notFound } from '../../kernel/errors/app-error.ts'
import type { Gateway } from '../gateway.ts'
import { type StatementRequest, StatementRun } from './statement-run.ts'

/** Statements of this node's agents at a time, with answers that somebody may still read. */
const RUNS_MAX = 100
const RUNS_OF_ONE = 5
/** An answer waits so long for its agent. */
const KEPT_MS = 10 * 60_000

/** Statements that agents run on this node: one that waits for people outlives the call that began it. */
export class StatementRuns {
  readonly #gateway: Gateway
  readonly #runs = new Map<string, StatementRun>()

  constructor(gateway: Gateway) {
    this.#gateway = gateway
  }

  /** @throws AppError 429 where too many run */
  begin(call: Call, request: StatementRequest): string {
    const own = [...this.#runs].filter(([, { userId }]) => userId === callerOf(call).id)
    // The oldest answer that was not fetched makes room.
    const over = own.length >= RUNS_OF_ONE ? own.find(([, { state }]) => state === 'over') : undefined
    if (over) this.#runs.delete(over[0])
    else if (own.length >= RUNS_OF_ONE || this.#runs.size >= RUNS_MAX)
      throw new AppError(429, 'too_many_requests', 'Too many statements of agents are running: wait for one of them')
    const id = randomUUID()
    const run = new StatementRun(this.#gateway, call, request)
    this.#runs.set(id, run)
    const drop = () => this.#runs.delete(id)
    run.done.catch(() => {}).then(() => setTimeout(drop, KEPT_MS).unref())
    return id
  }

  /** One of the caller's own. Throws 404. */
  of(call: Call, id: string): StatementRun {
    const run = this.#runs.get(id)
    if (!run || run.userId !== callerOf(call).id) throw notFound()
    return run
  }

  /** Its answer has been read. */
  forget(id: string): void {
    this.#runs.delete(id)
  }
}
