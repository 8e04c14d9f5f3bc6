import { randomUUID } from 'node:crypto'
import type { WebSocket } from '@fastify/websocket'
import { type Send, written } from '@sallyport/contract/socket/message.ts'
import type { PROTOCOLS } from '@sallyport/contract/socket/protocols.ts'

/** With more than this unsent, a browser counts as behind. */
const BACKLOG_BYTES = 1024 * 1024
/** With more than this unsent, a browser does not read at all, whatever it goes on asking for. */
const MAX_UNSENT_BYTES = 32 * 1024 * 1024
/** A browser that acknowledges output never gets more than this beyond what it has acknowledged. */
const WINDOW_BYTES = 2 * 1024 * 1024
const PING_MS = 60_000
const QUIET_MS = 30_000
/**
 * Silence after which a client counts as dead (docs/rules/web-terminal.md#alive).
 */
const SILENCE_MS = 5 * 60_000

/** All messages to any page. */
type FromGateway = (typeof PROTOCOLS)[keyof typeof PROTOCOLS]['fromGateway']

/** A browser's WebSocket: control messages as JSON, terminal bytes as binary frames. */
export class TerminalSocket {
  readonly id = randomUUID()
  readonly socket: WebSocket
  readonly #gone = new AbortController()
  #lastHeard = Date.now()
  /** Set while the browser is behind. */
  #whenDrained: (() => void) | undefined
  /** Terminal bytes sent in all. */
  #sent = 0
  /** How many of them the browser has acknowledged; undefined if it does not do that. */
  #taken: number | undefined
  #finished = false
  /** Whether words can be shown among the bytes: not where these are a desktop's. */
  showsWords = true

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
    socket.on('close', () => {
      clearInterval(alive)
      this.#gone.abort()
    })
  }

  /** Whether the end has been announced. */
  get isFinished(): boolean {
    return this.#finished
  }

  /** Aborted when the socket is closed, by either side. */
  get gone(): AbortSignal {
    return this.#gone.signal
  }

  readonly send: Send<FromGateway> = (type, ...[data]) => this.#sendMessage(type, written(data))

  /** An event of a workbench that is written already, for it is kept so. */
  sendEvent(text: string): void {
    this.#sendMessage('WORKBENCH', text)
  }

  #sendMessage(type: string, data: string): void {
    this.#send(JSON.stringify({ id: this.id, type, data }))
  }

  #send(message: string | Buffer): void {
    const { socket } = this
    if (socket.readyState !== socket.OPEN) return
    if (socket.bufferedAmount > MAX_UNSENT_BYTES) socket.terminate()
    else socket.send(message, () => this.#look())
  }

  /** Sends regardless of how much is unsent, up to what no browser lets wait. */
  show(bytes: Buffer): void {
    if (this.socket.readyState !== this.socket.OPEN) return
    this.#sent += bytes.length
    this.#send(bytes)
  }

  /** Whether the browser keeps up with what was sent; else `drained` is called once it does again. */
  hasRoom(drained: () => void): boolean {
    if (this.socket.bufferedAmount <= BACKLOG_BYTES) return true
    this.#whenDrained = drained
    return false
  }

  /** False while the browser is behind; `drained` is called afterwards. */
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
   * The browser has processed so many terminal bytes in all; after the first such message it is
   * waited for.
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
   * Announces the end, and closes once a slow connection has taken everything that was shown:
   * closing itself has a short time limit.
   */
  finish(): void {
    const { socket } = this
    if (this.#finished || socket.readyState !== socket.OPEN) return
    this.#finished = true
    socket.send(JSON.stringify({ id: this.id, type: 'CLOSE', data: '' }), () => socket.close())
    const standsStill = setTimeout(() => socket.terminate(), SILENCE_MS)
    socket.once('close', () => clearTimeout(standsStill))
  }

  /** A refusal in the person's language, in the terminal and as a message, then the end. */
  refuse(text: string): void {
    if (this.showsWords) this.show(Buffer.from(`\r\x1b[K\x1b[31m${text}\x1b[0m\r\n`))
    this.send('TERMINAL_ERROR', text)
    this.finish()
  }
}
