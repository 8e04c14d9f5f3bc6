import type { Outcome, Statement } from '../../kinds/statements/streams.ts'
import type { ErrorFields } from './messages.ts'
import { type Prepared, PreparedStatements } from './prepared-statements.ts'

/** What the server will answer, in the order in which it was asked. */
type Expected =
  | { step: 'query' | 'execute'; statement: Statement }
  | { step: 'parse'; statement: Statement; prepared: Prepared }
  /** Undefined: a portal. */
  | { step: 'close'; name: string | undefined }
  | { step: 'sync' }
  /** The client has ended what it copies; no answer of its own. */
  | { step: 'copyDone' }

/**
 * What is under way between one client and its server: which answer belongs to which statement
 * (https://www.postgresql.org/docs/18/protocol-flow.html). Of a batch, messages up to a Sync, the
 * server leaves out what follows an error.
 */
export class Exchange {
  readonly prepared = new PreparedStatements()
  /** A statement is over; those that were left out have an empty outcome. */
  onOutcome: (statement: Statement, outcome: Outcome) => void = () => {}
  /** The server begins by saying that it is ready. */
  readonly #expected: Expected[] = [{ step: 'sync' }]
  /** Prepared, and not run in their batch so far. */
  readonly #onlyPrepared: Statement[] = []
  #rows: number | undefined
  #error: ErrorFields | undefined
  /** The rest of the batch is left out. */
  #isLeftOut = false
  /** The server takes what the client copies, and no Sync. */
  #isCopyIn = false

  /** The server has answered all that it was asked. */
  get isIdle(): boolean {
    return this.#expected.length === 0
  }

  /** The client has asked for it. */
  asked(expected: Expected): void {
    if (expected.step === 'copyDone') this.#isCopyIn = false
    if (expected.step === 'sync') this.prepared.endBatch()
    if (expected.step === 'sync' && this.#isCopyIn) return
    this.#expected.push(expected)
  }

  parseComplete(): void {
    const head = this.#head()
    if (head?.step !== 'parse') return
    this.#expected.shift()
    this.prepared.isPrepared(head.prepared)
    this.#onlyPrepared.push(head.statement)
  }

  closeComplete(): void {
    const head = this.#head()
    if (head?.step !== 'close') return
    this.#expected.shift()
    if (head.name !== undefined) this.prepared.isClosed(head.name)
  }

  /** `rows`: undefined where the server does not say. */
  completed(rows: number | undefined): void {
    const head = this.#head()
    if (head?.step === 'query') {
      if (rows !== undefined) this.#rows = (this.#rows ?? 0) + rows
    } else if (head?.step === 'execute') {
      this.#expected.shift()
      this.#settle(head.statement, rows === undefined ? {} : { rows })
    }
  }

  /** The server waits for what the client copies: it does not hear a Sync that stands before its end. */
  copyIn(): void {
    this.#isCopyIn = true
    if (this.#head()?.step !== 'execute') return
    let at = 1
    for (; at < this.#expected.length; at++) {
      const step = this.#expected[at]?.step
      if (step === 'copyDone') {
        this.#isCopyIn = false
        break
      }
      if (step === 'sync') this.#expected.splice(at--, 1)
    }
  }

  failed(error: ErrorFields): void {
    this.#isCopyIn = false
    const head = this.#head()
    if (head?.step === 'query') {
      this.#error ??= error
      return
    }
    if (!head) return
    this.#isLeftOut = true
    if ('statement' in head) this.#settle(head.statement, { error: error.message, code: error.code })
  }

  /** The server waits for the next: whatever has no outcome by now gets none. */
  ready(): void {
    for (;;) {
      const next = this.#expected.shift()
      if (!next) break
      if (next.step === 'parse') this.prepared.isNotPrepared(next.prepared)
      if ('statement' in next) {
        const { message: error, code } = this.#error ?? {}
        const rows = this.#rows === undefined ? {} : { rows: this.#rows }
        const ran = next.step === 'query' && !this.#isLeftOut
        this.#settle(next.statement, ran ? { ...rows, ...(error === undefined ? {} : { error, code }) } : {})
      }
      if (next.step === 'sync' || (next.step === 'query' && !this.#isLeftOut)) break
    }
    if (this.#onlyPrepared.length) for (const statement of this.#onlyPrepared.splice(0)) this.#settle(statement, {})
    this.#isLeftOut = false
    this.#rows = undefined
    this.#error = undefined
  }

  #head(): Expected | undefined {
    while (this.#expected[0]?.step === 'copyDone') this.#expected.shift()
    return this.#expected[0]
  }

  #settle(statement: Statement, outcome: Outcome): void {
    this.onOutcome(statement.partOf ?? statement, outcome)
  }
}
