import { inBackground } from '../kernel/background.ts'
import type { AnySession, Kind, SessionRequest } from './kinds/index.ts'
import type { EndReason } from './session/live-session.ts'
import { type Notice, notice } from './session/notice.ts'
import { PermittedDatabases } from './session/permitted-databases.ts'
import { SessionRefusal } from './session/refusal.ts'

/**
 * A session on this node from its request on: in every state it counts towards limits and can be
 * ended.
 */
export class CarriedSession<K extends Kind = Kind> {
  readonly request: SessionRequest<K>
  readonly databases: PermittedDatabases
  /** Set once the row exists. */
  sessionId: string | undefined
  /** Set once the machine has accepted. */
  live: AnySession | undefined
  readonly #abort = new AbortController()
  readonly #over = Promise.withResolvers<void>()
  /** Settles when it has ended and everything is stored. */
  readonly over: Promise<void> = this.#over.promise

  /** Once `gone` is aborted, nobody waits for the session any more. */
  constructor(request: SessionRequest<K>, gone: AbortSignal) {
    this.request = request
    this.databases = request.databases ?? new PermittedDatabases()
    const leave = () => this.end('left', notice('left', 'Cancelled'))
    gone.addEventListener('abort', leave)
    inBackground(this.over.then(() => gone.removeEventListener('abort', leave)))
    if (gone.aborted) leave()
  }

  /** Aborted with a SessionRefusal when it is given up before it is live. */
  get givenUp(): AbortSignal {
    return this.#abort.signal
  }

  begins(live: AnySession): void {
    this.live = live
    inBackground(live.ended.then(() => this.#over.resolve()))
  }

  fails(): void {
    this.#over.resolve()
  }

  /**
   * Ends it without waiting for what must be stored. People who have left are not notified, unless they
   * still wait for the session.
   */
  end(reason: EndReason, words: Notice): void {
    if (!this.live) this.#abort.abort(new SessionRefusal(words.text, words.values))
    else inBackground(this.live.end(reason, reason === 'left' ? undefined : words))
  }
}
