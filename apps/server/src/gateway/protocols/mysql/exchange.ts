import { Queue } from '../../../kernel/queue.ts'
import type { Outcome, Statement } from '../../kinds/statements/streams.ts'
import { ProtocolViolation } from '../protocol-violation.ts'
import { type PreparedText, PreparedTexts } from './prepared-texts.ts'

/** Nobody asks for so much before hearing anything. */
const MAX_EXPECTED = 10_000

/**
 * How an answer looks: of one packet, of a statement's results, of rows, of the columns of a table,
 * or of a statement that is prepared.
 */
export type AnswerShape = 'one' | 'results' | 'rows' | 'columns' | 'prepared'

/** A request of the client that waits for its answer. */
export interface Expected {
  shape: AnswerShape
  statement?: Statement | undefined
  /** Was asked for with a cursor, so that its rows are fetched later. */
  text?: PreparedText | undefined
  /** Called once the server has done it. */
  onDone?: (() => void) | undefined
  /** The server is not asked: the client gets this in its turn. */
  own?: Buffer | undefined
}

/** Requests between one client and its server: answers come in the order of the requests. */
export class Exchange {
  readonly prepared = new PreparedTexts()
  /** A statement is over. */
  onOutcome: (statement: Statement, outcome: Outcome) => void = () => {}
  /** Bytes for the client although the server has sent nothing. */
  onOwn: (bytes: Buffer) => void = () => {}
  readonly #expected = new Queue<Expected>()
  /** Those of statements: of many that are refused behind one that lasts, none is looked for among all. */
  readonly #ofStatements = new Map<Statement, Expected>()

  /** The request that the server is answering, or will next. */
  get head(): Expected | undefined {
    return this.#expected.head
  }

  /** Throws ProtocolViolation when too much is waited for. */
  asked(expected: Expected): void {
    if (this.#expected.length >= MAX_EXPECTED) throw new ProtocolViolation('too many commands wait for their answers')
    this.#expected.push(expected)
    if (expected.statement) this.#ofStatements.set(expected.statement, expected)
    if (expected.own && this.head === expected) this.onOwn(this.takeOwn())
  }

  /** The server will not be asked for the statement: the client gets `own` in its turn. */
  refuse(statement: Statement, own: Buffer): void {
    const expected = this.#ofStatements.get(statement)
    if (!expected) return
    this.#ofStatements.delete(statement)
    if (expected.text) this.prepared.isNotPrepared(expected.text)
    expected.own = own
    // Only its answer is to come: what was sent may be long.
    expected.statement = undefined
    expected.text = undefined
    if (this.head === expected) this.onOwn(this.takeOwn())
  }

  /** The server has answered all of the head. */
  over(outcome: Outcome): void {
    const done = this.#expected.shift()
    if (outcome.error === undefined) done?.onDone?.()
    else if (done?.text) this.prepared.isNotPrepared(done.text)
    if (!done?.statement) return
    this.#ofStatements.delete(done.statement)
    this.onOutcome(done.statement, outcome)
  }

  /** Bytes to send now in place of the server. */
  takeOwn(): Buffer {
    const own: Buffer[] = []
    for (let head = this.head; head?.own; head = this.head) {
      own.push(head.own)
      this.#expected.shift()
    }
    return Buffer.concat(own)
  }
}
