import { randomUUID } from 'node:crypto'
import type { WebSocket } from '@fastify/websocket'
import { z } from 'zod'

/** A browser is behind with more than this to take. */
const BACKLOG_BYTES = 1024 * 1024
/** A browser that says how much it has taken is never given more than this beyond. */
const WINDOW_BYTES = 2 * 1024 * 1024
const PING_MS = 60_000
const QUIET_MS = 30_000
/**
 * Silence after which a client is taken for dead (contract/web-terminal.yaml
 * socket_protocol.alive).
 */
const SILENCE_MS = 5 * 60_000

const messageSchema = z.object({
  id: z.string().max(64).optional(),
  type: z.string().max(64),
  data: z
    .string()
    .max(1024 * 1024)
    .optional(),
})
export type Message = z.infer<typeof messageSchema>

/** A browser's websocket: control messages as JSON, terminal bytes as binary frames. */
export class TerminalSocket {
  readonly id = randomUUID()
  readonly socket: WebSocket
  readonly #gone = new AbortController()
  #lastHeard = Date.now()
  /** Set while the browser is behind. */
  #whenDrained: (() => void) | undefined
  /** Terminal bytes, all of them. */
  #sent = 0
  /** What the browser says it has taken of them; undefined when it says nothing. */
  #taken: number | undefined
  #finished = false

  constructor(socket: WebSocket) {
    this.socket = socket
    const alive = setInterval(() => {
      const quiet = Date.now() - this.#lastHeard
      if (quiet > SILENCE_MS) socket.terminate()
      else if (quiet > QUIET_MS) this.send('PING')
    }, PING_MS)
    socket.on('message', () => {
      this.#lastHeard = Date.now()
    })
    socket.on('error', () => socket.terminate())
    socket.on('close', () => {
      clearInterval(alive)
      this.#gone.abort()
    })
  }

  /** It was said that it is over. */
  get isFinished(): boolean {
    return this.#finished
  }

  /** Aborted when the line is closed, by whichever side. */
  get gone(): AbortSignal {
    return this.#gone.signal
  }

  send(type: string, data: unknown = ''): void {
    if (this.socket.readyState === this.socket.OPEN)
      this.socket.send(
        JSON.stringify({ id: this.id, type, data: typeof data === 'string' ? data : JSON.stringify(data) }),
      )
  }

  /** Without regard to how much waits already. */
  show(bytes: Buffer): void {
    if (this.socket.readyState !== this.socket.OPEN) return
    this.#sent += bytes.length
    this.socket.send(bytes)
  }

  /** False while the browser is behind; `drained` follows then. */
  write(bytes: Buffer, drained: () => void): boolean {
    const { socket } = this
    if (socket.readyState !== socket.OPEN) return true
    this.#sent += bytes.length
    socket.send(bytes, () => this.#look())
    if (!this.#whenDrained && (socket.bufferedAmount > BACKLOG_BYTES || this.#untaken > WINDOW_BYTES))
      this.#whenDrained = drained
    return !this.#whenDrained
  }

  get #untaken(): number {
    return this.#taken === undefined ? 0 : this.#sent - this.#taken
  }

  /**
   * The browser has dealt with so many terminal bytes of this line in all; from the first time on
   * it is waited for.
   */
  taken(bytes: number): void {
    this.#taken = Math.min(bytes, this.#sent)
    this.#look()
  }

  #look(): void {
    if (this.socket.bufferedAmount > BACKLOG_BYTES / 4 || this.#untaken > WINDOW_BYTES / 2) return
    const drained = this.#whenDrained
    this.#whenDrained = undefined
    drained?.()
  }

  /**
   * Says that it is over and closes, once a slow line has taken all that was shown: closing has a
   * short time limit of its own.
   */
  finish(): void {
    const { socket } = this
    if (this.#finished || socket.readyState !== socket.OPEN) return
    this.#finished = true
    socket.send(JSON.stringify({ id: this.id, type: 'CLOSE', data: '' }), () => socket.close())
    const standsStill = setTimeout(() => socket.terminate(), SILENCE_MS)
    socket.once('close', () => clearTimeout(standsStill))
  }

  /** A refusal in the person's words, in the terminal and as a message, then the end. */
  refuse(text: string): void {
    this.show(Buffer.from(`\r\x1b[K\x1b[31m${text}\x1b[0m\r\n`))
    this.send('TERMINAL_ERROR', text)
    this.finish()
  }
}

/** Undefined when it is none. */
export function readMessage(text: string): Message | undefined {
  const read = messageSchema.safeParse(readJson(text))
  return read.success ? read.data : undefined
}

export function readJson(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '')
  } catch {
    return undefined
  }
}
