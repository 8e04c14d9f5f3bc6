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
}

/** `ended`: the gateway closed the session in an orderly way. `lost`: the line broke. */
export type ClosedBy = 'ended' | 'lost'

export interface SocketEvents {
  /**
   * Terminal output: bytes, which may end in the middle of a character, or text from gateways that
   * send TERMINAL_DATA. What a promise is answered for counts as taken when it settles: the gateway
   * is told, and waits.
   */
  onOutput: (output: Uint8Array | string) => unknown
  /** The gateway is ready; what it is told, the size first of all, is asked for here. */
  onConnect: () => TerminalSize & { code?: string }
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

/** Opens the line. Nothing is retried here: a new session is a decision of the person. */
export function openTerminalSocket(target: SocketTarget, events: SocketEvents): TerminalSocket {
  const socket = new WebSocket(socketAddress(target), WIRE.terminalSubprotocol)
  socket.binaryType = 'arraybuffer'
  let id = ''
  let orderly = false
  let done = false
  let lastSent = Date.now()
  let lastHeard = Date.now()

  function sendMessage(type: string, data = ''): void {
    if (socket.readyState !== WebSocket.OPEN) return
    lastSent = Date.now()
    socket.send(JSON.stringify({ id, type, data }))
  }

  let taken = 0
  let told = 0
  async function take(bytes: Uint8Array): Promise<void> {
    await events.onOutput(bytes)
    taken += bytes.length
    if (taken - told < TAKEN_BYTES) return
    told = taken
    sendMessage('TERMINAL_TAKEN', JSON.stringify({ bytes: taken }))
  }

  let probing: ReturnType<typeof setTimeout> | undefined
  function finish(): void {
    if (done) return
    done = true
    clearInterval(timer)
    clearTimeout(probing)
    events.onClosed(orderly ? 'ended' : 'lost')
  }

  const timer = setInterval(() => {
    const now = Date.now()
    if (now - lastHeard > SILENCE_MS) {
      // A line that was cut without a word takes minutes to fail by itself.
      socket.close()
      finish()
    } else if (now - lastSent > QUIET_MS) sendMessage('PING')
  }, PING_TIMER_MS)

  socket.addEventListener('message', ({ data }: MessageEvent<ArrayBuffer | string>) => {
    if (done) return
    lastHeard = Date.now()
    clearTimeout(probing)
    probing = undefined
    if (typeof data !== 'string') {
      void take(new Uint8Array(data))
      return
    }
    const message = parseJson(data) as Message | undefined
    if (typeof message?.type !== 'string') return
    switch (message.type) {
      case 'PING':
        sendMessage('PONG')
        break
      case 'CONNECT':
        // Any other id in TERMINAL_INIT is ignored by the gateway.
        id = message.id
        sendMessage('TERMINAL_INIT', JSON.stringify(events.onConnect()))
        break
      case 'TERMINAL_DATA':
        void events.onOutput(message.data)
        break
      case 'TERMINAL_SESSION':
        events.onSession(parseJson(message.data))
        break
      case 'TERMINAL_RESIZE': {
        const size = readSize(message.data)
        if (size) events.onResize(size)
        break
      }
      case 'TERMINAL_ERROR':
        events.onError(message.err || message.data)
        break
      case 'TERMINAL_MOVED':
        events.onMoved?.()
        break
      case 'CLOSE':
        orderly = true
        socket.close()
        finish()
        break
      default:
        events.onMessage?.(message.type, parseJson(message.data) ?? message.data)
    }
  })
  socket.addEventListener('close', finish)

  return {
    send(input) {
      if (socket.readyState !== WebSocket.OPEN) return
      lastSent = Date.now()
      socket.send(input as Uint8Array<ArrayBuffer>)
    },
    resize(size) {
      if (id) sendMessage('TERMINAL_RESIZE', JSON.stringify(size))
    },
    message: (type, data) => sendMessage(type, typeof data === 'string' ? data : JSON.stringify(data)),
    probe() {
      if (done || probing !== undefined) return
      sendMessage('PING')
      probing = setTimeout(() => {
        socket.close()
        finish()
      }, PROBE_MS)
    },
    quietFor: () => Date.now() - lastHeard,
    close() {
      done = true
      clearInterval(timer)
      clearTimeout(probing)
      socket.close()
    },
  }
}
