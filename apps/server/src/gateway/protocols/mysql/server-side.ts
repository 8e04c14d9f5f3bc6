import type { Statement } from '../../kinds/statements/streams.ts'
import type { ClientEncoding } from '../client-encoding.ts'
import { Contiguous } from '../contiguous.ts'
import { ProtocolViolation } from '../protocol-violation.ts'
import type { Exchange, Expected } from './exchange.ts'
import { mayAskFor } from './local-file.ts'
import { type PacketVisitor, PacketWalker } from './packet-walker.ts'
import { ANSWER, HEADER_BYTES, readError, readOk, STATUS } from './packets.ts'

/** Longest packet of those that say how an answer goes on. */
const MAX_BYTES = 64 * 1024
/** An end, unlike a row that begins alike, is shorter than this. */
const END_BYTES = 9

interface Parts {
  exchange: Exchange
  encoding: ClientEncoding
  /** The client sends a file now: what comes from it are no commands. */
  onFile(): void
}

/**
 * Reads what a server answers: where each answer ends, and what became of statements
 * (https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_command_phase.html, without
 * `CLIENT_DEPRECATE_EOF`). All of it goes on to the client as it came.
 */
export class ServerSide implements PacketVisitor {
  readonly #walker = new PacketWalker(this)
  readonly #parts: Parts
  readonly #forClient = new Contiguous()
  /** The request that is being answered. */
  #answering: Expected | undefined
  #part: 'first' | 'columns' | 'rows' = 'first'
  /** Groups of columns that are still to come of a prepared statement. */
  #groups = 0
  #rows: number | undefined
  /** Number of the last packet of the current answer; 0: there is none. */
  #sequence = 0

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Answers what goes to the client. Throws ProtocolViolation. */
  read(bytes: Buffer): Buffer {
    this.#walker.walk(bytes)
    return this.#forClient.take()
  }

  onOutcome(then: Exchange['onOutcome']): void {
    this.#parts.exchange.onOutcome = then
  }

  /**
   * The number of a packet that can be put in now for the client to read as the end of an answer;
   * undefined within a packet.
   */
  get nextSequence(): number | undefined {
    return this.#walker.isBetweenPackets ? this.#sequence + 1 : undefined
  }

  wanted(first: number, length: number, sequence: number): number {
    const { head } = this.#parts.exchange
    if (!head) return 0
    if (this.#answering !== head) this.#begin(head)
    this.#sequence = sequence
    if (this.#part === 'first' || first === ANSWER.error || (first === ANSWER.end && length < END_BYTES)) {
      if (length > MAX_BYTES) throw new ProtocolViolation('invalid answer')
      return Math.max(length, 1)
    }
    if (this.#part === 'rows') this.#rows = (this.#rows ?? 0) + 1
    return 0
  }

  packet(bytes: Buffer): void {
    const head = this.#answering
    const body = bytes.subarray(HEADER_BYTES)
    if (head && this.#part === 'first' && body[0] === ANSWER.localFile) this.#checkFile(head, body)
    this.#forClient.add(bytes)
    if (head && this.#isLast(head, body)) this.#over(head, body)
  }

  pass(bytes: Buffer): void {
    this.#forClient.add(bytes)
  }

  rest(bytes: Buffer): void {
    this.#forClient.add(bytes)
  }

  #begin(head: Expected): void {
    this.#answering = head
    this.#part = head.shape === 'rows' ? 'rows' : head.shape === 'columns' ? 'columns' : 'first'
    this.#groups = 0
    this.#rows = undefined
  }

  /** Whether the answer ends with this packet. */
  #isLast(head: Expected, body: Buffer): boolean {
    const first = body[0]
    if (head.shape === 'one' || first === ANSWER.error) return true
    if (this.#part !== 'first') return this.#isEnd(head, body)
    if (head.shape === 'prepared') return !this.#prepares(head, body)
    if (first === ANSWER.ok) {
      const { rows, status } = readOk(body)
      this.#rows = (this.#rows ?? 0) + rows
      return !(status & STATUS.moreResults)
    }
    if (first === ANSWER.localFile) this.#parts.onFile()
    else this.#part = 'columns'
    return false
  }

  #isEnd(head: Expected, body: Buffer): boolean {
    const status = body.length < 5 ? 0 : body.readUInt16LE(3)
    if (head.shape === 'prepared') return --this.#groups === 0
    if (head.shape !== 'results') return true
    if (this.#part === 'columns') {
      this.#part = 'rows'
      this.#rows ??= 0
      return (status & STATUS.cursorExists) !== 0
    }
    this.#part = 'first'
    return !(status & STATUS.moreResults)
  }

  /** Whether parameters or columns follow. */
  #prepares(head: Expected, body: Buffer): boolean {
    if (body.length < HEADER_BYTES + 5) throw new ProtocolViolation('invalid answer')
    if (head.text) this.#parts.exchange.prepared.isPrepared(body.readUInt32LE(1), head.text)
    this.#groups = (body.readUInt16LE(5) ? 1 : 0) + (body.readUInt16LE(7) ? 1 : 0)
    this.#part = 'columns'
    return this.#groups > 0
  }

  #over(head: Expected, body: Buffer): void {
    const { exchange, encoding } = this.#parts
    this.#answering = undefined
    this.#sequence = 0
    const rows = this.#rows === undefined || head.shape === 'one' ? {} : { rows: this.#rows }
    if (body[0] === ANSWER.error) {
      const { number, message } = readError(body, encoding.decode)
      exchange.over({ ...rows, error: message, code: String(number) })
    } else exchange.over(rows)
    this.#forClient.add(exchange.takeOwn())
  }

  /** Only what the client has offered to send is asked of it. */
  #checkFile(head: Expected, body: Buffer): void {
    const name = this.#parts.encoding.decode(body.subarray(1))
    const statement: Statement | undefined = head.statement
    if (head.shape !== 'results' || !statement || !mayAskFor(name, statement.text))
      throw new ProtocolViolation('The server asks for a file that was not offered to it')
  }
}
