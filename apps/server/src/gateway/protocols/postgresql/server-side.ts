import type { ClientEncoding } from '../client-encoding.ts'
import { Contiguous } from '../contiguous.ts'
import { ClientViolation } from '../protocol-violation.ts'
import type { Denials } from './denials.ts'
import type { Exchange } from './exchange.ts'
import { type MessageVisitor, MessageWalker, wantedTypes } from './message-walker.ts'
import { errorFields, HEADER_BYTES, report, SERVER, textAt } from './messages.ts'

/** https://www.postgresql.org/docs/18/errcodes-appendix.html */
const PROTOCOL_VIOLATION = '08P01'
const NO_BODY = 5
const TAG_BYTES = 256
const PARAMETER_BYTES = 1024
const KEY_BYTES = 512
/** An error's first fields, with its code and its words. */
const ERROR_BYTES = 64 * 1024

interface Parts {
  exchange: Exchange
  denials: Denials
  encoding: ClientEncoding
  /** Key by which the client cancels, instead of the server's. */
  cancelKey: Buffer
}

/**
 * Reads the answers of a server: the outcomes of statements. All of them go on to the client as
 * they came, but for the key that cancels, and errors that replace a refusal.
 */
export class ServerSide implements MessageVisitor {
  readonly wanted = wantedTypes([
    [SERVER.commandComplete, TAG_BYTES],
    [SERVER.errorResponse, ERROR_BYTES],
    [SERVER.parameterStatus, PARAMETER_BYTES],
    [SERVER.backendKeyData, KEY_BYTES],
    [SERVER.copyInResponse, NO_BODY],
    [SERVER.parseComplete, NO_BODY],
    [SERVER.closeComplete, NO_BODY],
    [SERVER.emptyQueryResponse, NO_BODY],
    [SERVER.portalSuspended, NO_BODY],
    [SERVER.bindComplete, NO_BODY],
    [SERVER.noData, NO_BODY],
    [SERVER.rowDescription, NO_BODY],
    [SERVER.readyForQuery, NO_BODY + 1],
  ])
  readonly #walker = new MessageWalker(this)
  readonly #parts: Parts
  readonly #forClient = new Contiguous()
  /** Bytes to send between two messages of the server. */
  #between: Buffer[] = []

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Answers what goes to the client. Throws ProtocolViolation. */
  read(bytes: Buffer): Buffer {
    try {
      this.#walker.walk(bytes)
    } catch (error) {
      if (error instanceof ClientViolation) {
        this.#forClient.add(report('FATAL', { code: PROTOCOL_VIOLATION, message: error.message }))
        error.last = this.#forClient.take()
      }
      throw error
    }
    if (this.#walker.isBetweenMessages) this.#sayAll()
    return this.#forClient.take()
  }

  onOutcome(then: Exchange['onOutcome']): void {
    this.#parts.exchange.onOutcome = then
  }

  /** Whether something may be said to the client now. */
  get isBetweenMessages(): boolean {
    return this.#walker.isBetweenMessages
  }

  /** Tells the client as soon as a message of the server has ended. */
  say(report: Buffer): void {
    this.#between.push(report)
  }

  pass(bytes: Buffer): void {
    this.#forClient.add(bytes)
  }

  rest(bytes: Buffer): void {
    this.#forClient.add(bytes)
  }

  message(type: number, bytes: Buffer, length: number): void {
    this.#sayAll()
    this.#forClient.add(this.#read(type, bytes, length))
  }

  /** Answers what goes to the client instead. */
  #read(type: number, bytes: Buffer, length: number): Buffer {
    const { exchange, encoding, cancelKey } = this.#parts
    switch (type) {
      case SERVER.commandComplete:
        exchange.completed(rowsOf(bytes))
        break
      case SERVER.emptyQueryResponse:
      case SERVER.portalSuspended:
        exchange.completed(undefined)
        break
      case SERVER.parseComplete:
        exchange.parseComplete()
        break
      case SERVER.bindComplete:
        exchange.stepComplete('bind')
        break
      case SERVER.noData:
      case SERVER.rowDescription:
        exchange.stepComplete('describe')
        break
      case SERVER.closeComplete:
        exchange.closeComplete()
        break
      case SERVER.copyInResponse:
        exchange.copyIn()
        break
      case SERVER.readyForQuery:
        exchange.ready()
        break
      case SERVER.errorResponse:
        return this.#error(bytes, length)
      case SERVER.backendKeyData:
        return cancelKey
      case SERVER.parameterStatus: {
        const name = textAt(bytes, 5)
        const value = name && textAt(bytes, name.end)
        if (value && name.text.toString() === 'client_encoding') encoding.set(value.text.toString())
      }
    }
    return bytes
  }

  #error(bytes: Buffer, length: number): Buffer {
    const { exchange, denials, encoding } = this.#parts
    const fields = errorFields(bytes, encoding.decode)
    const instead = bytes.length === length ? denials.instead(fields) : undefined
    exchange.failed(instead ?? fields)
    return instead ? report('ERROR', instead) : bytes
  }

  #sayAll(): void {
    if (!this.#between.length) return
    for (const one of this.#between.splice(0)) this.#forClient.add(one)
  }
}

/** The last word of `INSERT 0 5`, `SELECT 5`, `COPY 5`. */
function rowsOf(bytes: Buffer): number | undefined {
  let at = bytes.length - 1
  if (bytes[at] === 0) at--
  let rows: number | undefined
  for (let unit = 1; isDigit(bytes[at]) && at >= HEADER_BYTES; at--, unit *= 10)
    rows = (rows ?? 0) + unit * ((bytes[at] as number) - ZERO)
  return rows
}

const ZERO = '0'.charCodeAt(0)
const isDigit = (byte: number | undefined) => byte !== undefined && byte >= ZERO && byte < ZERO + 10
