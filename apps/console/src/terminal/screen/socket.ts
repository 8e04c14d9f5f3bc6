/**
 * The terminal's line to the gateway: control messages as JSON text frames, terminal bytes as
 * binary frames (contract web-terminal, socket_protocol).
 */
import { WIRE } from '@sallyport/contract/constants.ts'

const PING_TIMER_MS = 25_000
const QUIET_MS = 30_000
/**
 * The gateway answers our pings; when nothing at all came for this long, the line is dead although
 * nobody closed it.
 */
const SILENCE_MS = 5 * 60_000
/** The gateway is told what has been taken whenever so much more has. */
const TAKEN_BYTES = 256 * 1024
/** A line that is asked whether it lives has this long to answer. */
const PROBE_MS = 5000

export interface TerminalSize {
  cols: number
  rows: number
}

/** A control message. `data` is a string, often JSON itself. */
export interface Message {
  id: string
  type: string
  data: string
  err?: string
}

/**
 * What the gateway is asked for; `type` is the system user's protocol, `shareroom` to watch the
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
  /** Of a remote app, whose protocol is that of its machine. */
  family?: 'application'
  /** How an application is shown, if not in a terminal. */
  view?: 'workbench' | 'desktop'
}

/**
 * `ended`: the gateway closed the session in an orderly way. `lost`: the line broke. `unreached`:
 * there was no gateway at its other end.
 */
export type ClosedBy = 'ended' | 'lost' | 'unreached'

export interface SocketEvents {
  /**
   * Terminal output: bytes, which may end in the middle of a character, or text from gateways that
   * send TERMINAL_DATA. What a promise is answered for counts as taken when it settles: the gateway
   * is told, and waits.
   */
  onOutput: (output: Uint8Array | string) => unknown
  /** The gateway is ready; what it is told, the size first of all, is asked for here. */
  onConnect: () => TerminalSize & { code?: string; width?: number; height?: number }
  /** The session exists on the server. */
  onSession: (session: unknown) => void
  /** The watched terminal changed its size. */
  onResize: (size: TerminalSize) => void
  onError: (text: string) => void
  /** The same person has taken the session over elsewhere. */
  onMoved?: () => void
  /** Any other message. */
  onMessage?: ((type: string, data: unknown) => void) | undefined
  /** Called once, whatever ended the line; not called after `close()`. */
  onClosed: (by: ClosedBy) => void
}

export interface TerminalSocket {
  /** Sends what a person typed, as bytes. */
  send: (input: Uint8Array) => void
  resize: (size: TerminalSize) => void
  /** Sends a control message; `data` that is no text as JSON. */
  message: (type: string, data: unknown) => void
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

/**
 * The size in a TERMINAL_RESIZE: `{Width, Height}` to people who watch, `{cols, rows}` elsewhere.
 * Undefined when it is none.
 */
export function readSize(data: string): TerminalSize | undefined {
  const value = parseJson(data)
  if (typeof value !== 'object' || value === null) return undefined
  const fields = value as Record<string, unknown>
  const cols = Number(fields.Width ?? fields.cols)
  const rows = Number(fields.Height ?? fields.rows)
  return cols > 0 && rows > 0 ? { cols, rows } : undefined
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Opens the connection. Nothing is retried here: a new session is for the person to decide. */
export function openTerminalSocket(target: SocketTarget, events: SocketEvents): TerminalSocket {
  return new GatewayLine(target, events)
}

class GatewayLine implements TerminalSocket {
  #events: SocketEvents
  #socket: WebSocket
  /** What the gateway calls this line; known once it is ready. */
  #id = ''
  #isReached = false
  #isOrderly = false
  #isDone = false
  #lastSent = Date.now()
  #lastHeard = Date.now()
  /** Bytes of output that were taken, and how many of them the gateway knows of. */
  #taken = 0
  #told = 0
  #timer: ReturnType<typeof setInterval>
  #probing: ReturnType<typeof setTimeout> | undefined

  constructor(target: SocketTarget, events: SocketEvents) {
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
    if (this.#id) this.message('TERMINAL_RESIZE', size)
  }

  message(type: string, data: unknown = ''): void {
    if (this.#socket.readyState !== WebSocket.OPEN) return
    this.#lastSent = Date.now()
    const text = typeof data === 'string' ? data : JSON.stringify(data)
    this.#socket.send(JSON.stringify({ id: this.#id, type, data: text }))
  }

  probe(): void {
    if (this.#isDone || this.#probing !== undefined) return
    this.message('PING')
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
    else if (Date.now() - this.#lastSent > QUIET_MS) this.message('PING')
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
    const message = parseJson(data) as Message | undefined
    if (typeof message?.type === 'string') this.#handleMessage(message)
  }

  async #take(bytes: Uint8Array): Promise<void> {
    await this.#events.onOutput(bytes)
    this.#taken += bytes.length
    if (this.#taken - this.#told < TAKEN_BYTES) return
    this.#told = this.#taken
    this.message('TERMINAL_TAKEN', { bytes: this.#taken })
  }

  #handleMessage({ id, type, data, err }: Message): void {
    switch (type) {
      case 'PING':
        this.message('PONG')
        break
      case 'CONNECT':
        // Any other id in TERMINAL_INIT is ignored by the gateway.
        this.#id = id
        this.message('TERMINAL_INIT', this.#events.onConnect())
        break
      case 'TERMINAL_DATA':
        void this.#events.onOutput(data)
        break
      case 'TERMINAL_SESSION':
        this.#events.onSession(parseJson(data))
        break
      case 'TERMINAL_RESIZE': {
        const size = readSize(data)
        if (size) this.#events.onResize(size)
        break
      }
      case 'TERMINAL_ERROR':
        this.#events.onError(err || data)
        break
      case 'TERMINAL_MOVED':
        this.#events.onMoved?.()
        break
      case 'CLOSE':
        this.#isOrderly = true
        this.#giveUp()
        break
      default:
        this.#events.onMessage?.(type, parseJson(data) ?? data)
    }
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
