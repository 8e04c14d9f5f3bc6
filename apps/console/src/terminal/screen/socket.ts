/**
 * The terminal's line to the gateway: control messages as JSON text frames, terminal bytes as
 * binary frames (contract web-terminal, socket_protocol).
 */
import { WIRE } from '@sallyport/contract/constants.ts'
import { LINE, type SessionBegun } from '@sallyport/contract/socket/line.ts'
import {
  type GatewayEnvelope,
  type HandlersOf,
  type Kinds,
  type KindsOf,
  readGatewayEnvelope,
  type Schemas,
  type Send,
  type SentMessageOf,
  take,
  withoutCodeAtRunTime,
  written,
} from '@sallyport/contract/socket/message.ts'

const PING_TIMER_MS = 25_000
const QUIET_MS = 30_000
/**
 * The gateway answers our pings; when nothing at all came for this long, the line is dead although
 * nobody closed it.
 */
const SILENCE_MS = 5 * 60_000
/** Reports to the gateway how much was taken, whenever so much more was. */
const TAKEN_BYTES = 256 * 1024
/** A line that is asked whether it lives has this long to answer. */
const PROBE_MS = 5000

// The page's policy allows no code that is made at run time.
withoutCodeAtRunTime()

export interface TerminalSize {
  cols: number
  rows: number
}

/**
 * The query to the gateway; `type` is the system user's protocol, `shareroom` to watch the
 * session `target_id`, `resume` to go on with it, `share` to join, `token` for what a connection
 * token opens.
 */
export interface SocketTarget {
  type: string
  target_id: string
  system_user_id?: string
  /** A client that can come back to its session names itself. */
  client?: string
  /** A container of a cluster: all three. */
  namespace?: string
  pod?: string
  container?: string
  /** For a remote app, whose protocol is that of its machine. */
  family?: 'application'
  /** How an application is shown, if not in a terminal. */
  view?: 'workbench' | 'desktop'
}

/**
 * `ended`: the gateway closed the session in an orderly way. `lost`: the line broke. `unreached`:
 * there was no gateway at its other end.
 */
export type ClosedBy = 'ended' | 'lost' | 'unreached'

/** Messages of a line beside those of every line. */
export interface LineProtocol<S extends Schemas, C extends Kinds> {
  readonly fromClient: C
  readonly fromGateway: KindsOf<S>
}

/** The first message to the gateway. */
type Opening = Extract<SentMessageOf<typeof LINE.fromClient>, { type: 'TERMINAL_INIT' }>['data']

export interface SocketEvents<S extends Schemas> {
  /**
   * Terminal output: bytes, which may end in the middle of a character, or text from gateways that
   * send TERMINAL_DATA. What a promise is answered for counts as taken when it settles: the gateway
   * is informed, and waits.
   */
  onOutput: (output: Uint8Array | string) => unknown
  /** The gateway is ready; the first messages, the size before all, are asked for here. */
  onConnect: () => Opening
  /** The session exists on the server. */
  onSession: (begun: SessionBegun) => void
  /** The watched terminal changed its size. */
  onResize: (size: TerminalSize) => void
  onError: (text: string) => void
  /** The same person has taken the session over elsewhere. */
  onMoved?: () => void
  /** The gateway has answered a `ping`. */
  onPong?: (() => void) | undefined
  /** Every other kind of message. */
  on: HandlersOf<S>
  /** Called once, whatever ended the line; not called after `close()`. */
  onClosed: (by: ClosedBy) => void
}

export interface TerminalSocket<C extends Kinds> {
  /** Sends what a person typed, as bytes. */
  send: (input: Uint8Array) => void
  resize: (size: TerminalSize) => void
  /** Sends a message; dropped while there is no line. */
  message: Send<C>
  /** Says that the person leaves. */
  leave: () => void
  /** Asks for an answer, `onPong`. */
  ping: () => void
  /** Asks whether the line lives; one that does not answer is taken for lost. */
  probe: () => void
  /** Milliseconds since something came. */
  quietFor: () => number
  /** Ends the line from this side. */
  close: () => void
}

/** The address of the gateway's socket. `now` keeps caches away. */
export function socketAddress(target: SocketTarget, origin = location.origin, now = Date.now()): string {
  const address = new URL(
    `${WIRE.textGatewayBase}ws/${target.type === 'token' ? 'token' : 'terminal'}/`,
    origin.replace(/^http/, 'ws'),
  )
  for (const [key, value] of Object.entries(target)) if (value) address.searchParams.set(key, value)
  address.searchParams.set('_', String(now))
  return address.href
}

/** Opens the connection. Nothing is retried here: a new session is for the person to decide. */
export function openTerminalSocket<S extends Schemas, C extends Kinds>(
  target: SocketTarget,
  protocol: LineProtocol<S, C>,
  events: SocketEvents<NoInfer<S>>,
): TerminalSocket<C> {
  return new GatewayLine(target, protocol, events)
}

