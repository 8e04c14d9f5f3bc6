import type { Target } from '@sallyport/contract/target.ts'
import { callerOf } from '../../kernel/access/call.ts'
import { awaitedLater, inBackground } from '../../kernel/background.ts'
import { AppError, notAuthenticated } from '../../kernel/errors/app-error.ts'
import type { Gateway } from '../gateway.ts'
import type { StatementSession } from '../kinds/statements/statement-session.ts'
import { NOBODY } from '../repl/answers.ts'
import type { Link } from '../repl/link.ts'
import { type Notice, notice, wordsOf } from '../session/notice.ts'
import { type Person, personOf } from '../session/person.ts'
import { SessionRefusal } from '../session/refusal.ts'
import type { WorkbenchDatabase } from '../workbench/databases.ts'
import type { SessionTarget } from '../workbench/session-target.ts'
import { whyOff } from './allowed.ts'
import type { AgentAtWork } from './marked-call.ts'
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
 * limits, approval, guard and recording are those of all sessions. It ends with the credential of its
 * agent, and where agents are turned off.
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
  readonly #agent: AgentAtWork
  readonly #begun = performance.now()
  #ended: number | undefined
  /** Milliseconds that it waited for people, and since when it does. */
  #held = 0
  #heldSince: number | undefined

  constructor(gateway: Gateway, agent: AgentAtWork, request: StatementRequest) {
    const { call } = agent
    this.userId = callerOf(call).id
    this.#agent = agent
    this.rows = new StatementRows(request.limit)
    const late = setTimeout(() => this.end(), RUN_MS)
    late.unref()
    this.done = awaitedLater(
      this.#work(gateway, personOf(call), request).finally(() => {
        clearTimeout(late)
        this.#goOn()
        this.#ended = performance.now()
        this.state = 'over'
      }),
    )
  }

  /** Settles when it is over; rejected with a SessionRefusal where no session opened. */
  readonly done: Promise<void>

  /** Milliseconds that it has worked: to wait for people is no work. */
  get milliseconds(): number {
    const now = this.#ended ?? performance.now()
    return now - this.#begun - this.#held - (this.#heldSince === undefined ? 0 : now - this.#heldSince)
  }

  /** Ends it, wherever it is. */
  end(): void {
    this.#over.abort()
  }

  async #work(gateway: Gateway, person: Person, { database, text, ...wanted }: StatementRequest): Promise<void> {
    let live: StatementSession | undefined
    let target: SessionTarget | undefined
    const leave = this.#enter(gateway, () => live)
    try {
      const link: Link = await database.open(async (wire) => {
        target = database.target(wire, { language: person.language, tell: (what) => this.#hear(what) })
        target.onDecided = async () => {
          const why = await this.#whyNot()
          this.#goOn()
          return why
        }
        live = await gateway.open(
          {
            kind: 'statements',
            person,
            target: wanted.target,
            systemUserId: wanted.systemUserId,
            // An agent knows no password, and is asked for none.
            dialogue: {
              ask: async () => undefined,
              wait: (heading, _text, decided) => this.#waitForReview(heading, decided),
            },
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
      const why = this.#held ? await this.#whyNot() : undefined
      if (why) throw new SessionRefusal(why.text, why.values)
      await link.start(() => {})
      if (database.atStart && target) await link.run(database.atStart, NOBODY, target.ownPassage)
      this.#over.signal.addEventListener('abort', () => link.cancel(), { once: true })
      await Promise.race([link.run(text, this.rows), gone(this.#over.signal)])
      link.close()
    } finally {
      leave()
      await live?.end('left')
    }
  }

  /** Counts its agent among those who are connected. Answers how to leave. */
  #enter({ presence }: Gateway, live: () => StatementSession | undefined): () => void {
    const { kernel, call } = this.#agent
    if (!call.signIn) throw notAuthenticated()
    return presence.enter({
      userId: this.userId,
      signIn: call.signIn,
      atWork: false,
      allowed: async () => !whyOff(kernel, call),
      dismiss: (what) => {
        const off = whyOff(kernel, call)
        const why = off ? notice('not_allowed', off) : what
        this.#goOn()
        this.words = wordsOf(why, call.language)
        inBackground(live()?.end('signed_out', why))
        this.end()
      },
    })
  }

  /** Why what was held is not to go on all the same: much may have happened while it waited. */
  #whyNot(): Promise<Notice | undefined> {
    return this.#agent.check().then(
      () => undefined,
      (error) => {
        if (error instanceof AppError) return notice('denied', error.message, {}, 'urgent')
        throw error
      },
    )
  }

  /** A rule of logins has people asked before there is a session. */
  #waitForReview(heading: string, decided: AbortSignal): Promise<'over'> {
    this.#hold(heading)
    return gone(decided).then(() => {
      this.#goOn()
      return 'over'
    })
  }

  #hold(words: string): void {
    this.state = 'held'
    this.words = words
    this.#heldSince ??= performance.now()
  }

  #goOn(): void {
    if (this.#heldSince === undefined) return
    this.#held += performance.now() - this.#heldSince
    this.#heldSince = undefined
    this.state = 'running'
    this.words = undefined
  }

  #hear(what: Notice): void {
    const words = wordsOf(what, this.#agent.call.language)
    if (what.code === 'held') this.#hold(words)
    // Calm notices are for people who look on.
    else if (what.urgency !== 'calm') this.words = words
  }
}

function gone(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
