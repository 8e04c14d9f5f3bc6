import type { Target } from '@sallyport/contract/target.ts'
import { type Call, callerOf } from '../../kernel/access/call.ts'
import type { Gateway } from '../gateway.ts'
import type { StatementSession } from '../kinds/statements/statement-session.ts'
import { NOBODY } from '../repl/answers.ts'
import type { Link } from '../repl/link.ts'
import { type Notice, wordsOf } from '../session/notice.ts'
import type { Person } from '../session/person.ts'
import type { WorkbenchDatabase } from '../workbench/databases.ts'
import type { SessionTarget } from '../workbench/session-target.ts'
import { StatementRows } from './statement-rows.ts'

/** Time for one statement, with connecting and waiting for people. */
const RUN_MS = 10 * 60_000

export interface StatementRequest {
  database: WorkbenchDatabase
  target: Target
  systemUserId: string
  /** One statement. */
  text: string
  /** Rows that are kept. */
  limit: number
}

/**
 * One statement in a session of its own, opened as any client of the database opens one: permission,
 * limits, approval, guard and recording are those of all sessions.
 */
export class StatementRun {
  readonly userId: string
  readonly rows: StatementRows
  state: 'running' | 'held' | 'over' = 'running'
  /** Id of its session, once there is one. */
  session: string | undefined
  /** Words of the session while it waits, or about its end. */
  words: string | undefined
  readonly #over = new AbortController()
  readonly #language: Person['language']

  constructor(gateway: Gateway, call: Call, request: StatementRequest) {
    this.userId = callerOf(call).id
    this.#language = call.language
    this.rows = new StatementRows(request.limit)
    const late = setTimeout(() => this.end(), RUN_MS)
    late.unref()
    this.done = this.#work(gateway, personOf(call), request).finally(() => {
      clearTimeout(late)
      this.state = 'over'
    })
    // Those who look at it hear of it; it may also be over before anybody does.
    this.done.catch(() => {})
  }

  /** Settles when it is over; rejected with a SessionRefusal where no session opened. */
  readonly done: Promise<void>

  /** Ends it, wherever it is. */
  end(): void {
    this.#over.abort()
  }

  async #work(gateway: Gateway, person: Person, { database, text, ...wanted }: StatementRequest): Promise<void> {
    let live: StatementSession | undefined
    let target: SessionTarget | undefined
    try {
      const link: Link = await database.open(async (wire) => {
        target = database.target(wire, { language: person.language, tell: (what) => this.#hear(what) })
        target.onDecided = () => {
          this.state = 'running'
          this.words = undefined
        }
        live = await gateway.open(
          {
            kind: 'statements',
            person,
            target: wanted.target,
            systemUserId: wanted.systemUserId,
            // An agent knows no password, and is asked for none.
            dialogue: { ask: async () => undefined },
            owner: target.owner,
            wire,
            onCreated: ({ id }) => {
              this.session = id
            },
          },
          this.#over.signal,
        )
        target.in(live)
        return target
      })
      await link.start(() => {})
      if (database.atStart && target) await link.run(database.atStart, NOBODY, target.ownPassage)
      this.#over.signal.addEventListener('abort', () => link.cancel(), { once: true })
      await Promise.race([link.run(text, this.rows), gone(this.#over.signal)])
      link.close()
    } finally {
      await live?.end('left')
    }
  }

  #hear(what: Notice): void {
    if (what.code === 'held') this.state = 'held'
    // Calm notices are for people who look on.
    if (what.urgency !== 'calm' || what.code === 'held') this.words = wordsOf(what, this.#language)
  }
}

/** The caller as a session has them. */
export const personOf = (call: Call): Person => ({
  ...callerOf(call),
  language: call.language,
  remoteAddress: call.remoteAddress,
  loginFrom: 'WT',
  signInId: call.signInId,
  onBehalfOf: call.onBehalfOf,
})

function gone(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
