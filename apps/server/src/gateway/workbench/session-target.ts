import { inBackground } from '../../kernel/background.ts'
import type { StatementSession } from '../kinds/statements/statement-session.ts'
import type { Statement, StatementOwner, StatementTarget, TargetListener } from '../kinds/statements/streams.ts'
import type { Passage } from '../repl/link.ts'
import type { StreamEnd } from '../session/live-session.ts'
import type { Notice } from '../session/notice.ts'

interface SessionTargetParts {
  /** Answers a refused statement in the server's place, where the server does not itself. */
  refuse(statement: Statement, why: Notice): void
  /** Shows a notice of the session. */
  tell(what: Notice): void
}

/**
 * A session as the target of a link: what is sent over the link is judged, recorded and ended as what
 * any client of the database sends.
 */
export class SessionTarget implements StatementTarget {
  readonly owner: StatementOwner
  /** See `StatementOwner`. */
  onDecided: () => Promise<Notice | undefined> | undefined = () => undefined
  #live: StatementSession | undefined
  #listener: TargetListener | undefined
  readonly #early: Buffer[] = []
  #end: StreamEnd | undefined
  #isHeld = false
  readonly #own = new WeakSet<Statement>()
  /** Passage of the workbench's own settings: they are no statements of the person. */
  readonly ownPassage: Passage = {
    begins: (statement) => void this.#own.add(statement),
    forbidden() {},
    over() {},
  }

  constructor({ refuse, tell }: SessionTargetParts) {
    this.owner = {
      write: (bytes) => {
        this.answer(bytes)
        return !this.#isHeld
      },
      refuse,
      tell,
      decided: () => this.onDecided(),
      close: (end) => {
        this.#end = end
        this.#listener?.end(end)
      },
    }
  }

  /** The session that its owner is in. */
  in(live: StatementSession): void {
    this.#live = live
  }

  /** In the server's place, or from it. */
  answer(bytes: Buffer): void {
    if (this.#listener) this.#listener.answer(bytes)
    else this.#early.push(bytes)
  }

  start(listener: TargetListener): void {
    this.#listener = listener
    for (const bytes of this.#early.splice(0)) listener.answer(bytes)
    if (this.#end) listener.end(this.#end)
  }

  send(statement: Statement): void {
    if (this.#own.has(statement)) this.#live?.pass(statement.bytes)
    else this.#live?.submit(statement)
  }
  pass(bytes: Buffer): void {
    this.#live?.pass(bytes)
  }
  cancel(): void {
    this.#live?.cancel()
  }
  pending(): number {
    return this.#live?.pendingInput ?? 0
  }
  onceTaken(then: () => void): void {
    this.#live?.onceInputTaken(then)
  }

  /**
   * No bytes that could be refused come here, where the connector's side reads the server's output.
   */
  pause(): void {
    this.#isHeld = true
    this.#live?.ownerBehind()
  }
  resume(): void {
    this.#isHeld = false
    this.#live?.ownerDrained()
  }

  close(): void {
    inBackground(this.#live?.end('left'))
  }
}
