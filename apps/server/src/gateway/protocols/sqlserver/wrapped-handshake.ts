import { Duplex } from 'node:stream'
import { HEADER_BYTES, MESSAGE, message, readHeader } from './packets.ts'

/** How records of TLS begin: change of cipher, alert, handshake, application data. */
const FIRST_RECORD = 0x14
const LAST_RECORD = 0x17
const APPLICATION_DATA = 0x17

const isRecord = (byte: number | undefined) => byte !== undefined && byte >= FIRST_RECORD && byte <= LAST_RECORD

/**
 * Transport of TLS to a SQL Server: while it is agreed on, its records travel in packets of the
 * server's own protocol, each flight a message ([MS-TDS] §3.2.5.1); afterwards as they are. Only
 * TLS 1.2 and older end the one where the other begins.
 */
export class WrappedHandshake extends Duplex {
  readonly #stream: Duplex
  #isWrapping = true
  /** Pieces of packets that are not whole yet. */
  #pending: Buffer = Buffer.alloc(0)
  #isUnwrapping = true

  constructor(stream: Duplex) {
    super({ allowHalfOpen: false })
    this.#stream = stream
    stream.on('data', (bytes: Buffer) => this.#take(bytes))
    stream.once('end', () => this.push(null))
    stream.once('close', () => this.destroy())
    stream.on('error', (error) => this.destroy(error))
  }

  override _read(): void {
    this.#stream.resume()
  }

  override _write(bytes: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.#send(bytes, done)
  }

  /** One flight is one message. */
  override _writev(chunks: { chunk: Buffer }[], done: (error?: Error | null) => void): void {
    this.#send(Buffer.concat(chunks.map(({ chunk }) => chunk)), done)
  }

  override _final(done: () => void): void {
    this.#stream.end(done)
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#stream.destroy()
    done(error)
  }

  #send(bytes: Buffer, done: (error?: Error | null) => void): void {
    if (bytes[0] === APPLICATION_DATA) this.#isWrapping = false
    this.#stream.write(this.#isWrapping ? message(MESSAGE.preLogin, bytes) : bytes, done)
  }

  #take(bytes: Buffer): void {
    let rest = this.#pending.length ? Buffer.concat([this.#pending, bytes]) : bytes
    while (rest.length && this.#isUnwrapping) {
      if (isRecord(rest[0])) this.#isUnwrapping = false
      else {
        const end = rest.length < HEADER_BYTES ? Number.POSITIVE_INFINITY : this.#lengthOf(rest)
        if (rest.length < end) break
        this.#give(rest.subarray(HEADER_BYTES, end))
        rest = rest.subarray(end)
      }
    }
    this.#pending = this.#isUnwrapping ? rest : Buffer.alloc(0)
    if (!this.#isUnwrapping && rest.length) this.#give(rest)
  }

  #lengthOf(packet: Buffer): number {
    try {
      return readHeader(packet).length
    } catch (error) {
      this.destroy(error as Error)
      return Number.POSITIVE_INFINITY
    }
  }

  #give(bytes: Buffer): void {
    if (!this.push(bytes)) this.#stream.pause()
  }
}
