import type { AnySession, Kind, SessionRequest } from './kinds/index.ts'
import type { EndReason } from './session/live-session.ts'
import { type Notice, notice } from './session/notice.ts'
import { SessionRefusal } from './session/refusal.ts'

/**
 * A session of this node, from the request on: it counts, and can be ended, in whatever state it
 * is.
 */
export class CarriedSession<K extends Kind = Kind> {
  readonly request: SessionRequest<K>
  /** Once the row exists. */
  sessionId: string | undefined
  /** Once the machine has accepted. */
  live: AnySession | undefined
  /** When its permission was asked for last. Milliseconds. */
  asked: number
  readonly #abort = new AbortController()
  readonly #over = Promise.withResolvers<void>()
  /** Settles when it is over and stored. */
  readonly over: Promise<void> = this.#over.promise

  /** Once `gone` is aborted nobody waits for the session any more. */
  constructor(request: SessionRequest<K>, gone: AbortSignal, now: number) {
    this.request = request
    this.asked = now
    const leave = () => this.end('left', notice('left', 'Cancelled'))
    gone.addEventListener('abort', leave)
    void this.over.then(() => gone.removeEventListener('abort', leave))
    if (gone.aborted) leave()
  }

  /** Aborted with a SessionRefusal when it is given up before it has come about. */
  get givenUp(): AbortSignal {
    return this.#abort.signal
  }

  begins(live: AnySession): void {
    this.live = live
    void live.ended.then(() => this.#over.resolve())
  }

  fails(): void {
    this.#over.resolve()
  }

  /**
   * Does not wait for what must be stored. Whoever left is told nothing, unless they wait for the
   * session still.
   */
  end(reason: EndReason, words: Notice): void {
    if (!this.live) this.#abort.abort(new SessionRefusal(words.text, words.values))
    else void this.live.end(reason, reason === 'left' ? undefined : words)
  }
}
