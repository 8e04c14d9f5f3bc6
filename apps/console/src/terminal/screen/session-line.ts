/**
 * A session of one's own over lines that may break: it comes back by itself, and nothing that was
 * typed arrives twice.
 */
import type { SessionBegun } from '@sallyport/contract/socket/line.ts'
import type { Kinds, Schemas, Send } from '@sallyport/contract/socket/message.ts'
import { keepSent } from './kept-input.ts'
import {
  type ClosedBy,
  type LineProtocol,
  openTerminalSocket,
  type SocketEvents,
  type SocketTarget,
  type TerminalSize,
  type TerminalSocket,
} from './socket.ts'

/** Between tries; the last goes on. */
const DELAYS_MS = [500, 1000, 2000, 4000, 8000, 15_000]
/** Typed before the gateway is ready. */
const MAX_EARLY_BYTES = 4096
/** Somebody types and nothing has come back for this long: the line is asked whether it lives. */
const SUSPICIOUS_MS = 10_000

/** The gateway's facts about a session when it exists. */
export interface StartedSession {
  id: string
  /** Name(username). */
  user: string
  /** Host name(address). */
  asset: string
  /** Name(username) on the target; empty where the gateway does not tell. */
  systemUser: string
  /** When it began, by the page's own clock (`performance.now()`). */
  since: number
  /** It goes on; its machine was reached before. */
  isResumed: boolean
}

/** Why a session is over on this page. `moved`: its person works on elsewhere. */
export type EndedBy = ClosedBy | 'moved'

export interface SessionLineEvents<S extends Schemas>
  extends Pick<SocketEvents<S>, 'onOutput' | 'onError' | 'onPong' | 'on'> {
  size: SocketEvents<S>['onConnect']
  /** The session exists on the server. */
  onSession: (session: StartedSession) => void
  /** The line broke, tries go on by themselves. */
  onLost: () => void
  /** The same session goes on. Its whole screen follows. */
  onBack: () => void
  /** Typed while there was no line: it is not sent, neither now nor later. */
  onRefused: () => void
  /** Some of what was typed last may not have arrived and can't be sent again. */
  onInputLost: () => void
  onClosed: (by: EndedBy) => void
}

export interface SessionLine<C extends Kinds> {
  send: (input: Uint8Array) => void
  /**
   * Sends what has no meaning on another line: packets of a file transfer. Dropped while there is
   * no line.
   */
  sendOnce: (input: Uint8Array) => void
  resize: (size: TerminalSize) => void
  message: Send<C>
  /** Says that the person leaves: the gateway ends the session. */
  leave: () => void
  /** Asks for an answer, `onPong`. */
  ping: () => void
  /** Tries at once, when the page knows that it may help; does nothing otherwise. */
  retry: () => void
  /** Ends the session. */
  end: () => void
}

export interface SessionLineOptions {
  /** What this page calls itself, so that the server knows whose input it has counted. */
  client: string
  /** A session of before to go on with. */
  resume?: string | undefined
  /** Runs before each try; a rejection puts it off. */
  beforeRetry?: () => Promise<unknown>
  /** Ends a session that there is no line to. */
  abandon?: (sessionId: string) => void
  delays?: readonly number[]
}

/** Opens the session, or goes on with one. */
export function openSessionLine<S extends Schemas, C extends Kinds>(
  target: SocketTarget,
  protocol: LineProtocol<S, C>,
  options: SessionLineOptions,
  events: SessionLineEvents<NoInfer<S>>,
): SessionLine<C> {
  const line = new BreakableLine(target, protocol, options, events)
  line.open()
  return line
}

class BreakableLine<S extends Schemas, C extends Kinds> implements SessionLine<C> {
  readonly #target: SocketTarget
  readonly #options: SessionLineOptions
  readonly #events: SessionLineEvents<S>
  readonly #protocol: LineProtocol<S, C>
  readonly #delays: readonly number[]
  readonly #kept = keepSent()
  #sessionId: string | undefined
  #canResume: boolean
  #socket!: TerminalSocket<C>
  /** Input goes out: the gateway is ready, and has said how much of what went before it has. */
  #ready = false
  #lost = false
  #over = false
  #moved = false
  #tries = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  #early: Uint8Array[] = []

  constructor(
    target: SocketTarget,
    protocol: LineProtocol<S, C>,
    options: SessionLineOptions,
    events: SessionLineEvents<S>,
  ) {
    this.#target = target
    this.#protocol = protocol
    this.#options = options
    this.#events = events
    this.#delays = options.delays ?? DELAYS_MS
    this.#sessionId = options.resume
    this.#canResume = options.resume !== undefined
  }