class GatewayLine<S extends Schemas, C extends Kinds> implements TerminalSocket<C> {
  readonly #protocol: LineProtocol<S, C>
  #events: SocketEvents<S>
  #socket: WebSocket
  /** The gateway's id of this line; known once it is ready. */
  #id = ''
  #isReached = false
  #isOrderly = false
  #isDone = false
  #lastSent = Date.now()
  #lastHeard = Date.now()
  /** Bytes of output that were taken, and how many of them the gateway knows of. */
  #taken = 0
  #reported = 0
  #timer: ReturnType<typeof setInterval>
  #probing: ReturnType<typeof setTimeout> | undefined

  constructor(target: SocketTarget, protocol: LineProtocol<S, C>, events: SocketEvents<S>) {
    this.#protocol = protocol
    this.#events = events
    this.#socket = new WebSocket(socketAddress(target), WIRE.terminalSubprotocol)
    this.#socket.binaryType = 'arraybuffer'
    this.#socket.addEventListener('open', () => {
      this.#isReached = true
    })
    this.#socket.addEventListener('message', ({ data }: MessageEvent<ArrayBuffer | string>) => this.#receive(data))
    this.#socket.addEventListener('close', () => this.#finish())
    this.#timer = setInterval(() => this.#keepAlive(), PING_TIMER_MS)
  }

  send(input: Uint8Array): void {
    if (this.#socket.readyState !== WebSocket.OPEN) return
    this.#lastSent = Date.now()
    this.#socket.send(input as Uint8Array<ArrayBuffer>)
  }

  resize(size: TerminalSize): void {
    if (this.#id) this.#tell('TERMINAL_RESIZE', size)
  }

  readonly message: Send<C> = (type, ...[data]) => this.#say(type, data)

  leave(): void {
    this.#tell('CLOSE')
  }

  ping(): void {
    this.#tell('PING')
  }

  readonly #tell: Send<typeof LINE.fromClient> = (type, ...[data]) => this.#say(type, data)

  #say(type: string, data: unknown): void {
    if (this.#socket.readyState !== WebSocket.OPEN) return
    this.#lastSent = Date.now()
    this.#socket.send(JSON.stringify({ id: this.#id, type, data: written(data) }))
  }

  probe(): void {
    if (this.#isDone || this.#probing !== undefined) return
    this.#tell('PING')
    this.#probing = setTimeout(() => this.#giveUp(), PROBE_MS)
  }

  quietFor(): number {
    return Date.now() - this.#lastHeard
  }

  close(): void {
    this.#stop()
    this.#socket.close()
  }

  #keepAlive(): void {
    // A line that was cut without a word takes minutes to fail by itself.
    if (this.quietFor() > SILENCE_MS) this.#giveUp()
    else if (Date.now() - this.#lastSent > QUIET_MS) this.#tell('PING')
  }

  #receive(data: ArrayBuffer | string): void {
    if (this.#isDone) return
    this.#lastHeard = Date.now()
    clearTimeout(this.#probing)
    this.#probing = undefined
    if (typeof data !== 'string') {
      void this.#take(new Uint8Array(data))
      return
    }
    const message = readGatewayEnvelope(data)
    if (message) this.#handleMessage(message)
  }

  async #take(bytes: Uint8Array): Promise<void> {
    await this.#events.onOutput(bytes)
    this.#taken += bytes.length
    if (this.#taken - this.#reported < TAKEN_BYTES) return
    this.#reported = this.#taken
    this.#tell('TERMINAL_TAKEN', { bytes: this.#taken })
  }

  /** A broken message, or one unknown to this page, changes nothing. */
  #handleMessage(message: GatewayEnvelope): void {
    const { id = '', err } = message
    const ofLine = take(
      LINE.fromGateway,
      {
        PING: () => this.#tell('PONG'),
        PONG: () => this.#events.onPong?.(),
        CONNECT: () => {
          // Any other id in TERMINAL_INIT is ignored by the gateway.
          this.#id = id
          this.#tell('TERMINAL_INIT', this.#events.onConnect())
        },
        CLOSE: () => {
          this.#isOrderly = true
          this.#giveUp()
        },
        TERMINAL_DATA: (text) => void this.#events.onOutput(text),
        TERMINAL_SESSION: (begun) => this.#events.onSession(begun),
        TERMINAL_RESIZE: ({ Width: cols, Height: rows }) =>
          cols > 0 && rows > 0 && this.#events.onResize({ cols, rows }),
        TERMINAL_ERROR: (text) => this.#events.onError(err || text),
        TERMINAL_MOVED: () => this.#events.onMoved?.(),
      },
      message,
    )
    if (ofLine === 'unknown') take(this.#protocol.fromGateway, this.#events.on, message)
  }

  /** Closes the connection without waiting for the browser to notice that it is dead. */
  #giveUp(): void {
    this.#socket.close()
    this.#finish()
  }

  #finish(): void {
    if (this.#isDone) return
    this.#stop()
    const broken = this.#isReached ? 'lost' : 'unreached'
    this.#events.onClosed(this.#isOrderly ? 'ended' : broken)
  }

  #stop(): void {
    this.#isDone = true
    clearInterval(this.#timer)
    clearTimeout(this.#probing)
  }
}
