import type { ClientPieces, Statement } from '../../kinds/statements/streams.ts'
import { type NoticeCode, notice } from '../../session/notice.ts'
import type { ClientEncoding } from '../client-encoding.ts'
import { ProtocolViolation } from '../protocol-violation.ts'
import type { Denials } from './denials.ts'
import type { Exchange } from './exchange.ts'
import { type MessageVisitor, MessageWalker, wantedTypes } from './message-walker.ts'
import { CLIENT, type ErrorFields, HEADER_BYTES, message, needText } from './messages.ts'
import { nameOf } from './prepared-statements.ts'

/** Limit of a statement that is judged and recorded, in bytes; the rest goes on unseen. */
const STATEMENT_BYTES = 1024 * 1024
/**
 * Limit of the statements that are prepared before a Sync, in bytes: until then a server may not
 * report their outcomes.
 */
const BATCH_BYTES = 16 * 1024 * 1024
/** Two names, each of at most 63 bytes where the server looks at them. */
const NAMES_BYTES = 1024
/** Behind so much, the server is asked for the answers that it has. */
const UNHURRIED = 256
const FLUSH = message(CLIENT.flush)
const NO_BODY = HEADER_BYTES
/** In a Close, what is closed is not a portal. */
const STATEMENT = 'S'.charCodeAt(0)
/** https://www.postgresql.org/docs/18/errcodes-appendix.html */
const INSUFFICIENT_PRIVILEGE = '42501'
const QUERY_CANCELED = '57014'
const BACKSLASH = 0x5c
/** Encodings differ in whether this is a backslash; in quotes, all of them agree. */
const DOUBTFUL = /[\x80-\xff]\\/
const FORGOTTEN = notice(
  'denied',
  'Too much was prepared since. It is not known any more what this is: prepare it again',
  {},
  'urgent',
)

/**
 * Reads what a client sends once it is signed in: which of it are statements, and what the server
 * will answer to.
 */
export class ClientSide implements MessageVisitor {
  readonly wanted = wantedTypes([
    [CLIENT.query, STATEMENT_BYTES],
    [CLIENT.parse, STATEMENT_BYTES],
    [CLIENT.bind, NAMES_BYTES],
    [CLIENT.execute, NAMES_BYTES],
    [CLIENT.close, NAMES_BYTES],
    [CLIENT.describe, NAMES_BYTES],
    [CLIENT.functionCall, 9],
    [CLIENT.sync, NO_BODY],
    [CLIENT.copyDone, NO_BODY],
    [CLIENT.copyFail, NO_BODY],
    [CLIENT.terminate, NO_BODY],
  ])
  readonly #walker = new MessageWalker(this)
  readonly #exchange: Exchange
  readonly #denials: Denials
  readonly #encoding: ClientEncoding
  readonly #pieces: ClientPieces
  /** The statement to which the next bytes belong. */
  #current: Statement | undefined
  /** The next bytes do not reach the server. */
  #isDropped = false
  #batchBytes = 0
  /** Prepared, or run, since the server was asked for its answers. */
  #unhurried = 0

  constructor(parts: { exchange: Exchange; denials: Denials; encoding: ClientEncoding; pieces: ClientPieces }) {
    this.#exchange = parts.exchange
    this.#denials = parts.denials
    this.#encoding = parts.encoding
    this.#pieces = parts.pieces
  }

  /** Throws ProtocolViolation. */
  read(bytes: Buffer): void {
    this.#walker.walk(bytes)
  }

  pass(bytes: Buffer): void {
    this.#pieces.pass(bytes)
  }

