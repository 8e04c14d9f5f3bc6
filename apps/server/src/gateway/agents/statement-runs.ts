import { randomUUID } from 'node:crypto'
import { addAgentUse } from '../../domains/authentication/index.ts'
import { type Call, callerOf } from '../../kernel/access/call.ts'
import { inBackground } from '../../kernel/background.ts'
import { AppError } from '../../kernel/errors/app-error.ts'
import type { Gateway } from '../gateway.ts'
import type { AgentAtWork } from './marked-call.ts'
import { type StatementRequest, StatementRun } from './statement-run.ts'

/** Statements of this node's agents at a time, and answers that somebody may still read. */
const RUNS_MAX = 100
const RUNS_OF_ONE = 5
/** An answer waits so long for its agent. */
const KEPT_MS = 10 * 60_000

/** Statements that agents run on this node: one that waits for people outlives the call that began it. */
export class StatementRuns {
  readonly #gateway: Gateway
  readonly #most: number
  readonly #runs = new Map<string, StatementRun>()

  constructor(gateway: Gateway, most = RUNS_MAX) {
    this.#gateway = gateway
    this.#most = most
  }

  /** @throws AppError 429 where too many run */
  begin(agent: AgentAtWork, request: StatementRequest): string {
    const { id: userId } = callerOf(agent.call)
    const isOwn = ({ userId: other }: StatementRun) => other === userId
    if (this.#live().length >= this.#most || this.#live().filter(isOwn).length >= RUNS_OF_ONE)
      throw new AppError(429, 'too_many_requests', 'Too many statements of agents are running: wait for one of them')
    // The oldest answer that was not fetched makes room.
    const own = [...this.#runs.values()].filter(isOwn)
    if (own.length >= RUNS_OF_ONE) this.#dropOldest(isOwn)
    else if (this.#runs.size >= this.#most) this.#dropOldest()
    const id = randomUUID()
    const run = new StatementRun(this.#gateway, agent, request)
    this.#runs.set(id, run)
    inBackground(
      run.done
        .catch(() => {})
        .then(() => {
          setTimeout(() => this.#runs.delete(id), KEPT_MS).unref()
          return addAgentUse(agent.kernel.db, userId, { calls: 0, rows: 0, milliseconds: run.milliseconds })
        }),
    )
    return id
  }

  #live(): StatementRun[] {
    return [...this.#runs.values()].filter(({ state }) => state !== 'over')
  }

  #dropOldest(isOne: (run: StatementRun) => boolean = () => true): void {
    const oldest = [...this.#runs].find(([, run]) => run.state === 'over' && isOne(run))
    if (oldest) this.#runs.delete(oldest[0])
  }

  /** Milliseconds that somebody's statements have worked which are not over, and so not counted yet. */
  working(userId: string): number {
    return this.#live().reduce((sum, run) => sum + (run.userId === userId ? run.milliseconds : 0), 0)
  }

  /** One of the caller's own. */
  find(call: Call, id: string): StatementRun | undefined {
    const run = this.#runs.get(id)
    return run?.userId === callerOf(call).id ? run : undefined
  }

  /** The same. Throws 404, and says what may have become of it. */
  of(call: Call, id: string): StatementRun {
    const run = this.find(call, id)
    if (!run) throw new AppError(404, 'object_does_not_exist', GONE)
    return run
  }

  /** Its answer has been read. */
  forget(id: string): void {
    this.#runs.delete(id)
  }
}

const GONE = 'There is no such statement: its answer was given, it is too old, or another key began it'
