import { Duplex } from 'node:stream'

/** Calls to the other end. */
export interface SocketPort {
  send(bytes: Uint8Array): void
  read(count: number): void
}

/**
 * The connection to the server as the driver sees it: somebody else has connected, through the
 * gateways and with TLS where that is due, and passes on what either sends.
 */
export class ThreadSocket extends Duplex {
  readonly #port: SocketPort
  #unread = 0
  #sent: (() => void) | undefined
  /** The driver asks for them, and shows them nobody. */
  readonly remoteAddress = '127.0.0.1'
  readonly remotePort = 0

  constructor(port: SocketPort) {
    super()
    this.#port = port
  }

  setNoDelay(): this {
    return this
  }
  setKeepAlive(): this {
    return this
  }

  /** From the server. */
  arrived(bytes: Uint8Array): void {
    this.#unread += bytes.length
    if (this.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length))) this._read()
  }

  /** The last write has gone out. */
  wentOut(): void {
    const then = this.#sent
    this.#sent = undefined
    then?.()
  }

  /** The server has hung up. */
  hungUp(): void {
    if (!this.readableEnded) this.push(null)
  }

  override _read(): void {
    if (this.#unread) this.#port.read(this.#unread)
    this.#unread = 0
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#sent = done
    // A copy: what the driver writes into stays its own.
    this.#port.send(new Uint8Array(chunk))
  }
}