  rest(bytes: Buffer): void {
    if (this.#isDropped) return
    if (this.#current) this.#pieces.rest(this.#current, bytes)
    else this.#pieces.pass(bytes)
  }

  message(type: number, bytes: Buffer, length: number): void {
    this.#current = undefined
    this.#checkPhase(type)
    this.#isDropped = type !== CLIENT.sync && type !== CLIENT.terminate && this.#exchange.isDeaf
    if (this.#isDropped) return
    const isCut = bytes.length < length
    if (type === CLIENT.query) this.#query(this.#read(bytes, HEADER_BYTES, isCut), bytes, isCut)
    // By number, and what it does is not to be seen: a rule can't be about it.
    else if (type === CLIENT.functionCall)
      this.#query({ text: `function call ${bytes.length < 9 ? '' : bytes.readInt32BE(HEADER_BYTES)}` }, bytes, true)
    else if (type === CLIENT.parse) this.#parse(bytes, isCut)
    else if (type === CLIENT.execute) this.#execute(bytes)
    else if (type === CLIENT.terminate) this.#pieces.leave()
    else {
      this.#note(type, bytes)
      this.#pieces.pass(bytes)
    }
  }

  /** Servers differ in what they make of it, and in what they answer then. Throws ProtocolViolation. */
  #checkPhase(type: number): void {
    if (this.#exchange.isCopyIn && !IN_COPY.has(type))
      throw new ProtocolViolation('a message in the middle of what is copied')
    if (type === CLIENT.sync) this.#endBatch()
  }

  #endBatch(): void {
    this.#batchBytes = 0
    this.#unhurried = 0
  }

  /**
   * Until a Sync a server may keep its answers to itself; with so many outstanding that nothing more is read, the Sync
   * would not come.
   */
  #hurry(): void {
    if (++this.#unhurried <= UNHURRIED) return
    this.#unhurried = 0
    this.#pieces.pass(FLUSH)
  }

  /** Notes messages that belong to prepared statements, and those that the server answers. */
  #note(type: number, bytes: Buffer): void {
    const exchange = this.#exchange
    if (type === CLIENT.sync) exchange.asked({ step: 'sync' })
    else if (type === CLIENT.bind) {
      const portal = needText(bytes, HEADER_BYTES)
      const name = needText(bytes, portal.end).text
      exchange.prepared.bind(portal.text, name)
      const preparation = exchange.prepared.last(name)?.fresh
      exchange.asked({ step: 'bind', portal: nameOf(portal.text), preparation })
    } else if (type === CLIENT.close) {
      const isStatement = bytes[HEADER_BYTES] === STATEMENT
      const name = needText(bytes, HEADER_BYTES + 1).text
      exchange.asked({ step: 'close', closed: isStatement ? exchange.prepared.last(name) : undefined })
    } else if (type === CLIENT.describe) {
      const isStatement = bytes[HEADER_BYTES] === STATEMENT
      const name = needText(bytes, HEADER_BYTES + 1).text
      const about = isStatement ? exchange.prepared.last(name) : exchange.prepared.boundTo(name)
      const portal = isStatement ? undefined : nameOf(name)
      exchange.asked({ step: 'describe', portal, preparation: about?.fresh })
    } else exchange.copyDone()
  }

  #query(read: Read, bytes: Buffer, isCut: boolean): void {
    const substitute: Statement['substitute'] = (...why) => this.#denials.query(this.#errorOf(...why))
    const statement: Statement = { ...read, bytes, isCut, substitute }
    // Its answer is one for all that was prepared before.
    this.#endBatch()
    this.#exchange.asked({ step: 'query', statement })
    this.#submit(statement)
  }

  #parse(bytes: Buffer, isCut: boolean): void {
    this.#batchBytes += bytes.length
    if (this.#batchBytes > BATCH_BYTES) throw new ProtocolViolation('too much is prepared without a Sync')
    const name = needText(bytes, HEADER_BYTES)
    const statement = this.#step(this.#read(bytes, name.end, isCut), bytes, isCut)
    this.#hurry()
    const prepared = this.#exchange.prepared.prepare(name.text, statement, isCut)
    this.#exchange.asked({ step: 'parse', statement, prepared })
    this.#submit(statement)
  }

  #execute(bytes: Buffer): void {
    const portal = needText(bytes, HEADER_BYTES).text
    const { text, others, isCut, isForgotten, step } = this.#exchange.prepared.execution(portal)
    const forbidden = isForgotten ? FORGOTTEN : undefined
    const statement: Statement = { ...this.#step({ text, others }, bytes, isCut), forbidden, step }
    this.#exchange.prepared.runs(portal, statement)
    this.#hurry()
    this.#exchange.asked({ step: 'execute', statement, portal: nameOf(portal) })
    this.#submit(statement)
  }

  #step(read: Read, bytes: Buffer, isCut: boolean): Statement {
    const substitute: Statement['substitute'] = (...why) => this.#denials.step(this.#errorOf(...why))
    return { ...read, bytes, isCut, substitute }
  }

  #errorOf(words: string, why: NoticeCode): ErrorFields {
    return {
      code: why === 'withdrawn' ? QUERY_CANCELED : INSUFFICIENT_PRIVILEGE,
      message: this.#encoding.encodable(words),
    }
  }

  #submit(statement: Statement): void {
    this.#current = statement
    this.#pieces.statement(statement)
  }

  /** The server says which encoding it reads, but what it has not answered yet may change it. */
  #read(bytes: Buffer, at: number, isCut: boolean): Read {
    const written = isCut ? bytes.subarray(at) : needText(bytes, at).text
    const text = this.#encoding.decode(written)
    const isSame = !written.includes(BACKSLASH) || !DOUBTFUL.test(written.toString('latin1'))
    return { text, others: isSame ? undefined : this.#encoding.othersOf(written, text, this.#exchange.isIdle) }
  }
}

type Read = Pick<Statement, 'text' | 'others'>

/** Messages that a server takes during a copy; the content of data does not matter. */
const IN_COPY = new Set<number>([CLIENT.copyDone, CLIENT.copyFail, CLIENT.sync, CLIENT.terminate])
