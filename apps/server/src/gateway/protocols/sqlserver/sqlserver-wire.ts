import type { ClientPieces, ClientWire, Outcome, Statement } from '../../kinds/statements/streams.ts'
import { ProtocolViolation } from '../protocol-violation.ts'
import { MESSAGE, message, PACKET_BYTES, PacketReader } from './packets.ts'
import { readBatch } from './read-batch.ts'
import { CHANGED, type ServerMessage, type TokenListener, TokenReader } from './tokens.ts'

/** Headers of a batch ([MS-TDS] §2.2.5.3): their length, one of them, the transaction it runs in. */
const HEADERS_BYTES = 22
const TRANSACTION_HEADER = 2
const TRANSACTION_AT = 10
/** None is open. */
const NO_TRANSACTION = Buffer.alloc(8)
/** An error; below it the server only tells something. */
const ERROR_LEVEL = 11
const ATTENTION = message(MESSAGE.attention, Buffer.alloc(0))
const CANCELLED = 'The statement was cancelled'

/** Listener to the server's answers, and to the end of each. */
export interface AnswerListener extends Pick<TokenListener, 'columns' | 'row' | 'message'> {
  done(done: { rows: number | undefined }): void
  /** `isTooLate`: all of it had been run before the server heard of the cancel. */
  cancelled(cancel: { isTooLate: boolean }): void
  ready(): void
}

export const isError = ({ level }: ServerMessage): boolean => level >= ERROR_LEVEL

/**
 * A connection of our own to a SQL Server, one batch of statements after the other: what goes out,
 * what comes back, and the state of the connection.
 */
export class SqlServerWire implements ClientWire {
  readonly protocol = 'sqlserver'
  readonly place: { database: string; program: string }
  /** As the server calls itself; empty before somebody is signed in. */
  version = ''
  #transaction = NO_TRANSACTION
  #packetBytes = PACKET_BYTES
  #running: Statement | undefined
  #outcome: Outcome = {}
  #cancel: 'no' | 'wanted' | 'sent' = 'no'
  /** The server has run it to its end. */
  #hasEnded = false
  #listener: AnswerListener | undefined
  /** The server waited for the first statement before anybody listened. */
  #isReady = false
  #onOutcome: (statement: Statement, outcome: Outcome) => void = () => {}
  readonly #packets: PacketReader

  constructor(program: string) {
    this.place = { database: '', program }
    const tokens = new TokenReader({
      columns: (columns) => this.#listener?.columns(columns),
      row: (values) => this.#listener?.row(values),
      message: (message) => this.#onMessage(message),
      done: (done) => this.#done(done),
      cancelled: () => this.#cancelled(),
      changed: (what, value) => this.#changed(what, value),
      signedIn: (version) => {
        this.version = version
      },
    })
    this.#packets = new PacketReader(
      (bytes) => tokens.read(bytes),
      () => {
        if (tokens.isWithin) throw new ProtocolViolation('a message ends within a token')
        this.#messageOver()
      },
    )
  }

  get isInTransaction(): boolean {
    return !this.#transaction.equals(NO_TRANSACTION)
  }

  hear(listener: AnswerListener): void {
    this.#listener = listener
    if (this.#isReady) listener.ready()
  }

  /** Answers in the server's place what it was not sent. */
  refuse(message: ServerMessage): void {
    this.#cancel = 'no'
    this.#listener?.message(message)
    this.#listener?.ready()
  }

  readAs(text: string): readonly string[] | undefined {
    return readBatch(text)
  }

  /** A batch as it goes out now: it says in which transaction. */
  batch(text: string): Buffer {
    const headers = Buffer.alloc(HEADERS_BYTES)
    headers.writeUInt32LE(HEADERS_BYTES, 0)
    headers.writeUInt32LE(HEADERS_BYTES - 4, 4)
    headers.writeUInt16LE(TRANSACTION_HEADER, 8)
    this.#transaction.copy(headers, TRANSACTION_AT)
    // One request at a time.
    headers.writeUInt32LE(1, TRANSACTION_AT + 8)
    return message(MESSAGE.batch, Buffer.concat([headers, Buffer.from(text, 'utf16le')]), this.#packetBytes)
  }

  /** The bytes are the text of a batch. */
  readInto({ statement }: ClientPieces): { read(text: Buffer): void } {
    return {
      read: (bytes) => {
        const text = bytes.toString()
        statement({ text, bytes: this.batch(text) })
      },
    }
  }

  /** It has gone out. Answers what goes out behind it. */
  sent(statement: Statement): Buffer {
    this.#running = statement
    this.#outcome = {}
    this.#hasEnded = false
    return this.#cancel === 'wanted' ? this.#attention() : Buffer.alloc(0)
  }

  /** Message that cancels the request that runs, or is about to. */
  cancel(): Buffer {
    if (this.#cancel === 'sent') return Buffer.alloc(0)
    this.#cancel = 'wanted'
    return this.#running ? this.#attention() : Buffer.alloc(0)
  }

  /** Throws ProtocolViolation. Nobody else reads what comes. */
  read(bytes: Buffer): Buffer {
    this.#packets.read(bytes)
    return Buffer.alloc(0)
  }

  onOutcome(then: (statement: Statement, outcome: Outcome) => void): void {
    this.#onOutcome = then
  }

  #attention(): Buffer {
    this.#cancel = 'sent'
    return ATTENTION
  }

  #onMessage(message: ServerMessage): void {
    if (isError(message) && this.#outcome.error === undefined)
      this.#outcome = { ...this.#outcome, error: message.text, code: String(message.number) }
    this.#listener?.message(message)
  }

  #done({ rows, isLast }: { rows: number | undefined; isLast: boolean }): void {
    this.#hasEnded = isLast
    if (rows !== undefined) this.#outcome.rows = (this.#outcome.rows ?? 0) + rows
    this.#listener?.done({ rows })
  }

  /** A server answers a cancel that comes too late, too ([MS-TDS] §2.2.1.7): what it has done stays done. */
  #cancelled(): void {
    this.#cancel = 'no'
    if (!this.#hasEnded) this.#outcome = { ...this.#outcome, error: this.#outcome.error ?? CANCELLED }
    this.#listener?.cancelled({ isTooLate: this.#hasEnded })
  }

  /** A cancel is answered by itself: what comes until then belongs to the statement. */
  #messageOver(): void {
    if (this.#cancel === 'sent') return
    this.#cancel = 'no'
    const statement = this.#running
    this.#running = undefined
    if (statement) this.#onOutcome(statement, this.#outcome)
    if (this.#listener) this.#listener.ready()
    else this.#isReady = true
  }

  #changed(what: number, value: Buffer): void {
    switch (what) {
      case CHANGED.database:
        this.place.database = value.toString('utf16le')
        return
      case CHANGED.packetBytes: {
        const bytes = Number(value.toString('utf16le'))
        if (!(bytes >= 512 && bytes <= 32_767)) throw new ProtocolViolation('invalid packet size')
        this.#packetBytes = bytes
        return
      }
      case CHANGED.begun:
        this.#transaction = value.length === NO_TRANSACTION.length ? Buffer.from(value) : NO_TRANSACTION
        return
      case CHANGED.committed:
      case CHANGED.rolledBack:
      case CHANGED.ended:
        this.#transaction = NO_TRANSACTION
    }
  }
}
