/**
 * A session of one's own over lines that may break: it comes back by itself, and nothing that was
 * typed arrives twice.
 */
import {
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
/** Of what was sent last, so that what did not arrive can be sent again. */
const MAX_KEPT_BYTES = 64 * 1024
/** Somebody types and nothing has come back for this long: the line is asked whether it lives. */
const SUSPICIOUS_MS = 10_000

/** What the gateway says of a session when it exists. */
export interface StartedSession {
  id: string
  /** Name(username). */
  user: string
  /** Host name(address). */
  asset: string
}

/**
 * `ended`: the session is over. `moved`: its person works on elsewhere. `lost`: the line broke, and
 * nobody waits for us.
 */
export type EndedBy = 'ended' | 'moved' | 'lost'

export interface SessionLineEvents extends Pick<SocketEvents, 'onOutput' | 'onError' | 'onMessage'> {
  size: () => TerminalSize
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

export interface SessionLine {
  send: (input: Uint8Array) => void
  /**
   * Sends what has no meaning on another line: packets of a file transfer. Dropped while there is
   * no line.
   */
  sendOnce: (input: Uint8Array) => void
  resize: (size: TerminalSize) => void
  message: (type: string, data: unknown) => void
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
export function openSessionLine(
  target: SocketTarget,
  options: SessionLineOptions,
  events: SessionLineEvents,
): SessionLine {
  const { client, beforeRetry = async () => {}, delays = DELAYS_MS } = options
  let sessionId = options.resume
  let canResume = options.resume !== undefined
  let socket: TerminalSocket
  /** Input goes out: the gateway is ready, and has said how much of what went before it has. */
  let ready = false
  let lost = false
  let over = false
  let moved = false
  let tries = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  let early: Uint8Array[] = []
  let sent = 0
  let kept = new Uint8Array()

  function transmit(input: Uint8Array): void {
    sent += input.length
    const all = new Uint8Array(kept.length + input.length)
    all.set(kept)
    all.set(input, kept.length)
    kept = all.slice(-MAX_KEPT_BYTES)
    socket.send(input)
    if (canResume && socket.quietFor() > SUSPICIOUS_MS) socket.probe()
  }

  /**
   * What has not arrived goes out again, before anything new. A page that was loaded anew goes on
   * where it was.
   */
  function catchUp(received: number): void {
    const missing = sent === 0 ? 0 : sent - received
    sent = sent === 0 ? received : sent
    if (missing < 0 || missing > kept.length) events.onInputLost()
    else if (missing > 0) socket.send(kept.slice(-missing))
  }

  function open(): void {
    ready = false
    socket = openTerminalSocket(sessionId ? { type: 'resume', target_id: sessionId, client } : { ...target, client }, {
      onOutput: events.onOutput,
      onError: events.onError,
      onMessage: events.onMessage,
      onResize: () => {},
      onConnect() {
        if (!sessionId) {
          ready = true
          // Behind the message that is sent with the answer.
          queueMicrotask(() => {
            for (const input of early.splice(0)) transmit(input)
          })
        }
        return events.size()
      },
      onSession(data) {
        const said = data as { session?: StartedSession; resumed?: boolean; received?: number; reattach?: number }
        if (!said?.session) return
        sessionId = said.session.id
        canResume = (said.reattach ?? 0) > 0
        if (said.resumed) {
          ready = true
          tries = 0
          catchUp(said.received ?? 0)
          if (lost) events.onBack()
          lost = false
        }
        events.onSession(said.session)
      },
      onMoved() {
        moved = true
      },
      onClosed(by) {
        ready = false
        if (over) return
        if (by === 'lost' && canResume && sessionId) {
          if (!lost) events.onLost()
          lost = true
          timer = setTimeout(attempt, delays[Math.min(tries++, delays.length - 1)])
        } else finish(moved ? 'moved' : by)
      },
    })
  }

  function attempt(): void {
    clearTimeout(timer)
    timer = undefined
    beforeRetry().then(
      () => !over && open(),
      () => {
        if (!over) timer = setTimeout(attempt, delays[Math.min(tries++, delays.length - 1)])
      },
    )
  }

  function finish(by: EndedBy): void {
    over = true
    clearTimeout(timer)
    events.onClosed(by)
  }

  open()
  return {
    send(input) {
      if (ready) transmit(input)
      else if (lost || sessionId) events.onRefused()
      else if (early.reduce((sum, { length }) => sum + length, input.length) <= MAX_EARLY_BYTES)
        early = [...early, input]
    },
    sendOnce(input) {
      if (!ready) return
      sent += input.length
      kept = new Uint8Array()
      socket.send(input)
    },
    resize: (size) => socket.resize(size),
    message: (type, data) => socket.message(type, data),
    retry() {
      if (over) return
      if (timer !== undefined) attempt()
      else if (canResume && ready) socket.probe()
    },
    end() {
      if (lost && !over && sessionId) options.abandon?.(sessionId)
      over = true
      clearTimeout(timer)
      socket.message('CLOSE', '')
      socket.close()
    },
  }
}