  open(): void {
    const { client } = this.#options
    const { view } = this.#target
    const { onOutput, onError, onPong, on, size } = this.#events
    this.#ready = false
    this.#socket = openTerminalSocket(
      this.#sessionId
        ? { type: 'resume', target_id: this.#sessionId, client, ...(view ? { view } : {}) }
        : { ...this.#target, client },
      this.#protocol,
      {
        onOutput,
        onError,
        onPong,
        on,
        onResize: () => {},
        onConnect: () => {
          if (!this.#sessionId) this.#begin()
          return size()
        },
        onSession: (begun) => this.#handleSession(begun),
        onMoved: () => {
          this.#moved = true
        },
        onClosed: (by) => this.#handleClosed(by),
      },
    )
  }

  send(input: Uint8Array): void {
    if (this.#ready) this.#transmit(input)
    else if (this.#lost || this.#sessionId) this.#events.onRefused()
    else if (this.#early.reduce((sum, { length }) => sum + length, input.length) <= MAX_EARLY_BYTES)
      this.#early = [...this.#early, input]
  }

  sendOnce(input: Uint8Array): void {
    if (!this.#ready) return
    this.#kept.skip(input.length)
    this.#socket.send(input)
  }

  resize(size: TerminalSize): void {
    this.#socket.resize(size)
  }

  readonly message: Send<C> = (type, ...data) => {
    this.#socket.message(type, ...data)
    this.#probeIfSuspicious()
  }

  leave(): void {
    this.#socket.leave()
  }

  ping(): void {
    this.#socket.ping()
    this.#probeIfSuspicious()
  }

  retry(): void {
    if (this.#over) return
    if (this.#timer !== undefined) this.#attempt()
    else if (this.#canResume && this.#ready) this.#socket.probe()
  }

  end(): void {
    if (this.#lost && !this.#over && this.#sessionId) this.#options.abandon?.(this.#sessionId)
    this.#over = true
    clearTimeout(this.#timer)
    this.#socket.leave()
    this.#socket.close()
  }

  /** A new session: what was typed early goes out behind the message that is sent with the answer. */
  #begin(): void {
    this.#ready = true
    queueMicrotask(() => {
      for (const input of this.#early.splice(0)) this.#transmit(input)
    })
  }

  #transmit(input: Uint8Array): void {
    this.#kept.add(input)
    this.#socket.send(input)
    this.#probeIfSuspicious()
  }

  /** A line that has said nothing for long may be dead without anybody's knowing. */
  #probeIfSuspicious(): void {
    if (this.#canResume && this.#socket.quietFor() > SUSPICIOUS_MS) this.#socket.probe()
  }

  #handleSession(begun: SessionBegun): void {
    this.#sessionId = begun.session.id
    this.#canResume = (begun.reattach ?? 0) > 0
    if (begun.resumed) {
      this.#ready = true
      this.#tries = 0
      // Undelivered input goes out again, before anything new.
      const missing = this.#kept.missing(begun.received ?? 0)
      if (!missing) this.#events.onInputLost()
      else if (missing.length > 0) this.#socket.send(missing)
      if (this.#lost) this.#events.onBack()
      this.#lost = false
    }
    const { id, user = '', asset = '', system_user: systemUser = '' } = begun.session
    const isResumed = begun.resumed === true
    this.#events.onSession({ id, user, asset, systemUser, since: beganAt(begun), isResumed })
  }

  #handleClosed(by: ClosedBy): void {
    this.#ready = false
    if (this.#over) return
    if (by !== 'ended' && this.#canResume && this.#sessionId) {
      if (!this.#lost) this.#events.onLost()
      this.#lost = true
      this.#attemptLater()
    } else this.#finish(this.#moved ? 'moved' : by)
  }

  #attemptLater(): void {
    const delay = this.#delays[Math.min(this.#tries++, this.#delays.length - 1)]
    this.#timer = setTimeout(() => this.#attempt(), delay)
  }

  #attempt(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const { beforeRetry = async () => {} } = this.#options
    beforeRetry().then(
      () => !this.#over && this.open(),
      () => !this.#over && this.#attemptLater(),
    )
  }

  #finish(by: EndedBy): void {
    this.#over = true
    clearTimeout(this.#timer)
    this.#events.onClosed(by)
  }
}

/** A new session begins now, whatever the clocks of the two computers say. */
function beganAt({ resumed, session: { date_start = '' } }: SessionBegun): number {
  const began = resumed ? Date.parse(date_start) : Number.NaN
  return performance.now() - (Number.isNaN(began) ? 0 : Math.max(0, Date.now() - began))
}
