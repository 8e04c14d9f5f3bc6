import type { ClientPieces, ClientWire, Outcome, Statement } from '../../kinds/statements/streams.ts'
import type { DriverAnswer, DriverError } from './driver-messages.ts'
import { readStatement } from './read-statement.ts'

/** Listener to the server's answers, and to the end of each. */
export interface AnswerListener {
  heard(answer: DriverAnswer): void
}

/** A statement that the server has refused, or whose outcome is unknown. */
export class OracleFailure extends Error {
  readonly code: string

  constructor({ code, message }: DriverError) {
    super(message)
    this.code = code
  }
}

/**
 * A connection of our own to an Oracle database, one statement after the other: its state, and
 * what comes back, as the driver reads it.
 */
export class OracleWire implements ClientWire {
  readonly protocol = 'oracle'
  readonly place: { database: string; program: string }
  /** As the server says it; empty before somebody is signed in. */
  version = ''
  isInTransaction = false
  /**
   * Changes the password of the account that is signed in, encrypted with the key that the sign-in
   * has agreed on.
   */
  changePassword: (old: string, changed: string) => Promise<void> = () => Promise.reject(new Error('not connected'))
  #running: Statement | undefined
  #outcome: Outcome = {}
  #listener: AnswerListener | undefined
  /** The last answer before anybody listened. */
  #early: DriverAnswer | undefined
  #onOutcome: (statement: Statement, outcome: Outcome) => void = () => {}

  constructor(program: string) {
    this.place = { database: '', program }
  }

  hear(listener: AnswerListener): void {
    this.#listener = listener
    if (this.#early) listener.heard(this.#early)
  }

  /** Answers in the server's place what it was not sent. */
  refuse(error: DriverError): void {
    this.#listener?.heard({ event: 'failed', error })
    this.#listener?.heard({ event: 'ready', isInTransaction: this.isInTransaction })
  }

  readAs(text: string): readonly string[] | undefined {
    return readStatement(text)
  }

  /** The bytes are the text of a statement. */
  readInto({ statement }: ClientPieces): { read(text: Buffer): void } {
    return { read: (bytes) => statement({ text: bytes.toString(), bytes }) }
  }

  sent(statement: Statement): void {
    this.#running = statement
    this.#outcome = {}
  }

  onOutcome(then: (statement: Statement, outcome: Outcome) => void): void {
    this.#onOutcome = then
  }

  heard(answer: DriverAnswer): void {
    if (answer.event === 'failed')
      this.#outcome = { ...this.#outcome, error: answer.error.message, code: answer.error.code }
    if (answer.event === 'done' && answer.rows !== undefined)
      this.#outcome.rows = (this.#outcome.rows ?? 0) + answer.rows
    if (answer.event === 'ready') {
      this.isInTransaction = answer.isInTransaction
      const statement = this.#running
      this.#running = undefined
      if (statement) this.#onOutcome(statement, this.#outcome)
    }
    if (this.#listener) this.#listener.heard(answer)
    else this.#early = answer
  }
}
